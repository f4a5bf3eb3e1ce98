using System;
using System.Buffers.Text;
using System.Collections.Generic;
using Pile.Bench.Workloads;

namespace Pile.Bench.Caches;

/// <summary>The entries of the rows about memory, for whoever stores them: keys of 12 digits, values of 100 bytes.</summary>
internal static class CacheEntries
{
    internal const int KeyBytes = 12;
    private const int GroupMax = 1000;
    private const int Replacements = 3;
    private const int Seed = 11;

    /// <summary>The value of all of them.</summary>
    internal static byte[] Value { get; } = Data.Payload();

    /// <summary>A key as text of 12 bytes.</summary>
    internal static void WriteKey(long key, Span<byte> target) => _ = Utf8Formatter.TryFormat(key, target, out _, new('D', KeyBytes));

    /// <summary>The numbers of the keys to store, by groups: all in order, or three times as many at random. The array is used again.</summary>
    internal static IEnumerable<long[]> Groups(int entries, bool isReplacing)
    {
        var random = new Random(Seed);
        long count = isReplacing ? (long)entries * Replacements : entries;
        long[] group = new long[(int)long.Min(GroupMax, count)];
        for (long first = 0; first + group.Length <= count; first += group.Length)
        {
            for (int index = 0; index < group.Length; index++)
            {
                group[index] = isReplacing ? random.Next(entries) : first + index;
            }

            yield return group;
        }
    }
}
