using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Pile.Bench.Running;
using Pile.Compare.Running;
using Pile.Compare.Workloads;

namespace Pile.Compare.Solo;

/// <summary>The pause of a blocking gen2 collection: of a process with nothing, with a pile, with a dictionary.</summary>
internal sealed class Gen2Pause : ISolo
{
    private const int Collections = 31;
    private const string Empty = "empty";
    private const string InPile = "pile";
    private const string InDictionary = "dictionary";
    private const string Pause = "pauseMs";
    private const string Least = "leastMs";
    private const string Most = "mostMs";

    public string Name => "gen2 pause";

    public string Definition => $"median pause of {Collections} forced blocking gen2 collections, each case alone in a process: nothing, 100-byte objects in a pile with their pointers in an array, the same in Dictionary<long, byte[]>";

    public IReadOnlyList<string> Cases { get; } = [Empty, InPile, InDictionary];

    public long ObjectsFor(int objects) => 2L * objects;

    public Dictionary<string, double> Run(string caseName, long objects)
    {
        using ObjectPile? pile = caseName == InPile ? ObjectPile.Create() : null;
        Dictionary<long, byte[]>? dictionary = caseName == InDictionary ? new((int)objects) : null;
        PilePointer[] pointers = caseName == InPile ? new PilePointer[objects] : [];
        byte[] payload = Loops.Payload();
        for (long index = 0; index < objects; index++)
        {
            if (pile is not null)
            {
                pointers[index] = pile.PutBytes(payload);
            }

            dictionary?.Add(index, payload.AsSpan().ToArray());
        }

        double[] pauses = new double[Collections];
        for (int index = 0; index < Collections; index++)
        {
            GC.Collect(2, GCCollectionMode.Forced, blocking: true, compacting: false);
            pauses[index] = GC.GetGCMemoryInfo(GCKind.FullBlocking).PauseDurations[0].TotalMilliseconds;
        }

        GC.KeepAlive(dictionary);
        GC.KeepAlive(pointers);
        return new() { [Pause] = Quantile.Of(pauses, 0.5), [Least] = pauses.Min(), [Most] = pauses.Max() };
    }

    public IEnumerable<RowResult> Rows(long objects, IReadOnlyDictionary<string, IReadOnlyDictionary<string, double>> cases)
    {
        (double pile, double empty, double dictionary) = (cases[InPile][Pause], cases[Empty][Pause], cases[InDictionary][Pause]);
        string live = string.Create(CultureInfo.InvariantCulture, $"{objects:#,0} live");
        yield return Row($"gen2 blocking pause, {live}: pile minus empty", "empty process", pile, empty, pile - empty, 0.5, 0.2, true, "ms") with
        {
            Least = cases[InPile][Least] - empty,
            Most = cases[InPile][Most] - empty,
        };
        yield return Row($"gen2 blocking pause, {live}: Dictionary over pile", "Dictionary", pile, dictionary, dictionary / pile, 100, 500, false, "ms") with
        {
            Least = cases[InDictionary][Least] / pile,
            Most = cases[InDictionary][Most] / pile,
        };
    }

    private static RowResult Row(string name, string contestant, double ours, double theirs, double ratio, double must, double reach, bool atMost, string unit) => new()
    {
        Name = name,
        Contestant = contestant,
        Ours = ours,
        Theirs = theirs,
        Unit = unit,
        Ratio = ratio,
        LowerQuartile = ratio,
        UpperQuartile = ratio,
        Least = ratio,
        Most = ratio,
        Must = must,
        Reach = reach,
        AtMost = atMost,
        Verdict = Verdicts.Of(ratio, must, reach, atMost),
    };
}
