using System;
using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Pile.Cache;
using Pile.Cache.Tests.Model;
using Pile.Hosting.Tests;
using Xunit;

namespace Pile.Caching.Tests;

/// <summary>A cache behind the HybridCache: read before the factory, written after it, removed with it, and its failures seen by nobody but the
/// log and the meter.</summary>
public sealed class HybridBehindTests : IDisposable
{
    private readonly ManualClock _clock = new();
    private readonly FlakyCache _behind = new();
    private readonly RecordedLog _log = new();
    private readonly List<PileCache> _piles = [];
    private readonly ServiceProvider _services;
    private int _made;

    public HybridBehindTests() => _services = TestServices.With(_log);

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose()
    {
        _piles.ForEach(static pile => pile.Dispose());
        _services.Dispose();
    }

    [Fact]
    public async Task AValueOfOneMachineIsReadByAnother()
    {
        PileHybridCache here = Machine();
        PileHybridCache there = Machine();
        Assert.Equal("1: a", await MakeAsync(here, "a", tags: ["x"]));
        Assert.Equal("1: a", await MakeAsync(there, "a", tags: ["x"]));
        Assert.Equal("1: a", await MakeAsync(there, "a", tags: ["x"]));

        Assert.Equal(["get pile:e:a", "set pile:e:a 00:05:00", "get pile:e:a", "get pile:t:x", "get pile:t:*"], _behind.Calls);
    }

    [Fact]
    public async Task TheFlagsDisableReadingFromAndWritingToTheSecondaryDistributedCache()
    {
        _ = await MakeAsync(Machine(), "a", HybridCacheEntryFlags.DisableDistributedCache);
        Assert.Empty(_behind.Calls);
        _ = await MakeAsync(Machine(), "a", HybridCacheEntryFlags.DisableDistributedCacheWrite);
        Assert.Equal(["get pile:e:a"], _behind.Calls);
        Assert.Equal("3: a", await MakeAsync(Machine(), "a", HybridCacheEntryFlags.DisableDistributedCacheRead));
        Assert.Equal("set pile:e:a 00:05:00", _behind.Calls.Last());
        Assert.Equal("3: a", await MakeAsync(Machine(), "a"));

        // Only fetches from caches: this one, and the one behind.
        PileHybridCache machine = Machine();
        Assert.Equal("3: a", await MakeAsync(machine, "a", HybridCacheEntryFlags.DisableUnderlyingData));
        Assert.Equal("3: a", await MakeAsync(machine, "a", HybridCacheEntryFlags.DisableUnderlyingData | HybridCacheEntryFlags.DisableDistributedCacheRead));
        Assert.Null(await MakeAsync(Machine(), "a", HybridCacheEntryFlags.DisableUnderlyingData | HybridCacheEntryFlags.DisableDistributedCacheRead));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task WhatIsRemovedOrSetAfterItsCallersHadLeftIsNotPutBackByIt(bool isSet)
    {
        PileHybridCache here = Machine();
        TaskCompletionSource begun = new(TaskCreationOptions.RunContinuationsAsynchronously);
        TaskCompletionSource lands = new(TaskCreationOptions.RunContinuationsAsynchronously);
        _behind.Landing = async call =>
        {
            if (call == "set pile:e:a" && begun.TrySetResult())
            {
                await lands.Task;
            }
        };
        using var leaves = new CancellationTokenSource();
        Task<string> left = here.GetOrCreateAsync("a", static _ => ValueTask.FromResult("old"), cancellationToken: leaves.Token).AsTask();
        await begun.Task.WaitAsync(Cancel);
        await leaves.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => left);

        if (isSet)
        {
            await here.SetAsync("a", "new", cancellationToken: Cancel);
        }
        else
        {
            await here.RemoveAsync("a", Cancel);
        }

        // It puts the old value behind, and takes it away again.
        TaskCompletionSource removed = new(TaskCreationOptions.RunContinuationsAsynchronously);
        _behind.AtCall = call => _ = call == "remove pile:e:a" && removed.TrySetResult();
        lands.SetResult();
        await removed.Task.WaitAsync(TimeSpan.FromMinutes(1), Cancel);
        string got = await Machine().GetOrCreateAsync("a", static _ => ValueTask.FromResult("made"), cancellationToken: Cancel);
        Assert.Equal("made", got);
    }

