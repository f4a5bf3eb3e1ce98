// What all parts of a cache's life have in common: its seed, its clock, where in the pile's directories it is, and what it is doing, for reports.
using System;

namespace Pile.Cache.Tests.Model;

internal sealed class LifeWorld(int seed)
{
    internal const int LimitBytes = 24 << 20;
    private const int SpeculativeMax = 20;

    internal int Seed { get; } = seed;

    internal Random Random { get; } = new(seed);

    internal ManualClock Clock { get; } = new();

    /// <summary>The thread that lives: others are the cache's own.</summary>
    internal int Thread { get; } = Environment.CurrentManagedThreadId;

    /// <summary>The directory of the pile; another one once life goes on in a copy.</summary>
    internal string Directory { get; set; } = MappedCache.Directory;

    /// <summary>What is being done.</summary>
    internal string At { get; set; } = "begin";

    /// <summary>Whether the cache was closed in order when it was open last.</summary>
    internal bool IsCacheClosed { get; set; }

    /// <summary>Whether the speculative table evicts, for it may have fewer entries than keys are set.</summary>
    internal bool Evicts { get; } = seed % 2 == 0;

    internal static PileTable<int, byte[]> Durable(MappedCache mapped) => mapped.Table<int, byte[]>(new PileTableOptions { Kind = PileTableKind.Durable });

    internal static PileTable<int, byte[]> Speculative(MappedCache mapped) => mapped.Cache.GetOrCreateTable<int, byte[]>("speculative");

    /// <summary>Makes the speculative table, or finds it, with the options that it has in this life.</summary>
    internal void MakeSpeculative(MappedCache mapped) =>
        _ = mapped.Cache.GetOrCreateTable<int, byte[]>("speculative", new PileTableOptions { MaximumEntries = Evicts ? SpeculativeMax : null });

    /// <summary>Bytes at random: seldom so many that they are an object of their own.</summary>
    internal byte[] NewValue(int bytesMin, int largeOneIn)
    {
        const int LargeBytesMin = 16_000;
        byte[] value = new byte[Random.Next(largeOneIn) == 0 ? Random.Next(LargeBytesMin, 2 * LargeBytesMin) : Random.Next(bytesMin, 250)];
        Random.NextBytes(value);
        return value;
    }
}
