// Entries that slide within frames, in files: a read raises their time of last use in place, in a frame whose checksum makes it whole.
using System;
using System.Linq;
using Pile.Cache.Tests.Model;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class SlidingFrameTests
{
    private const int LimitBytes = 24 << 20;

    /// <summary>What only a flush without a marker behind it has made durable: a frame that is not whole would end its segment there.</summary>
    [Fact]
    public void ReadingAnEntryTakesNothingFromWhatIsCommittedBehindIt()
    {
        using var files = new SimulatedFiles();
        var first = new MappedCache(files, limitBytes: LimitBytes);
        PileTable<int, byte[]> table = Fill(first);
        PilePointer behind = first.Cache.Pile.Put("behind");
        Read(first, table);
        first.Cache.Pile.Commit();
        using SimulatedFiles cut = files.EnumerateCuts(int.MaxValue).First();
        using var second = new MappedCache(cut, first.Clock, LimitBytes);
        Assert.Equal(PileOpening.Crawled, second.Cache.Pile.RecoveryReport().Opening);
        Assert.Equal("behind", second.Cache.Pile.Get<string>(behind));
        Assert.True(second.Table<int, byte[]>().ContainsKey(1));
    }

    [Fact]
    public void ReadingAnEntryIsNoDamageToWhatAMarkerProves()
    {
        using var files = new SimulatedFiles();
        var first = new MappedCache(files, limitBytes: LimitBytes);
        PileTable<int, byte[]> table = Fill(first);
        first.Cache.Pile.Commit();
        first.Cache.Pile.Commit();
        Read(first, table);
        first.Cache.Pile.Commit();
        using SimulatedFiles cut = files.EnumerateCuts(int.MaxValue).First();
        using var second = new MappedCache(cut, first.Clock, LimitBytes);
        Assert.Empty(second.Cache.Pile.RecoveryReport().Damages);
        Assert.True(second.Table<int, byte[]>().ContainsKey(1));
    }

    [Fact]
    public void ACopyOfAPileWhoseEntriesWereReadOpens()
    {
        using var files = new SimulatedFiles();
        using var first = new MappedCache(files, limitBytes: LimitBytes);
        Read(first, Fill(first));
        _ = first.Cache.Pile.CopyTo("/copy", cancellationToken: TestContext.Current.CancellationToken);
        using ObjectPile copy = ObjectPile.Open("/copy", MappedCache.Options(files));
        Assert.Empty(copy.RecoveryReport().Damages);
        Assert.Empty(copy.Verify().Findings);
    }

    /// <summary>One entry, which owns a value of its own: both stand in one frame.</summary>
    private static PileTable<int, byte[]> Fill(MappedCache cache)
    {
        PileTable<int, byte[]> table = cache.Table<int, byte[]>(new PileTableOptions { Kind = PileTableKind.Durable });
        cache.Cache.Pile.Commit();
        table.Set(1, new byte[40_000], new PileEntryOptions { SlidingExpiration = TimeSpan.FromHours(2) });
        return table;
    }

    private static void Read(MappedCache cache, PileTable<int, byte[]> table)
    {
        cache.Clock.Move(TimeSpan.FromMinutes(5));
        Assert.True(table.TryGet(1, out _));
    }
}
