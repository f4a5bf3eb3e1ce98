using System.Collections.Generic;
using Pile.Bench.Graphs;
using Pile.Bench.Workloads;

namespace Pile.Bench.Running;

/// <summary>A face that ends in a table: its name, which is that of its files too, and its workloads.</summary>
internal sealed record TableFace(string Name, string Title, IReadOnlyList<WorkloadEntry> Workloads)
{
    internal static TableFace Table { get; } = new("table", "The table, measured", WorkloadList.All);

    internal static TableFace Codec { get; } = new("codec", "The codec, measured", GraphWorkloads.All);
}
