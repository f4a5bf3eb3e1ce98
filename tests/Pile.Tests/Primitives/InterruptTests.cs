using System;
using System.Threading;
using Pile.Persistence;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Primitives;

/// <summary>Calls whose waits an interrupt must not end, because it would leave something half done.</summary>
public sealed class InterruptTests : IDisposable
{
    private const string Path = "/pile";
    private static readonly TimeSpan _long = TimeSpan.FromSeconds(60);
    private readonly SimulatedFiles _files = new();

    public void Dispose() => _files.Dispose();

    [Fact]
    public void APutThatIsInterruptedWhereItStartsTheKeeperKeepsItsSegment()
    {
        using ObjectPile pile = ObjectPile.Create(PileOptions.Tiny with { WritersMax = 1, BackgroundCleaning = true });
        AssertToldLater(pile.Core.Keeper.Gate, () =>
        {
            for (int put = 0; put < 400; put++)
            {
                _ = pile.PutBytes(new byte[1000]);
            }
        });
        Assert.Equal(400, pile.GetStatistics().Objects);
        AssertGood(pile);
    }

    [Fact]
    public void ARootWhoseSetterIsInterruptedWhereItsSlotIsListedIsThere()
    {
        using ObjectPile pile = Open();
        PilePointer pointer = pile.PutBytes([1]);
        AssertToldLater(((TableFile)pile.Core.NoteInternal.Target!).Gate, () => pile.Roots.Set("a", pointer));
        Assert.Equal(["a"], pile.Roots.Names);
        AssertGood(pile);
    }

    [Fact]
    public void APageOfTheTableIsComparedByAThreadThatIsInterrupted()
    {
        using ObjectPile pile = Open();
        _ = pile.PutBytes([1]);
        var table = (TableFile)pile.Core.NoteInternal.Target!;
        var sums = new TableSums(pile.Core.Table.Entries, TableSums.Of(pile.Core.Table.Entries, table, pile.Core.Log.Identity));
        bool isGood = false;
        AssertToldLater(sums.Gate, () => isGood = sums.IsPageGood(1));
        Assert.True(isGood);
    }

    [Fact]
    public void AWaitForReadersIsNotEnded()
    {
        using ObjectPile pile = ObjectPile.Create(PileOptions.Tiny);
        PilePointer pointer = pile.PutBytes([1]);
        bool hasPassed = false;
        Interrupted.AssertToldLater(
            work =>
            {
                using PileLease lease = pile.Lease(pointer);
                work();
            },
            () => hasPassed = pile.Core.Epochs.WaitPassed(pile.Core.Epochs.Advance(), (int)_long.TotalMilliseconds));
        Assert.True(hasPassed);
    }

    [Fact]
    public void ADisposeThatIsInterruptedClosesThePile()
    {
        ObjectPile pile = Open();
        PilePointer pointer = pile.PutBytes([1]);
        Interrupted.AssertToldLater(
            work =>
            {
                using PileLease lease = pile.Lease(pointer);
                work();
            },
            pile.Dispose);
        using ObjectPile again = Open();
        Assert.Equal(PileOpening.Clean, again.RecoveryReport().Opening);
        Assert.Equal([1], again.Get<byte[]>(pointer));
    }

    private ObjectPile Open() => ObjectPile.Open(Path, PileOptions.Tiny with { Files = _files, MemoryLimitBytes = null, DiskLimitBytes = 8 << 20, DisposeWait = _long });

    private static void AssertGood(ObjectPile pile)
    {
        PileVerifyReport report = pile.Verify();
        Assert.True(report.IsGood, string.Join("; ", report.Findings));
    }

    private static void AssertToldLater(Lock gate, Action call) => Interrupted.AssertToldLater(
        work =>
        {
            lock (gate)
            {
                work();
            }
        },
        call);
}
