using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using PackageGraph.Data;
using PackageGraph.Forms;
using PackageGraph.Live;
using PackageGraph.Measuring;
using PackageGraph.Reporting;
using Pile;
using Pile.Bench.Reports;
using Pile.Soak;

namespace PackageGraph;

/// <summary>The run from the file to the page. Each form is built and measured before the other is there, so that the collector
/// sees one of them; the text it is built from is read anew for each and dropped before the clock runs.</summary>
internal sealed class GraphRun(RunOptions options, ConsoleFace face, CancellationToken cancel)
{
    private readonly long _start = Stopwatch.GetTimestamp();
    private int _editions;
    private int _perEdition;
    private int _packages;
    private long _edges;

    /// <summary>Does all of it.</summary>
    internal GraphResult Run()
    {
        Survey();
        MemoryNeed.Check((long)_editions * _perEdition);
        using PileGraph pile = Build("pile", BuildPile, out long pileHeapBytes, out long pileResident, out double pileSeconds);
        FormFigures pileFigures = Measure("pile", BuildPile, pile.Objects.GetStatistics().UsedBytes, pileHeapBytes, pileResident, 0, pileSeconds, pile.Nodes.Length);
        HeapGraph heap = Build("objects", BuildHeap, out long heapBytes, out long heapResident, out double heapSeconds);
        FormFigures heapFigures = Measure("objects", BuildHeap, 0, heapBytes, heapResident, heap.ClrObjects, heapSeconds, heap.Nodes.Length);
        var access = new AccessTrial(heap, pile, cancel);
        AccessFigures accessFigures = face.Run("both: reads, look-ups and walks in turn", progress => access.Run(_packages, progress));
        string[] pair = options.Why.Split(',');
        GraphResult result = new()
        {
            Machine = Machine.Here(TimeProvider.System),
            Command = options.Command,
            Editions = _editions,
            Objects = heap.Nodes.Length,
            Edges = _edges * _editions,
            Heap = heapFigures,
            Pile = pileFigures,
            Access = accessFigures,
            Why = access.Why(pair[0].Trim(), pair[1].Trim()),
            ComparedEdges = face.Run("both: comparing item by item", progress => new FormComparison(heap, pile).Run(progress, cancel)),
            LivePile = Live("pile", () => new LivePile(pile, pair[0].Trim())),
            LiveHeap = Live("objects", () => new LiveHeap(heap, pair[0].Trim())),
            Seconds = Stopwatch.GetElapsedTime(_start).TotalSeconds,
        };
        PileVerifyReport report = face.Run("pile: Verify", _ => pile.Objects.Verify());
        return report.IsGood && result.ComparedEdges == result.Edges
            ? result
            : throw new InvalidDataException($"Verify found {report.Findings.Count} faults; {result.ComparedEdges} of {result.Edges} edges were compared.");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Survey()
    {
        Catalogue catalogue = ReadCatalogue("reading the package index");
        string[] pair = options.Why.Split(',');
        if (pair.FirstOrDefault(name => !catalogue.TryFind(name.Trim(), out _)) is { } unknown)
        {
            throw new ArgumentException($"--why: there is no package '{unknown}' in the index.");
        }

        _perEdition = catalogue.Count;
        _packages = catalogue.Rows.Count;
        _edges = catalogue.EdgeCount;
        _editions = Editions.CountFor(options.Objects, catalogue.Count);
        face.Say($"{_packages:#,0} packages, {catalogue.Count - _packages:#,0} other names, {_edges:#,0} edges; x {_editions} = {(long)_editions * _perEdition:#,0} objects");
    }

    private Catalogue ReadCatalogue(string title) => face.Run(title, _ => new Catalogue(PackageFile.Read()));

    private static PileGraph BuildPile(Catalogue catalogue, int editions, Action<double> progress, CancellationToken stop) =>
        PileGraph.Build(catalogue, editions, progress, stop);

    private static HeapGraph BuildHeap(Catalogue catalogue, int editions, Action<double> progress, CancellationToken stop) =>
        HeapGraph.Build(catalogue, editions, progress, stop);

    private T Build<T>(string name, Func<Catalogue, int, Action<double>, CancellationToken, T> build, out long heapBytes, out long residentBytes, out double seconds)
    {
        long heapBefore = Gen2.LiveBytes();
        long residentBefore = ProcessMemory.ResidentBytes();
        T made = BuildAndDrop(name, build, out seconds);
        heapBytes = Gen2.LiveBytes() - heapBefore;
        residentBytes = ProcessMemory.ResidentBytes() - residentBefore;
        return made;
    }

    // A method of its own: when it has returned, nothing refers to the catalogue.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private T BuildAndDrop<T>(string name, Func<Catalogue, int, Action<double>, CancellationToken, T> build, out double seconds)
    {
        Catalogue catalogue = ReadCatalogue($"{name}: reading the index again");

        // One edition first, and dropped again: the JIT's work is in nobody's figure.
        (build(catalogue, 1, static _ => { }, cancel) as IDisposable)?.Dispose();
        _ = Gen2.LiveBytes();
        long start = Stopwatch.GetTimestamp();
        T made = face.Run($"{name}: loading {(long)_editions * _perEdition:#,0} objects", progress => build(catalogue, _editions, progress, cancel));
        seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        return made;
    }

    private FormFigures Measure(
        string name,
        Func<Catalogue, int, Action<double>, CancellationToken, object> build,
        long outsideBytes,
        long heapBytes,
        long residentBytes,
        long clrObjects,
        double seconds,
        int objects)
    {
        double gen2 = face.Run($"{name}: blocking collections", progress => Gen2.PauseMs(progress, cancel));
        PauseFigures pauses = MeasurePauses(name, build);
        return new FormFigures
        {
            Bytes = outsideBytes + heapBytes,
            HeapBytes = heapBytes,
            BytesPerObject = (double)(outsideBytes + heapBytes) / objects,
            ResidentBytes = residentBytes,
            ClrObjects = clrObjects,
            LoadSeconds = seconds,
            Gen2PauseMs = gen2,
            Pauses = pauses,
        };
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private PauseFigures MeasurePauses(string name, Func<Catalogue, int, Action<double>, CancellationToken, object> build)
    {
        Catalogue catalogue = ReadCatalogue($"{name}: reading the index again");
        int more = int.Max(1, _editions / 4);
        _ = Gen2.LiveBytes();
        return face.Run(
            $"{name}: beside a background load",
            progress => BackgroundLoad.Run(options.Seconds, stop => build(catalogue, more, static _ => { }, stop), progress, cancel));
    }

    private LiveFigures? Live(string name, Func<ILiveForm> make) =>
        options.Live ? face.Run($"{name}: rewritten while it is walked", progress => LiveRun.Run(make(), options.Seconds, progress, cancel)) : null;
}
