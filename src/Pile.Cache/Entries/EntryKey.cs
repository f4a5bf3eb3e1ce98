// A key as the engine sees it: its bytes and their hash.
// How a program's key becomes bytes is KeyCodec's business.
using System;

namespace Pile.Cache.Entries;

/// <summary>A key.</summary>
/// <param name="bytes">Its bytes, at most <see cref="CacheLimits.KeyBytesMax"/>.</param>
/// <param name="hash">Their hash under the table's comparer and seed.</param>
internal readonly ref struct EntryKey(ReadOnlySpan<byte> bytes, ulong hash)
{
    internal readonly ReadOnlySpan<byte> Bytes = bytes;

    internal readonly ulong Hash = hash;

    /// <summary>The half of the hash that chooses the bucket and stands in the record.</summary>
    internal uint Low => (uint)Hash;
}
