using System;
using Pile.Cache;
using Pile.Server.Watching;
using Xunit;

namespace Pile.Server.Tests.Watching;

/// <summary>The watches of a table where one can't begin.</summary>
public sealed class TableWatchesTests
{
    [Fact]
    public void AWatchThatCanNotBeginLeavesNothingOfItsTable()
    {
        using PileCache cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 16 << 20, BackgroundCleaning = false });
        PileTable<byte[], byte[]> entries = cache.GetOrCreateTable<byte[], byte[]>("t");
        var room = new WatchRoom();
        PileWatch<byte[]>? kept = null;
        int begun = 0;
        var watches = new TableWatches(room, options => ++begun == 2 ? throw new InsufficientMemoryException() : kept ??= entries.Watch(options));

        _ = Assert.Throws<InsufficientMemoryException>(() => watches.Begin(null));

        Assert.Equal(0, room.TakenBytes);
        Assert.True(kept!.Completion.IsCompleted);

        kept = null;
        PileWatch<byte[]> first = watches.Begin(null);
        Assert.Equal(ServerLimits.WatchTableBytes, room.TakenBytes);
        watches.End(first);
        watches.EndAll();
        Assert.Equal(0, room.TakenBytes);
    }

    [Fact]
    public void AWatchThatCanNotBeginLeavesWhatOthersWatch()
    {
        using PileCache cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 16 << 20, BackgroundCleaning = false });
        PileTable<byte[], byte[]> entries = cache.GetOrCreateTable<byte[], byte[]>("t");
        var room = new WatchRoom();
        int begun = 0;
        var watches = new TableWatches(room, options => ++begun == 3 ? throw new InsufficientMemoryException() : entries.Watch(options));
        PileWatch<byte[]> first = watches.Begin(null);

        _ = Assert.Throws<InsufficientMemoryException>(() => watches.Begin(null));

        Assert.Equal(ServerLimits.WatchTableBytes, room.TakenBytes);
        Assert.True(entries.Set([1], [2]).IsStored);
        Assert.True(first.TryRead(out PileTableEvent<byte[]> told));
        Assert.Equal(PileEventKinds.Inserted, told.Kind);
        watches.End(first);
        watches.EndAll();
        Assert.Equal(0, room.TakenBytes);
    }
}
