using System;
using System.Collections.Generic;
using Pile.HitRatio.Contestants;
using Pile.HitRatio.Traces;
using Xunit;

namespace Pile.HitRatio.Tests;

/// <summary>Each simulator against its slow twin: the same answer and the same bytes after every request, for caches of all sizes from none
/// to all, objects that do not fit at all, and objects that change their size.</summary>
[Trait("Category", "Model")]
public sealed class ReferenceTests
{
    private const int Seeds = 150;
    private const int Requests = 1500;

    private static readonly Dictionary<string, Func<long, INaive>> _naive = new(StringComparer.Ordinal)
    {
        ["lru"] = capacity => new NaiveLru(capacity),
        ["sieve"] = capacity => new NaiveSieve(capacity),
        ["2q"] = capacity => new NaiveTwoQueues(capacity),
        ["s3-fifo"] = capacity => new NaiveS3Fifo(capacity),
    };

    public static TheoryData<string> Names => [.. _naive.Keys];

    [Theory]
    [MemberData(nameof(Names))]
    public void ObjectsOfOneSizeAreHeldAsTheSlowTwinHoldsThem(string name) => Compare(name, static (_, _) => 92);

    [Theory]
    [MemberData(nameof(Names))]
    public void ObjectsOfManySizesAreHeldAsTheSlowTwinHoldsThem(string name) => Compare(name, static (_, key) => (int)(key * key % 700));

    [Theory]
    [MemberData(nameof(Names))]
    public void ObjectsThatChangeTheirSizeAreHeldAsTheSlowTwinHoldsThem(string name) => Compare(name, static (random, _) => random.NextBelow(4000) / (1 + random.NextBelow(40)));

    private static void Compare(string name, Func<SplitMix, ulong, int> sizeOf)
    {
        for (ulong seed = 1; seed <= Seeds; seed++)
        {
            var random = new SplitMix(seed);
            var budget = new Budget(1 + random.NextBelow(4000), random.NextBelow(30));
            var keys = new ZipfSampler(2 + random.NextBelow(80), 0.4 + random.NextUnit());
            using IContestant fast = Entries.Of(name).Make(budget);
            INaive slow = _naive[name](budget.CacheBytes);
            for (int request = 0; request < Requests; request++)
            {
                ulong key = (ulong)keys.Next(random);
                int bytes = sizeOf(random, key);

                bool hit = fast.Request(key, bytes, request);

                bool expected = slow.Request(key, 8 + bytes + budget.ChargeBytes);
                Assert.True(hit == expected, $"seed {seed}, request {request}: {name} says {hit}");
                Assert.True(fast.UsedBytes == slow.Used, $"seed {seed}, request {request}: {name} holds {fast.UsedBytes}, not {slow.Used}");
                Assert.True(fast.UsedBytes <= budget.CacheBytes, $"seed {seed}, request {request}: {name} holds {fast.UsedBytes} of {budget.CacheBytes}");
            }
        }
    }
}
