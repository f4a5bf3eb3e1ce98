using System;
using System.Threading;
using System.Threading.Tasks;
using Pile.Cache;
using Xunit;

namespace Pile.Caching.Tests;

/// <summary>Calls of the HybridCache that their caller gives up while the cache behind has them: it is not known what that has.</summary>
public sealed class HybridGivenUpTests : IDisposable
{
    private readonly FlakyCache _behind = new();
    private readonly PileCache _pile = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 2 << 20 });
    private readonly PileHybridCache _cache;

    public HybridGivenUpTests() => _cache = new PileHybridCache(_pile, new PileHybridCacheOptions { DistributedCache = _ => _behind });

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose() => _pile.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task ASetThatIsGivenUpWhileTheCacheBehindHasItLeavesNothingOfBefore(bool lands)
    {
        await _cache.SetAsync("a", "old", cancellationToken: Cancel);
        byte[] old = _behind.Entries["pile:e:a"];
        using var ending = new CancellationTokenSource();
        _behind.Landing = async _ =>
        {
            await ending.CancelAsync();
            if (!lands)
            {
                ending.Token.ThrowIfCancellationRequested();
            }
        };
        _behind.Answering = _ => ending.IsCancellationRequested ? Task.FromCanceled(ending.Token) : Task.CompletedTask;
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await _cache.SetAsync("a", "new", cancellationToken: ending.Token));
        Assert.Equal(lands, !old.AsSpan().SequenceEqual(_behind.Entries["pile:e:a"]));
        _behind.Landing = static _ => Task.CompletedTask;
        _behind.Answering = static _ => Task.CompletedTask;
        Assert.Equal("made", await _cache.GetOrCreateAsync("a", static _ => ValueTask.FromResult("made"), cancellationToken: Cancel));
    }

    [Fact]
    public async Task ASetOfAValueThatCanNotBeWrittenLeavesTheOneOfBefore()
    {
        await _cache.SetAsync("a", "old", cancellationToken: Cancel);
        var circle = new Circle();
        circle.Next = circle;
        await Assert.ThrowsAnyAsync<Exception>(async () => await _cache.SetAsync("a", circle, cancellationToken: Cancel));
        Assert.Equal("old", await _cache.GetOrCreateAsync("a", static _ => ValueTask.FromResult("made"), cancellationToken: Cancel));
    }

    private sealed class Circle
    {
        public Circle? Next { get; set; }
    }
}