    [Fact]
    public async Task TheLaterOfTwoRemovalsOfATagCounts()
    {
        PileHybridCache here = Machine();
        TaskCompletionSource lands = new(TaskCreationOptions.RunContinuationsAsynchronously);
        int notes = 0;
        _behind.Landing = call => call == "set pile:t:x" && Interlocked.Increment(ref notes) == 1 ? lands.Task : Task.CompletedTask;
        Task first = here.RemoveByTagAsync("x", Cancel).AsTask();
        _clock.Move(TimeSpan.FromSeconds(1));
        Assert.Equal("1: a", await MakeAsync(here, "a", tags: ["x"]));
        _clock.Move(TimeSpan.FromSeconds(1));
        Task second = here.RemoveByTagAsync("x", Cancel).AsTask();
        lands.SetResult();
        await Task.WhenAll(first, second);

        _clock.Move(TimeSpan.FromSeconds(1));
        Assert.Equal("2: a", await MakeAsync(Machine(), "a", tags: ["x"]));
    }

    [Fact]
    public async Task NoEntryOutlivesTheNoteThatAllWereRemoved()
    {
        await Machine().SetAsync("a", "v", new HybridCacheEntryOptions { Expiration = TimeSpan.FromDays(1000) }, cancellationToken: Cancel);
        Assert.Equal("set pile:e:a 365.00:00:00", _behind.Calls.Last());
    }

    [Fact]
    public async Task TheOverallDurationIsPassedToTheBackendAndTheLocalOneDoesNotExceedWhatIsLeftOfIt()
    {
        var terms = new HybridCacheEntryOptions { Expiration = TimeSpan.FromMinutes(10), LocalCacheExpiration = TimeSpan.FromMinutes(4) };
        await Machine().SetAsync("a", "v", terms, cancellationToken: Cancel);
        Assert.Equal("set pile:e:a 00:10:00", _behind.Calls.Last());
        _clock.Move(TimeSpan.FromMinutes(8));

        PileHybridCache later = Machine();
        Assert.Equal("v", await later.GetOrCreateAsync("a", static _ => new ValueTask<string>("new"), terms, cancellationToken: Cancel));
        _clock.Move(TimeSpan.FromMinutes(2));
        Assert.Equal("new", await later.GetOrCreateAsync("a", static _ => new ValueTask<string>("new"), terms, cancellationToken: Cancel));
    }

    [Fact]
    public async Task ARemovalIsThereForAllMachinesThatHaveNotReadItYet()
    {
        PileHybridCache here = Machine();
        foreach (string key in (string[])["a", "b", "c"])
        {
            await here.SetAsync(key, key, tags: key == "b" ? ["x"] : null, cancellationToken: Cancel);
        }

        _clock.Move(TimeSpan.FromSeconds(1));
        await here.RemoveAsync("a", Cancel);
        await here.RemoveByTagAsync("x", Cancel);
        Assert.Null(await PeekAsync(Machine(), "a"));
        Assert.Null(await PeekAsync(Machine(), "b"));
        Assert.Equal("c", await PeekAsync(Machine(), "c"));

        _clock.Move(TimeSpan.FromSeconds(1));
        await here.SetAsync("b", "new", tags: ["x"], cancellationToken: Cancel);
        Assert.Equal("new", await PeekAsync(Machine(), "b"));
        _clock.Move(TimeSpan.FromSeconds(1));
        await here.RemoveByTagAsync("*", Cancel);
        Assert.Null(await PeekAsync(Machine(), "b"));
        Assert.Null(await PeekAsync(Machine(), "c"));
    }

