using System;
using System.Linq;
using Pile.Format;
using Pile.Heap;
using Pile.Primitives;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>Damage of what a process stored last before it was killed: in the log it looks like its end, but the table leads there.</summary>
public sealed class LastRecordDamageTests : IDisposable
{
    private const string Path = "/pile";
    private readonly SimulatedFiles _files = new();

    public void Dispose() => _files.Dispose();

    [Theory]
    [InlineData(PilePromise.PowerSafe, 1)]
    [InlineData(PilePromise.ProcessSafe, 1)]
    [InlineData(PilePromise.ProcessSafe, 3)]
    public void AnObjectIsToldToBeLostAndItsPointerGoesToNoOther(PilePromise promise, int damaged)
    {
        PilePointer[] pointers;
        using SimulatedFiles killed = Fill();
        using (ObjectPile rolled = Open(killed, promise))
        {
            Assert.Equal(PileOpening.RolledForward, rolled.RecoveryReport().Opening);
            Assert.False(rolled.TryLease(pointers[^1], out _, out PileStatus status));
            Assert.Equal(PileStatus.Corrupted, status);
        }

        _ = Assert.Throws<PileCorruptedException>(() => Open(killed, promise));
        using ObjectPile crawled = Open(killed, promise, acceptLoss: true);
        Assert.All(pointers.SkipLast(damaged), pointer => Assert.Equal(4, crawled.Get<byte[]>(pointer).Length));
        PilePointer[] put = [.. Enumerable.Range(0, 1000).Select(_ => crawled.PutBytes([1]))];
        Assert.Empty(put.Intersect(pointers));

        SimulatedFiles Fill()
        {
            using ObjectPile pile = Open(_files, promise);
            pointers = [.. Enumerable.Range(0, 100).Select(index => pile.PutBytes([(byte)index, 2, 3, 4]))];
            foreach (PilePointer pointer in pointers[^damaged..])
            {
                Damage(pile, pointer);
            }

            return _files.Fork();
        }
    }

    /// <summary>What is there without the tombstone is the object.</summary>
    [Fact]
    public void ADeletedObjectDoesNotComeBackUntold()
    {
        using SimulatedFiles killed = Fill();
        Open(killed, PilePromise.ProcessSafe).Dispose();
        _ = Assert.Throws<PileCorruptedException>(() => Open(killed, PilePromise.ProcessSafe));
        using ObjectPile crawled = Open(killed, PilePromise.ProcessSafe, acceptLoss: true);
        Assert.NotEmpty(crawled.RecoveryReport().Damages);

        SimulatedFiles Fill()
        {
            using ObjectPile pile = Open(_files, PilePromise.ProcessSafe);
            PilePointer deleted = pile.PutBytes([1]);
            Assert.True(pile.Delete(deleted));
            Damage(pile, deleted);
            return _files.Fork();
        }
    }

    /// <summary>The count after the open is what finds it. A large pile may be closed, or killed once more, before that has come to the end.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ItIsToldByALaterOpenWhereTheCountCameToNoEnd(bool isKilled)
    {
        PilePointer[] pointers;
        using SimulatedFiles killed = Fill();
        DurableHeap uncounted = DurableOpen.Run(Path, Options(killed, PilePromise.ProcessSafe), progress: null, TestContext.Current.CancellationToken);
        Assert.Equal(PileOpening.RolledForward, uncounted.Report.Opening);
        using SimulatedFiles? again = isKilled ? killed.Fork() : null;
        SimulatedFiles next = again ?? killed;
        uncounted.Core.Dispose();
        using (ObjectPile counted = Open(next, PilePromise.ProcessSafe))
        {
            Assert.Equal(isKilled ? PileOpening.RolledForward : PileOpening.Clean, counted.RecoveryReport().Opening);
            counted.Durable!.Core.WaitCounted(TestContext.Current.CancellationToken);
            Assert.False(counted.TryLease(pointers[^1], out _, out PileStatus status));
            Assert.Equal(PileStatus.Corrupted, status);
        }

        _ = Assert.Throws<PileCorruptedException>(() => Open(next, PilePromise.ProcessSafe));
        using ObjectPile crawled = Open(next, PilePromise.ProcessSafe, acceptLoss: true);
        PilePointer[] put = [.. Enumerable.Range(0, 10_000).Select(_ => crawled.PutBytes([1]))];
        Assert.Empty(put.Intersect(pointers));
        SimulatedFiles Fill()
        {
            using ObjectPile pile = Open(_files, PilePromise.ProcessSafe);
            pointers = [.. Enumerable.Range(0, 2 * FileLimits.RecountSlots).Select(index => pile.PutBytes([(byte)index, 2, 3, 4]))];
            Damage(pile, pointers[^1]);
            return _files.Fork();
        }
    }

    private static void Damage(ObjectPile pile, PilePointer pointer) =>
        pile.Core.Directory.Space.Bytes(EntryWord.Location(pile.Core.Table.Read(pointer.Slot)), 0, 1)[0] ^= 4;

    private static ObjectPile Open(SimulatedFiles files, PilePromise promise, bool acceptLoss = false) =>
        ObjectPile.Open(Path, Options(files, promise) with { AcceptLoss = acceptLoss });

    private static PileOptions Options(SimulatedFiles files, PilePromise promise) => PileOptions.Tiny with
    {
        Files = files,
        MemoryLimitBytes = null,
        DiskLimitBytes = 8 << 20,
        Promise = promise,
        FlushInterval = TimeSpan.FromHours(1),
    };
}
