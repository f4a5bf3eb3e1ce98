// Comparers whose hashes are as bad as hashes can be: all equal, equal in the half that chooses the bucket, or in the tag.
// Equality is that of the bytes.
using System;
using System.Buffers.Binary;

namespace Pile.Cache.Tests.Model;

internal sealed class BadComparer(int kind) : IPileKeyComparer
{
    public string Name => $"bad {kind}";

    public ulong Hash(ReadOnlySpan<byte> key, ulong seed)
    {
        ulong number = BinaryPrimitives.ReadUInt32LittleEndian(key) * 0x9E3779B97F4A7C15;
        return kind switch
        {
            0 => 12345,
            1 => number & 0xFFFFFFFF00000000,
            _ => number & 0x00000FFFFFFFFFFF,
        };
    }

    public bool Equals(ReadOnlySpan<byte> left, ReadOnlySpan<byte> right) => left.SequenceEqual(right);
}
