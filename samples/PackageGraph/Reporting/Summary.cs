using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;
using PackageGraph.Live;

namespace PackageGraph.Reporting;

/// <summary>The table at the end: both forms side by side, the rows that the objects win left in.</summary>
internal static class Summary
{
    private static readonly string[] _heads = ["figure", "objects", "pile", "objects / pile"];

    /// <summary>The rows of a result.</summary>
    internal static IReadOnlyList<SummaryRow> Rows(GraphResult result)
    {
        List<SummaryRow> rows =
        [
            Row("blocking gen2 pause", result.Heap.Gen2PauseMs, result.Pile.Gen2PauseMs),
            Row("longest GC pause beside a background load", result.Heap.Pauses.LongestGcMs, result.Pile.Pauses.LongestGcMs),
            Row("longest stop of a thread beside it", result.Heap.Pauses.LongestStopMs, result.Pile.Pauses.LongestStopMs),
            new("bytes per object", Figure.Of(result.Heap.BytesPerObject), Figure.Of(result.Pile.BytesPerObject), Figure.Times(result.Heap.BytesPerObject, result.Pile.BytesPerObject)),
            new("held in all", Figure.MiB(result.Heap.Bytes), Figure.MiB(result.Pile.Bytes), Figure.Times(result.Heap.Bytes, result.Pile.Bytes)),
            new("resident memory grew by", Figure.MiB(result.Heap.ResidentBytes), Figure.MiB(result.Pile.ResidentBytes), Figure.Times(result.Heap.ResidentBytes, result.Pile.ResidentBytes)),
            new("objects on the GC heap", Count(result.Heap.ClrObjects), Count(result.Pile.ClrObjects), ""),
            Row("load time", result.Heap.LoadSeconds * 1000, result.Pile.LoadSeconds * 1000),
            Row("random read (pile: in place)", result.Access.HeapReadNs / 1e6, result.Access.PileReadNs / 1e6),
            Row("random read (pile: Get makes an object)", result.Access.HeapReadNs / 1e6, result.Access.PileGetNs / 1e6),
            Row("find by name", result.Access.HeapLookupNs / 1e6, result.Access.PileLookupNs / 1e6),
            Row("why does A depend on B", result.Access.HeapPathUs / 1e3, result.Access.PilePathUs / 1e3),
            Row($"transitive closure of {Figure.Of(result.Access.ClosureNodes)} packages", result.Access.HeapClosureMs, result.Access.PileClosureMs),
        ];
        if (result is { LiveHeap: { } heap, LivePile: { } pile })
        {
            rows.AddRange(LiveRows(heap, pile));
        }

        return rows;
    }

    /// <summary>The rows as text in columns.</summary>
    internal static string Text(GraphResult result)
    {
        string[][] lines = [_heads, .. Rows(result).Select(row => new[] { row.Name, row.Objects, row.Pile, row.Times })];
        int[] widths = [.. Enumerable.Range(0, _heads.Length).Select(column => lines.Max(line => line[column].Length))];
        var text = new StringBuilder();
        foreach (string[] line in lines)
        {
            text.Append(line[0].PadRight(widths[0]));
            for (int column = 1; column < line.Length; column++)
            {
                text.Append("  ").Append(line[column].PadLeft(widths[column]));
            }

            text.Append('\n');
        }

        return text.ToString();
    }

    /// <summary>What was held and compared, in a sentence.</summary>
    internal static string Sentence(GraphResult result) =>
        $"{Count(result.Objects)} distinct objects ({result.Editions} {(result.Editions == 1 ? "edition" : "editions")} of Debian 12's package index) with {Count(result.Edges)} edges, held twice; compared item by item at the end: equal.";

    private static IEnumerable<SummaryRow> LiveRows(LiveFigures heap, LiveFigures pile) =>
    [
        new("live: rewrites of edges", Count(heap.Rewrites), Count(pile.Rewrites), Figure.Times(heap.Rewrites, pile.Rewrites)),
        new($"live: walks over {Count(pile.NodesPerWalk)} packages meanwhile", Count(heap.Walks), Count(pile.Walks), Figure.Times(heap.Walks, pile.Walks)),
        Row("live: median walk", heap.MedianWalkMs, pile.MedianWalkMs),
        Row("live: longest walk", heap.LongestWalkMs, pile.LongestWalkMs),
        Row("live: longest GC pause", heap.Pauses.LongestGcMs, pile.Pauses.LongestGcMs),
        new("live: torn nodes, wrong walks", $"{heap.TornNodes}, {heap.WrongWalks}", $"{pile.TornNodes}, {pile.WrongWalks}", ""),
    ];

    private static SummaryRow Row(string name, double heapMs, double pileMs) =>
        new(name, Figure.Duration(heapMs), Figure.Duration(pileMs), Figure.Times(heapMs, pileMs));

    private static string Count(long value) => value.ToString("#,0", CultureInfo.InvariantCulture);
}
