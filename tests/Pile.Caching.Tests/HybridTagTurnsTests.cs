using System;
using System.Collections.Concurrent;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Pile.Cache;
using Xunit;

namespace Pile.Caching.Tests;

/// <summary>Removals by tag while the cache behind is silent.</summary>
public sealed class HybridTagTurnsTests : IDisposable
{
    private static readonly TimeSpan _long = TimeSpan.FromMinutes(1);
    private readonly FlakyCache _behind = new();
    private readonly PileCache _pile = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 2 << 20 });
    private readonly TaskCompletionSource _lands = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly PileHybridCache _cache;

    public HybridTagTurnsTests() => _cache = new PileHybridCache(_pile, new PileHybridCacheOptions { DistributedCache = _ => _behind });

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose() => _pile.Dispose();

    [Fact]
    public async Task HoweverManyRemoveATagNobodyWaitsForMoreThanTwoNotes()
    {
        _behind.Landing = call => call == "set pile:t:x" ? _lands.Task : Task.CompletedTask;
        Task[] removals = [.. Enumerable.Range(0, 24).Select(_ => _cache.RemoveByTagAsync("x", Cancel).AsTask())];
        Assert.DoesNotContain(removals, static removal => removal.IsCompleted);

        // Another tag has a turn of its own.
        foreach (string tag in Enumerable.Range(0, 24).Select(static number => $"tag {number}"))
        {
            await _cache.RemoveByTagAsync(tag, Cancel).AsTask().WaitAsync(_long, Cancel);
        }

        _lands.SetResult();
        await Task.WhenAll(removals).WaitAsync(_long, Cancel);
        Assert.Equal(2, _behind.Calls.Count(static call => call.StartsWith("set pile:t:x ", StringComparison.Ordinal)));
        await _cache.RemoveByTagAsync("x", Cancel);
        Assert.Equal(3, _behind.Calls.Count(static call => call.StartsWith("set pile:t:x ", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task WhatIsHereGoesBeforeTheNoteIsThere()
    {
        await _cache.SetAsync("a", "old", tags: ["x"], cancellationToken: Cancel);
        _behind.Landing = call => call == "set pile:t:x" ? _lands.Task : Task.CompletedTask;
        using var gone = new CancellationTokenSource();
        Task removal = _cache.RemoveByTagAsync("x", gone.Token).AsTask();
        Assert.Equal("made", await _cache.GetOrCreateAsync("a", static _ => ValueTask.FromResult("made"), cancellationToken: Cancel));

        // Who gives it up leaves the note under way.
        await gone.CancelAsync();
        _ = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => removal.WaitAsync(_long, Cancel));
        Assert.DoesNotContain("pile:t:x", _behind.Entries.Keys);
        _lands.SetResult();
        await _cache.RemoveByTagAsync("x", Cancel).AsTask().WaitAsync(_long, Cancel);
        Assert.Contains("pile:t:x", _behind.Entries.Keys);
    }

    /// <summary>A cache that is silent for ever, whatever it is told, keeps a tag from being removed for half a minute and no longer.</summary>
    [Fact]
    public async Task ANoteThatNeverEndsCountsAsFailedAfterItsTime()
    {
        var clock = new DueClock();
        using PileCache pile = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 2 << 20, TimeProvider = clock });
        var cache = new PileHybridCache(pile, new PileHybridCacheOptions { DistributedCache = _ => _behind });
        _behind.Landing = call => call == "set pile:t:x" ? _lands.Task : Task.CompletedTask;
        Task first = cache.RemoveByTagAsync("x", Cancel).AsTask();
        Task second = cache.RemoveByTagAsync("x", Cancel).AsTask();
        _behind.Landing = static _ => Task.CompletedTask;
        clock.Come(CachingLimits.TagNoteWait);
        await Task.WhenAll(first, second).WaitAsync(_long, Cancel);
        Assert.Contains("pile:t:x", _behind.Entries.Keys);
        _lands.SetResult();
    }

    [Fact]
    public async Task AFailedNoteEndsAllWhoHavePartInIt()
    {
        _behind.Fails = static call => call.StartsWith("set pile:t:x", StringComparison.Ordinal);
        await Task.WhenAll(Enumerable.Range(0, 24).Select(_ => _cache.RemoveByTagAsync("x", Cancel).AsTask())).WaitAsync(_long, Cancel);
        await _cache.SetAsync("a", "new", tags: ["x"], cancellationToken: Cancel);
        Assert.Equal("new", await _cache.GetOrCreateAsync("a", static _ => ValueTask.FromResult("made"), cancellationToken: Cancel));
    }

    /// <summary>A clock whose timers come when a test says so.</summary>
    private sealed class DueClock : TimeProvider
    {
        private readonly ConcurrentQueue<(TimeSpan Due, Action Come)> _timers = new();

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            _timers.Enqueue((dueTime, () => callback(state)));
            return new Never();
        }

        internal void Come(TimeSpan due)
        {
            foreach ((TimeSpan Due, Action Come) timer in _timers.Where(timer => timer.Due == due))
            {
                timer.Come();
            }
        }

        private sealed class Never : ITimer
        {
            public bool Change(TimeSpan dueTime, TimeSpan period) => true;

            public void Dispose()
            {
            }

            public ValueTask DisposeAsync() => ValueTask.CompletedTask;
        }
    }
}
