using System;
using System.Collections.Generic;
using System.Linq;
using Pile.HitRatio.Contestants;
using Pile.HitRatio.Reports;
using Pile.HitRatio.Running;
using Pile.HitRatio.Traces;
using Xunit;

namespace Pile.HitRatio.Tests;

/// <summary>LRU over independent Zipf requests has a miss ratio that can be computed without simulating anything (Che, Tung and Wang,
/// IEEE JSAC 20(7), 2002): generator, simulator and bookkeeping together must give it.</summary>
public sealed class LruTheoryTests
{
    private const int Keys = 50_000;
    private const int Requests = 1_000_000;

    [Theory]
    [InlineData("zipf-0.6", 0.6)]
    [InlineData("zipf-0.8", 0.8)]
    [InlineData("zipf-1.0", 1.0)]
    [InlineData("zipf-1.2", 1.2)]
    public void LruMissesAsMuchAsTheApproximationOfChe(string name, double exponent)
    {
        (TraceResult trace, IReadOnlyList<CellResult> cells) = new Race([Entries.Of(Entries.Lru)], [0.01, 0.1], 0).Run(TraceList.Of(name, Keys, Requests, 9), static _ => { });

        double[] weights = [.. Enumerable.Range(1, Keys).Select(rank => Math.Pow(rank, -exponent))];
        double total = weights.Sum();
        double[] chances = [.. weights.Select(weight => weight / total)];
        Assert.All(cells, cell =>
        {
            double expected = Expected(chances, cell.CacheBytes / (trace.Bytes / trace.Keys));
            Assert.InRange(cell.MissRatio, expected * 0.99, expected * 1.01);
        });
    }

    /// <summary>An object stays for the time in which as many different ones are asked for as fit; until the cache is full each first
    /// request misses.</summary>
    private static double Expected(double[] chances, double objects)
    {
        double low = 1;
        double high = 1e9;
        for (int step = 0; step < 60; step++)
        {
            double middle = Math.Sqrt(low * high);
            bool isShort = chances.Sum(chance => 1 - Math.Exp(-chance * middle)) < objects;
            (low, high) = isShort ? (middle, high) : (low, middle);
        }

        return (objects + ((Requests - low) * chances.Sum(chance => chance * Math.Exp(-chance * low)))) / Requests;
    }
}
