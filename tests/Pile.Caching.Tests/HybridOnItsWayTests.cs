using System;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Caching.Hybrid;
using Pile.Cache;
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Caching.Tests;

/// <summary>Values that are on their way to the cache behind while their key is removed or set: they land there after it.</summary>
public sealed class HybridOnItsWayTests : IDisposable
{
    private readonly ManualClock _clock = new();
    private readonly FlakyCache _behind = new();
    private readonly PileCache _pile;
    private readonly PileHybridCache _cache;

    // Of the first write of the entry, and of the second read.
    private readonly TaskCompletionSource _begun = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _lands = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _landed = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _answers = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _read = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _readAnswers = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _reads;

    public HybridOnItsWayTests()
    {
        _pile = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 2 << 20, TimeProvider = _clock });
        _cache = new PileHybridCache(_pile, new PileHybridCacheOptions { DistributedCache = _ => _behind });
        _behind.Landing = call => call == "set pile:e:a" && _begun.TrySetResult() ? _lands.Task : Task.CompletedTask;
        _behind.Answering = call => call == "set pile:e:a" && _lands.Task.IsCompleted && _landed.TrySetResult() ? _answers.Task
            : call == "get pile:e:a" && Interlocked.Increment(ref _reads) == 2 && _read.TrySetResult() ? _readAnswers.Task
            : Task.CompletedTask;
    }

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose() => _pile.Dispose();

    [Theory]
    [InlineData(false, HybridCacheEntryFlags.None)]
    [InlineData(true, HybridCacheEntryFlags.None)]
    [InlineData(false, HybridCacheEntryFlags.DisableLocalCacheRead)]
    [InlineData(true, HybridCacheEntryFlags.DisableLocalCacheRead)]
    public async Task AValueThatLandsAfterItsKeyWasRemovedOrSetIsReadByNobody(bool isSet, HybridCacheEntryFlags flags)
    {
        _readAnswers.SetResult();
        Task<string> first = await LandLateAsync(isSet, flags);
        byte[] late = _behind.Entries["pile:e:a"];
        Assert.Equal("made", await MakeAsync("made"));
        _answers.SetResult();
        Assert.Equal("old", await first);
        Assert.Equal("made", await MakeAsync("made again"));

        // Nothing is under way any more: what is there is believed as it was before.
        Evict();
        _behind.Entries["pile:e:a"] = late;
        Assert.Equal("old", await MakeAsync("made again"));
    }

    [Fact]
    public async Task AnAnswerWithItThatComesWhenItIsTakenBackIsNotBelieved()
    {
        Task<string> first = await LandLateAsync(isSet: false, HybridCacheEntryFlags.None);
        Task<string> second = MakeAsync("made");
        await _read.Task.WaitAsync(Cancel);
        _answers.SetResult();
        Assert.Equal("old", await first);
        Assert.False(_behind.Entries.ContainsKey("pile:e:a"));
        _readAnswers.SetResult();
        Assert.Equal("made", await second);
    }

    [Fact]
    public async Task AnotherCacheOfTheTableThatRemovedItDoesNotBelieveItEither()
    {
        _readAnswers.SetResult();
        var other = new PileHybridCache(_pile, new PileHybridCacheOptions { DistributedCache = _ => _behind });
        Task<string> first = MakeAsync("old");
        await _begun.Task.WaitAsync(Cancel);
        _clock.Move(TimeSpan.FromSeconds(1));
        await other.RemoveAsync("a", Cancel);
        _clock.Move(TimeSpan.FromSeconds(1));
        _lands.SetResult();
        await _landed.Task.WaitAsync(Cancel);
        Assert.Equal("made", await other.GetOrCreateAsync("a", static _ => ValueTask.FromResult("made"), cancellationToken: Cancel));
        _answers.SetResult();
        Assert.Equal("old", await first);
    }

    [Theory]
    [InlineData(HybridCacheEntryFlags.None)]
    [InlineData(HybridCacheEntryFlags.DisableLocalCacheRead)]
    public async Task AValueWhoseKeyWasRemovedBeforeItIsMadeDoesNotGoThere(HybridCacheEntryFlags flags)
    {
        _lands.SetResult();
        _answers.SetResult();
        Assert.Equal("old", await _cache.GetOrCreateAsync("a", async token =>
        {
            await _cache.RemoveAsync("a", token);
            return "old";
        }, new HybridCacheEntryOptions { Flags = flags }, cancellationToken: Cancel));

        Assert.Equal(["get pile:e:a", "remove pile:e:a"], _behind.Calls);
    }

    /// <summary>Lets a value land after its key was removed or set; its call is not told yet.</summary>
    private async Task<Task<string>> LandLateAsync(bool isSet, HybridCacheEntryFlags flags)
    {
        Task<string> first = MakeAsync("old", flags);
        await _begun.Task.WaitAsync(Cancel);
        _clock.Move(TimeSpan.FromSeconds(1));
        if (isSet)
        {
            await _cache.SetAsync("a", "new", cancellationToken: Cancel);
            Evict();
        }
        else
        {
            await _cache.RemoveAsync("a", Cancel);
        }

        _clock.Move(TimeSpan.FromSeconds(1));
        _lands.SetResult();
        await _landed.Task.WaitAsync(Cancel);
        return first;
    }

    private Task<string> MakeAsync(string value, HybridCacheEntryFlags flags = HybridCacheEntryFlags.None) =>
        _cache.GetOrCreateAsync("a", _ => ValueTask.FromResult(value), new HybridCacheEntryOptions { Flags = flags }, cancellationToken: Cancel).AsTask();

    /// <summary>As any entry may be.</summary>
    private void Evict() => _pile.GetOrCreateTable<string, byte[]>("hybrid").Clear();
}