    [Fact]
    public async Task FailuresAreInvisibleLoggedOnceASecondAndCounted()
    {
        var counts = new Dictionary<string, long>();
        using var listener = new MeterListener
        {
            InstrumentPublished = static (instrument, self) =>
            {
                if (instrument.Name == "pile.cache.distributed.requests")
                {
                    self.EnableMeasurementEvents(instrument);
                }
            },
        };
        listener.SetMeasurementEventCallback<long>((_, value, tags, _) =>
        {
            string line = string.Join(' ', tags.ToArray().Select(static tag => $"{tag.Value}"));
            counts[line] = counts.GetValueOrDefault(line) + value;
        });
        PileHybridCache here = Machine();
        listener.Start();
        _behind.Fails = static _ => true;

        Assert.Equal("1: a", await MakeAsync(here, "a"));
        await here.SetAsync("b", "set", cancellationToken: Cancel);
        await here.RemoveAsync("c", Cancel);
        await here.RemoveByTagAsync("x", Cancel);
        Assert.Equal("1: a", await MakeAsync(here, "a"));
        Assert.Equal("set", await PeekAsync(here, "b"));

        Assert.Equal(new Dictionary<string, long> { ["hybrid read failure"] = 1, ["hybrid write failure"] = 2, ["hybrid remove failure"] = 2 }, counts);
        LogLine line = Assert.Single(_log.Lines, static line => line.Id.Id == 202);
        Assert.Equal((LogLevel.Warning, "Pile.Caching"), (line.Level, line.Category));
        Assert.StartsWith("The cache behind failed to read 'pile:e:a'; it is gone on without.", line.Message, StringComparison.Ordinal);
        Assert.Contains("the test wants it so", line.Exception!.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("set")]
    [InlineData("remove")]
    [InlineData("tag")]
    [InlineData("all")]
    public async Task WhatAFailedRemovalOrWriteLeftThereIsNotBelieved(string what)
    {
        PileHybridCache here = Machine();
        await here.SetAsync("a", "old", tags: ["x"], cancellationToken: Cancel);
        _clock.Move(TimeSpan.FromSeconds(1));
        _behind.Fails = static _ => true;
        await (what switch
        {
            "set" => here.SetAsync("a", "new", new HybridCacheEntryOptions { Expiration = TimeSpan.FromMinutes(1) }, cancellationToken: Cancel),
            "remove" => here.RemoveAsync("a", Cancel),
            "tag" => here.RemoveByTagAsync("x", Cancel),
            _ => here.RemoveByTagAsync("*", Cancel),
        });
        _behind.Fails = static _ => false;
        Assert.True(_behind.Entries.ContainsKey("pile:e:a"));
        Assert.Equal(what == "set" ? "new" : null, await PeekAsync(here, "a"));
        _clock.Move(TimeSpan.FromMinutes(1));
        Assert.Null(await PeekAsync(here, "a"));

        // What gets there later is believed again.
        await here.SetAsync("a", "newest", tags: ["x"], cancellationToken: Cancel);
        _piles[0].GetOrCreateTable<string, byte[]>("hybrid").Clear();
        Assert.Equal("newest", await PeekAsync(here, "a"));
    }

    [Fact]
    public async Task ATagThatCanNotBeAskedForIsAMiss()
    {
        await Machine().SetAsync("a", "v", tags: ["x"], cancellationToken: Cancel);
        _behind.Fails = static call => call == "get pile:t:x";
        Assert.Null(await PeekAsync(Machine(), "a"));
        Assert.Equal("1: a", await MakeAsync(Machine(), "a"));
    }

    [Fact]
    public async Task WhatIsNoEntryThereOrIsDamagedIsAMissAndTold()
    {
        await Machine().SetAsync("a", "value", tags: ["x", "y"], cancellationToken: Cancel);
        byte[] whole = _behind.Entries["pile:e:a"];
        for (int index = 0; index < whole.Length; index++)
        {
            byte[] damaged = [.. whole];
            damaged[index] ^= 0x10;
            _behind.Entries["pile:e:a"] = damaged;
            Assert.Null(await PeekAsync(Machine(), "a"));
            _behind.Entries["pile:e:a"] = whole[..index];
            Assert.Null(await PeekAsync(Machine(), "a"));
        }

        _behind.Entries["pile:e:a"] = whole;
        Assert.Equal("value", await PeekAsync(Machine(), "a"));
        Assert.Contains("are no entry of a HybridCache of Pile, or damaged", _log.Lines.First(static line => line.Id.Id == 202).Exception!.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task TagsThatCanNotBeAreRefusedBeforeAnythingIsMadeOrWritten()
    {
        foreach (string[] tags in (string[][])[["*"], [""], [null!], [.. Enumerable.Repeat("x", 33)], [new('x', 15_361)]])
        {
            await Assert.ThrowsAnyAsync<ArgumentException>(async () => await Machine().SetAsync("a", "v", tags: tags, cancellationToken: Cancel));
            await Assert.ThrowsAnyAsync<ArgumentException>(async () => await MakeAsync(Machine(), "a", tags: tags));
        }

        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(async () => await Machine().RemoveByTagAsync(new string('x', 15_361), Cancel));
        Assert.Empty(_behind.Calls);
        Assert.Equal(0, _made);
    }

    [Fact]
    public async Task AValueOfAnotherTypeThereIsMadeAnew()
    {
        await Machine().SetAsync("a", 5, cancellationToken: Cancel);
        Assert.Equal("1: a", await MakeAsync(Machine(), "a"));
        Assert.Equal("1: a", await MakeAsync(Machine(), "a"));
    }

    [Fact]
    public async Task ACancellationOfTheCallerIsNoFailureOfTheCacheBehind()
    {
        PileHybridCache here = Machine();
        using var ending = new CancellationTokenSource();
        _behind.AtCall = _ => ending.Cancel();
        _behind.Fails = static _ => true;
        await here.RemoveAsync("b", Cancel);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await here.SetAsync("a", "v", cancellationToken: ending.Token));
        Assert.Equal(["remove pile:e:b"], _behind.Calls);
    }

    [Theory]
    [InlineData(null)]
    [InlineData(0.8)]
    public async Task WhoeverWantsAValueIsNotAnsweredByOneThatOnlyLooks(double? eagerRefresh)
    {
        // The look is under way while the other one joins it; the other one's factory is called all the same.
        PileHybridCache here = Machine(new PileFactoryOptions { EagerRefresh = eagerRefresh });
        Task<string?>? joined = null;
        bool hasJoined = false;
        _behind.AtCall = _ =>
        {
            if (joined is null)
            {
                using (ExecutionContext.SuppressFlow())
                {
                    joined = Task.Run(() => MakeAsync(here, "a"), Cancel);
                }

                hasJoined = SpinWait.SpinUntil(() => _piles[0].GetStatistics().FactoryJoins == 1, TimeSpan.FromSeconds(10));
            }
        };

        Assert.Null(await PeekAsync(here, "a"));
        Assert.Equal("1: a", await joined!);
        Assert.True(hasJoined, $"{joined!.Status} {_piles[0].GetStatistics()} {string.Join(", ", _behind.Calls)}");
    }

    [Fact]
    public async Task TagsAreRemovedExactlyWhileAnotherMachineReads()
    {
        // The reader has read the entry there when the tag is removed, and keeps it only afterwards.
        PileHybridCache here = Machine();
        await here.SetAsync("a", "old", tags: ["x"], cancellationToken: Cancel);
        _clock.Move(TimeSpan.FromSeconds(1));
        _piles[0].GetOrCreateTable<string, byte[]>("hybrid").Clear();
        var removing = new List<Task>();
        _behind.AtCall = call =>
        {
            if (call == "get pile:t:*" && removing.Count == 0)
            {
                removing.Add(here.RemoveByTagAsync("x", Cancel).AsTask());
            }
        };
        _ = await PeekAsync(here, "a");
        await Task.WhenAll(removing);

        Assert.NotEmpty(removing);
        Assert.Null(await PeekAsync(here, "a"));
    }

    [Theory]
    [InlineData(HybridCacheEntryFlags.None)]
    [InlineData(HybridCacheEntryFlags.DisableLocalCacheRead)]
    public async Task AValueWhoseKeyIsRemovedWhileItIsBeingMadeStaysNowhere(HybridCacheEntryFlags flags)
    {
        PileHybridCache here = Machine();
        Assert.Equal("old", await here.GetOrCreateAsync("a", async token =>
        {
            await here.RemoveAsync("a", token);
            return "old";
        }, new HybridCacheEntryOptions { Flags = flags }, cancellationToken: Cancel));

        Assert.Null(await PeekAsync(here, "a"));
        Assert.Null(await PeekAsync(Machine(), "a"));
    }

    [Theory]
    [InlineData(HybridCacheEntryFlags.None)]
    [InlineData(HybridCacheEntryFlags.DisableLocalCacheRead)]
    public async Task AValueWhoseKeyIsSetWhileItIsBeingMadeStaysNowhere(HybridCacheEntryFlags flags)
    {
        PileHybridCache here = Machine();
        Assert.Equal("old", await here.GetOrCreateAsync("a", async token =>
        {
            await here.SetAsync("a", "new", cancellationToken: token);
            return "old";
        }, new HybridCacheEntryOptions { Flags = flags }, cancellationToken: Cancel));

        Assert.Equal("new", await PeekAsync(here, "a"));
        Assert.NotEqual("old", await PeekAsync(Machine(), "a"));
    }

    private PileHybridCache Machine(PileFactoryOptions? factory = null)
    {
        PileCache pile = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 2 << 20, TimeProvider = _clock });
        _piles.Add(pile);
        return new PileHybridCache(pile, new PileHybridCacheOptions { DistributedCache = _ => _behind, Table = new PileTableOptions { Factory = factory } }, _services);
    }

    private async Task<string?> MakeAsync(PileHybridCache cache, string key, HybridCacheEntryFlags flags = HybridCacheEntryFlags.None, string[]? tags = null) =>
        await cache.GetOrCreateAsync<string?>(key, _ => new ValueTask<string?>($"{Interlocked.Increment(ref _made)}: {key}"), new HybridCacheEntryOptions { Flags = flags }, tags, Cancel);

    private static async Task<string?> PeekAsync(PileHybridCache cache, string key) => await cache.GetOrCreateAsync<string?>(
        key, static _ => throw new InvalidOperationException(), new HybridCacheEntryOptions { Flags = HybridCacheEntryFlags.DisableUnderlyingData }, cancellationToken: Cancel);
}
