using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Pile.HitRatio.Contestants;
using Pile.HitRatio.Reports;
using Pile.HitRatio.Running;
using Pile.HitRatio.Traces;
using Xunit;

namespace Pile.HitRatio.Tests;

public sealed class RaceTests
{
    [Fact]
    public void EachContestantGetsThePartOfTheBytesThatTheSizeSays()
    {
        var trace = new Trace([[1, 2, 3, 4, 1, 2, 3, 4]]);

        (TraceResult result, IReadOnlyList<CellResult> cells) = new Race([Entries.Of("lru"), Entries.Of("2q")], [0.75, 1], chargeBytes: 32).Run(trace, static _ => { });

        Assert.Equal((8, 4, 4 * 140), (result.Requests, result.Keys, result.Bytes));
        Assert.Equal([("lru", 420), ("2q", 420), ("lru", 560), ("2q", 560)], cells.Select(static cell => (cell.Contestant, (int)cell.CacheBytes)));
        Assert.Equal([0, 0, 4, 4], cells.Select(static cell => (int)cell.Hits));
        Assert.Equal([420, 420, 560, 560], cells.Select(static cell => (int)cell.MostUsedBytes));
    }

    [Fact]
    public void AContestantThatHoldsMoreThanItMayEndsTheRunByName() =>
        Assert.Equal("glutton holds 109 bytes, and may hold 108.", Assert.Throws<InvalidDataException>(static () => new Race([new Glutton.Entry()], [1], 0).Run(new Trace([[1]]), static _ => { })).Message);

    [Fact]
    public void ATraceThatChangesWhileItIsReadEndsTheRun() =>
        Assert.Equal("The trace 'given' had 2 requests, and 3 when it was read again.", Assert.Throws<InvalidDataException>(static () => new Race([Entries.Of("lru")], [1], 0).Run(new Trace([[1, 2], [1, 2, 3]]), static _ => { })).Message);

    [Fact]
    public void RatiosAreAgainstTheSameTraceAndSize()
    {
        CellResult[] cells = [Cell("a", 0.1, "s3-fifo", 50), Cell("a", 0.1, "lru", 20), Cell("a", 0.1, "2q", 60), Cell("b", 0.1, "s3-fifo", 90), Cell("b", 0.1, "lru", 80), Cell("b", 0.1, "2q", 60)];

        IReadOnlyList<CellResult> compared = Comparison.Of(cells);
        IReadOnlyList<MeanResult> means = Comparison.Means(compared);

        Assert.Equal([1, 1.6, 0.8, 1, 2, 4], compared.Select(static cell => Math.Round(cell.OverS3Fifo!.Value, 9)));
        Assert.Equal([0.625, 1, 0.5, 0.5, 1, 2], compared.Select(static cell => Math.Round(cell.OverLru!.Value, 9)));
        Assert.Equal([1.25, 2, 1, 1, 2, 4], compared.Select(static cell => Math.Round(cell.OverBest!.Value, 9)));
        Assert.Equal(["s3-fifo", "lru", "2q"], means.Select(static mean => mean.Contestant));
        Assert.Equal([Math.Sqrt(0.3125), 1, 1], means.Select(static mean => mean.OverLru!.Value), static (one, other) => Math.Abs(one - other) < 1e-9);
        Assert.Equal([1, Math.Sqrt(3.2), Math.Sqrt(3.2)], means.Select(static mean => mean.OverS3Fifo!.Value), static (one, other) => Math.Abs(one - other) < 1e-9);
        Assert.Equal([1, 2, 4], means.Select(static mean => Math.Round(mean.WorstOverS3Fifo!.Value, 9)));
        Assert.Equal([1.25, 2, 4], means.Select(static mean => Math.Round(mean.WorstOverBest!.Value, 9)));
    }

    [Fact]
    public void WithoutTheOtherThereIsNoRatio()
    {
        CellResult only = Assert.Single(Comparison.Of([Cell("a", 0.1, "sieve", 50)]));

        Assert.Equal((null, null, null), (only.OverS3Fifo, only.OverLru, only.OverBest));
        Assert.Equal(new MeanResult("sieve", null, null, null, null), Assert.Single(Comparison.Means([only])));
    }

    private static CellResult Cell(string trace, double size, string contestant, long hits) =>
        new() { Trace = trace, Size = size, CacheBytes = 1, Contestant = contestant, Requests = 100, Hits = hits, MostUsedBytes = 1 };

    /// <summary>Keys as they are given, of 100 bytes each; each time it is opened the next of some lists, the last again and again.</summary>
    private sealed class Trace(ulong[][] openings) : ITrace
    {
        private int _opened;

        public string Name => "given";

        public string Definition => "as given";

        public ITraceReader Open() => new Reader(openings[int.Min(_opened++, openings.Length - 1)]);

        private sealed class Reader(ulong[] keys) : ITraceReader
        {
            private int _read;

            public int Read(Span<Request> requests)
            {
                int count = int.Min(requests.Length, keys.Length - _read);
                for (int index = 0; index < count; index++)
                {
                    requests[index] = new Request(keys[_read], 100, _read++);
                }

                return count;
            }

            public void Dispose()
            {
            }
        }
    }

    private sealed class Glutton(Budget budget) : IContestant
    {
        public long UsedBytes => budget.CacheBytes + 1;

        public bool Request(ulong key, int bytes, long time) => false;

        public void Dispose()
        {
        }

        internal sealed class Entry : IEntry
        {
            public string Name => "glutton";

            public int Order => 0;

            public string Source => "nowhere";

            public IContestant Make(Budget budget) => new Glutton(budget);
        }
    }
}
