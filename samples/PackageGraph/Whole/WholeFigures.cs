using System.Globalization;
using PackageGraph.Reporting;

namespace PackageGraph.Whole;

/// <summary>What was found of the whole graph as one object.</summary>
/// <param name="Nodes">Packages and other names; all were compared, one by one.</param>
/// <param name="Edges">Edges; all were compared.</param>
/// <param name="Cycles">Its cycles, the same in the graph and in the one that came back.</param>
/// <param name="PayloadBytes">What the object takes in the pile.</param>
/// <param name="PutMs">Median time of a Put.</param>
/// <param name="GetMs">Median time of a Get.</param>
internal sealed record WholeFigures(int Nodes, long Edges, CycleCount Cycles, int PayloadBytes, double PutMs, double GetMs)
{
    /// <summary>The figures in sentences.</summary>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"""
        {Nodes:#,0} nodes and {Edges:#,0} edges as one object: {Figure.MiB(PayloadBytes)}, {(double)PayloadBytes / Nodes:0} bytes a node.
        {Cycles.NodesOnCycles:#,0} of the nodes lie on cycles, {Cycles.NodesOfLargest:#,0} in the largest knot of them.
        Put {Figure.Duration(PutMs)}, Get {Figure.Duration(GetMs)} (medians). What came back was compared node by node: equal, cycles and all.
        """);
}
