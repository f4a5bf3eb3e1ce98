using System;
using System.Collections.Generic;
using System.Globalization;

namespace PackageGraph.Reporting;

/// <summary>The charts of a result as SVG images.</summary>
internal static class Picture
{
    private const double Width = 760;
    private const double Margin = 24;
    private const double Inner = Width - (2 * Margin);

    /// <summary>Charts of the page are as wide as a phone, so that their letters keep their size there.</summary>
    private const double PageWidth = 400;
    private const double PageMargin = 14;
    private const double PageInner = PageWidth - (2 * PageMargin);

    /// <summary>The one of the README: pause, memory and jitter, and where it was measured.</summary>
    internal static string Readme(GraphResult result)
    {
        double y = 52;
        var canvas = new SvgCanvas(Width, 510);
        string objects = result.Objects.ToString("#,0", CultureInfo.InvariantCulture);
        canvas.Text(Margin, 32, $"{objects} objects of a real dependency graph: as .NET objects, and in Pile", size: 17, bold: true);
        Charts.Bars(canvas, Margin, y, Inner, "Pause of a blocking full collection", result.Heap.Gen2PauseMs, result.Pile.Gen2PauseMs, Figure.Duration);
        y += Charts.BarsHeight + 4;
        Charts.Bars(canvas, Margin, y, Inner, "Memory per object", result.Heap.BytesPerObject, result.Pile.BytesPerObject, value => $"{Figure.Of(value)} B");
        y += Charts.BarsHeight + 4;
        Charts.Lines(canvas, Margin, y, Inner, 210, "Longest stop of a thread while another thread loads more data", result.Heap.Pauses.StopsMs, result.Pile.Pauses.StopsMs, result.Heap.Pauses.Seconds);
        canvas.Text(Margin, 498, $"{result.Machine.Cpu}, {result.Machine.Cores} cores, {result.Machine.Runtime}, {result.Machine.Date}: samples/PackageGraph", size: 11, fill: "#66717d");
        return canvas.ToSvg($"{objects} objects on the heap and in Pile: pauses, memory, jitter");
    }

    /// <summary>Pauses as bars.</summary>
    internal static string Pauses(GraphResult result) => TwoBars(
        "Pauses",
        ("Pause of a blocking full collection", result.Heap.Gen2PauseMs, result.Pile.Gen2PauseMs, Figure.Duration),
        ("Longest GC pause beside a background load", result.Heap.Pauses.LongestGcMs, result.Pile.Pauses.LongestGcMs, Figure.Duration));

    /// <summary>Memory as bars.</summary>
    internal static string Memory(GraphResult result) => TwoBars(
        "Memory",
        ("Bytes per object", result.Heap.BytesPerObject, result.Pile.BytesPerObject, Figure.Of),
        ("Growth of resident memory", result.Heap.ResidentBytes, result.Pile.ResidentBytes, value => Figure.MiB((long)value)));

    /// <summary>Stops over time beside the background load.</summary>
    internal static string Jitter(GraphResult result) =>
        Lines("Longest stop of a thread beside a background load", result.Heap.Pauses.StopsMs, result.Pile.Pauses.StopsMs, result.Heap.Pauses.Seconds);

    /// <summary>Walks over time while edges were rewritten, or nothing.</summary>
    internal static string Live(GraphResult result) => result is { LiveHeap: { } heap, LivePile: { } pile }
        ? Lines("Longest walk while another thread rewrites edges", heap.WalksMs, pile.WalksMs, heap.Pauses.Seconds)
        : "";

    private static string TwoBars(string title, params ReadOnlySpan<(string Title, double Heap, double Pile, Func<double, string> Text)> charts)
    {
        var canvas = new SvgCanvas(PageWidth, (charts.Length * (Charts.BarsHeight + 10)) + 16);
        for (int index = 0; index < charts.Length; index++)
        {
            double y = 12 + (index * (Charts.BarsHeight + 10));
            Charts.Bars(canvas, PageMargin, y, PageInner, charts[index].Title, charts[index].Heap, charts[index].Pile, charts[index].Text);
        }

        return canvas.ToSvg(title);
    }

    private static string Lines(string title, IReadOnlyList<double> heap, IReadOnlyList<double> pile, double seconds)
    {
        var canvas = new SvgCanvas(PageWidth, 280);
        Charts.Lines(canvas, PageMargin, 12, PageInner, 258, title, heap, pile, seconds);
        return canvas.ToSvg(title);
    }
}
