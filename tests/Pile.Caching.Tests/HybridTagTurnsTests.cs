using System;
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

    [Fact]
    public async Task AFailedNoteEndsAllWhoHavePartInIt()
    {
        _behind.Fails = static call => call.StartsWith("set pile:t:x", StringComparison.Ordinal);
        await Task.WhenAll(Enumerable.Range(0, 24).Select(_ => _cache.RemoveByTagAsync("x", Cancel).AsTask())).WaitAsync(_long, Cancel);
        await _cache.SetAsync("a", "new", tags: ["x"], cancellationToken: Cancel);
        Assert.Equal("new", await _cache.GetOrCreateAsync("a", static _ => ValueTask.FromResult("made"), cancellationToken: Cancel));
    }
}
