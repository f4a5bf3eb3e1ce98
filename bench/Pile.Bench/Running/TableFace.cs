using System.Collections.Generic;
using Pile.Bench.Caches;
using Pile.Bench.Graphs;
using Pile.Bench.Mapped;
using Pile.Bench.Serving;
using Pile.Bench.Workloads;

namespace Pile.Bench.Running;

/// <summary>A face that ends in a table: its name, which is that of its files too, and its workloads.</summary>
internal sealed record TableFace(string Name, string Title, IReadOnlyList<WorkloadEntry> Workloads)
{
    internal static TableFace Table { get; } = new("table", "The table, measured", WorkloadList.All);

    internal static TableFace Codec { get; } = new("codec", "The codec, measured", GraphWorkloads.All);

    internal static TableFace Mapped { get; } = new("mapped", "Piles in files, measured", MappedWorkloads.All) { Objects = 1_000_000, Rounds = 5 };

    internal static TableFace Cache { get; } = new("cache", "The cache, measured", CacheWorkloads.All) { Rounds = 3 };

    internal static TableFace Server { get; } = new("server", "The cache server, measured", ServerWorkloads.All) { Objects = 1_000_000, Rounds = 5 };

    internal static IReadOnlyList<TableFace> All { get; } = [Table, Codec, Mapped, Cache, Server];

    /// <summary>Objects in a pile, unless a workload or the command says otherwise.</summary>
    internal int Objects { get; init; } = 10_000_000;

    /// <summary>Rounds, unless the command says otherwise.</summary>
    internal int Rounds { get; init; } = 9;
}
