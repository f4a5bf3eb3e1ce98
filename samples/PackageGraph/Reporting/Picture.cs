using System.Globalization;

namespace PackageGraph.Reporting;

/// <summary>The charts of a result as SVG images.</summary>
internal static class Picture
{
    private const double Width = 760;
    private const double Margin = 24;
    private const double Inner = Width - (2 * Margin);

    /// <summary>The one of the README: pause, memory and jitter, and where it was measured.</summary>
    internal static string Readme(GraphResult result)
    {
        double y = 52;
        var canvas = new SvgCanvas(Width, 490);
        string objects = result.Objects.ToString("#,0", CultureInfo.InvariantCulture);
        canvas.Text(Margin, 32, $"{objects} objects of a real dependency graph: as .NET objects, and in Pile", size: 17, bold: true);
        Charts.Bars(canvas, Margin, y, Inner, "Pause of a blocking full collection", result.Heap.Gen2PauseMs, result.Pile.Gen2PauseMs, Figure.Duration);
        y += Charts.BarsHeight + 4;
        Charts.Bars(canvas, Margin, y, Inner, "Memory per object", result.Heap.BytesPerObject, result.Pile.BytesPerObject, value => $"{Figure.Of(value)} B");
        y += Charts.BarsHeight + 4;
        Charts.Lines(canvas, Margin, y, Inner, 190, "Longest stop of a thread while another thread loads more data", result.Heap.Pauses.StopsMs, result.Pile.Pauses.StopsMs, result.Heap.Pauses.Seconds);
        canvas.Text(Margin, 478, $"{result.Machine.Cpu}, {result.Machine.Cores} cores, {result.Machine.Runtime}, {result.Machine.Date}: samples/PackageGraph", size: 11, fill: "#66717d");
        return canvas.ToSvg($"{objects} objects on the heap and in Pile: pauses, memory, jitter");
    }

    /// <summary>Pauses as bars.</summary>
    internal static string Pauses(GraphResult result)
    {
        var canvas = new SvgCanvas(Width, (2 * Charts.BarsHeight) + 40);
        Charts.Bars(canvas, Margin, 14, Inner, "Pause of a blocking full collection", result.Heap.Gen2PauseMs, result.Pile.Gen2PauseMs, Figure.Duration);
        Charts.Bars(canvas, Margin, 24 + Charts.BarsHeight, Inner, "Longest GC pause beside a background load", result.Heap.Pauses.LongestGcMs, result.Pile.Pauses.LongestGcMs, Figure.Duration);
        return canvas.ToSvg("Pauses");
    }

    /// <summary>Memory as bars.</summary>
    internal static string Memory(GraphResult result)
    {
        var canvas = new SvgCanvas(Width, (2 * Charts.BarsHeight) + 40);
        Charts.Bars(canvas, Margin, 14, Inner, "Bytes per object", result.Heap.BytesPerObject, result.Pile.BytesPerObject, Figure.Of);
        Charts.Bars(canvas, Margin, 24 + Charts.BarsHeight, Inner, "Resident memory", result.Heap.ResidentBytes, result.Pile.ResidentBytes, value => Figure.MiB((long)value));
        return canvas.ToSvg("Memory");
    }

    /// <summary>Stops over time beside the background load.</summary>
    internal static string Jitter(GraphResult result)
    {
        var canvas = new SvgCanvas(Width, 280);
        Charts.Lines(canvas, Margin, 14, Inner, 250, "Longest stop of a thread while another loads more data", result.Heap.Pauses.StopsMs, result.Pile.Pauses.StopsMs, result.Heap.Pauses.Seconds);
        return canvas.ToSvg("Jitter beside a background load");
    }

    /// <summary>Walks over time while edges were rewritten, or nothing.</summary>
    internal static string Live(GraphResult result)
    {
        if (result is not { LiveHeap: { } heap, LivePile: { } pile })
        {
            return "";
        }

        var canvas = new SvgCanvas(Width, 280);
        Charts.Lines(canvas, Margin, 14, Inner, 250, "Longest walk while another thread rewrites edges", heap.WalksMs, pile.WalksMs, heap.Pauses.Seconds);
        return canvas.ToSvg("Jitter of walks");
    }
}
