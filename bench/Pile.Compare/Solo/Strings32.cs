using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using Pile.Bench.Running;
using Pile.Compare.Running;

namespace Pile.Compare.Solo;

/// <summary>The workload that Pile's ancestors showed: as many strings of 32 characters as there are, put and got back, as rates.</summary>
internal sealed class Strings32 : ISolo
{
    private const int Chars = 32;

    /// <summary>50 M objects within 8 GB.</summary>
    private const double LimitBytesPerObject = 8e9 / 50e6;

    private const long LimitBytesMin = 16 << 20;
    private const int Seed = 3;

    public string Name => "string[32]";

    public string Definition => "PutString of 32 ASCII characters, each with its number, under a memory limit of 160 B an object (8 GB for 50 M), then Get<string> in random order, compared with what was put; by one thread and by two";

    public IReadOnlyList<string> Cases { get; } = ["1 thread", "2 threads"];

    public long ObjectsFor(int objects) => 5L * objects;

    public Dictionary<string, double> Run(string caseName, long objects)
    {
        int workers = caseName == Cases[0] ? 1 : Crew.Workers;
        int share = (int)(objects / workers);
        using ObjectPile pile = ObjectPile.Create(new PileOptions { MemoryLimitBytes = long.Max(LimitBytesMin, (long)(objects * LimitBytesPerObject)) });
        using var crew = new Crew();
        var pointers = new PilePointer[share * workers];
        long wrong = 0;
        long start = Stopwatch.GetTimestamp();
        _ = crew.Run(workers, worker => Put(pile, pointers, worker * share, share));
        double putSeconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        start = Stopwatch.GetTimestamp();
        _ = crew.Run(workers, worker => System.Threading.Interlocked.Add(ref wrong, Get(pile, pointers, worker, share)));
        double getSeconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        PileStatistics statistics = pile.GetStatistics();
        return new()
        {
            ["objects"] = pointers.Length,
            ["putsPerSecond"] = pointers.Length / putSeconds,
            ["getsPerSecond"] = pointers.Length / getSeconds,
            ["bytesPerObject"] = (double)statistics.UsedBytes / pointers.Length,
            ["limitBytes"] = statistics.MemoryLimitBytes,
            ["wrong"] = wrong,
        };
    }

    public IEnumerable<RowResult> Rows(long objects, IReadOnlyDictionary<string, IReadOnlyDictionary<string, double>> cases)
    {
        foreach ((string name, IReadOnlyDictionary<string, double> figures) in cases)
        {
            bool runs = figures["wrong"] == 0 && figures["bytesPerObject"] * figures["objects"] <= figures["limitBytes"];
            string text = string.Create(
                CultureInfo.InvariantCulture,
                $"string[32], {figures["objects"]:#,0} in {figures["limitBytes"] / 1e9:0.##} GB, {name}: Put {figures["putsPerSecond"]:#,0}/s, Get {figures["getsPerSecond"]:#,0}/s, {figures["bytesPerObject"]:0.0} B each");
            yield return new RowResult
            {
                Name = text,
                Contestant = "",
                Ours = 1e9 / figures["putsPerSecond"],
                Unit = "ns",
                Verdict = runs ? "runs" : Verdicts.Missed,
            };
        }
    }

    private static void Put(ObjectPile pile, PilePointer[] pointers, int first, int count)
    {
        Span<char> text = stackalloc char[Chars];
        for (int index = first; index < first + count; index++)
        {
            Write(text, index);
            pointers[index] = pile.PutString(text);
        }
    }

    private static long Get(ObjectPile pile, PilePointer[] pointers, int worker, int share)
    {
        var random = new Random(Seed + worker);
        Span<char> text = stackalloc char[Chars];
        long wrong = 0;
        for (int done = 0; done < share; done++)
        {
            int index = random.Next(pointers.Length);
            Write(text, index);
            wrong += text.SequenceEqual(pile.Get<string>(pointers[index])) ? 0 : 1;
        }

        return wrong;
    }

    private static void Write(Span<char> text, int index)
    {
        text.Fill('-');
        _ = index.TryFormat(text, out _, provider: CultureInfo.InvariantCulture);
    }
}
