// SHA-256 of a token as a key of dictionaries: what stands for a token, which is not kept itself.
// Four words, so that it is compared without an array.
using System;
using System.Buffers.Binary;

namespace Pile.Server.Security;

/// <summary>The hash of a token.</summary>
internal readonly record struct TokenHash(ulong First, ulong Second, ulong Third, ulong Fourth)
{
    /// <summary>From the 32 bytes of the hash.</summary>
    internal static TokenHash Of(ReadOnlySpan<byte> hash) => new(
        BinaryPrimitives.ReadUInt64LittleEndian(hash), BinaryPrimitives.ReadUInt64LittleEndian(hash[8..]), BinaryPrimitives.ReadUInt64LittleEndian(hash[16..]), BinaryPrimitives.ReadUInt64LittleEndian(hash[24..]));
}
