using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Segments;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>A segment that the cleaner took out of use because something in it is no record: whatever else it holds lives on, through
/// every kind of open and in copies, and what is damaged is named.</summary>
public sealed class QuarantineTests : IDisposable
{
    private const string Path = "/pile";
    private const int Objects = 4000;
    private readonly SimulatedFiles _files = new();
    private readonly List<PilePointer> _pointers = [];
    private readonly ObjectPile _pile;
    private readonly PilePointer _large;
    private readonly int _damaged;

    public QuarantineTests()
    {
        _pile = Open(_files);
        for (int index = 0; index < 400; index++)
        {
            _pointers.Add(_pile.PutBytes(BytesOf(index)));
        }

        _large = _pile.PutBytes(new byte[50_000]);
        for (int index = 400; index < Objects; index++)
        {
            _pointers.Add(_pile.PutBytes(BytesOf(index)));
        }

        // Something in the large object's segment, before it, and a good deal of garbage beside it.
        Segment victim = SegmentOf(_large);
        int[] inside = [.. Enumerable.Range(0, Objects).Where(index => SegmentOf(_pointers[index]) == victim)];
        _damaged = inside[0];
        foreach (int index in inside.Where(index => index % 4 == 1 && index != _damaged))
        {
            _pile.Delete(_pointers[index]);
            _pointers[index] = default;
        }

        _pile.Commit();
        _pile.Core.Directory.Space.Bytes(LocationOf(_pointers[_damaged]), 4, 4).Fill(0xEE);
        _ = _pile.Compact();
        Assert.Equal(SegmentState.Quarantined, victim.State);
        Assert.Equal(1, _pile.GetStatistics().QuarantinedSegments);
        _pile.Commit();
    }

    public void Dispose()
    {
        _pile.Dispose();
        _files.Dispose();
    }

    [Fact]
    public void AfterAPowerCutNothingElseIsLostAndTheDamageIsNamed()
    {
        using SimulatedFiles cut = _files.PowerCut(new Random(1));
        PileCorruptedException refused = Assert.Throws<PileCorruptedException>(() => Open(cut));
        Assert.Contains("AcceptLoss", refused.Message, StringComparison.Ordinal);
        for (int opened = 0; opened < 2; opened++)
        {
            using (ObjectPile pile = Open(cut, acceptLoss: true))
            {
                Assert.Equal(opened == 0 ? PileOpening.Crawled : PileOpening.Clean, pile.RecoveryReport().Opening);
                Assert.Equal(opened == 0 ? 1 : 0, pile.RecoveryReport().Damages.Count);
                Assert.Equal(1, pile.GetStatistics().QuarantinedSegments);
                RequireOthers(pile);
                Assert.Equal(PileStatus.Stale, StatusOf(pile));
            }
        }
    }

    [Fact]
    public void AfterAKillItIsAsItWasAndAfterACloseTheDamageIsNamed()
    {
        using SimulatedFiles killed = _files.Fork();
        using (ObjectPile pile = Open(killed))
        {
            Assert.Empty(pile.RecoveryReport().Damages);
            Assert.Equal(1, pile.GetStatistics().QuarantinedSegments);
            RequireOthers(pile);
            Assert.Equal(PileStatus.Corrupted, StatusOf(pile));
        }

        // Who closed it had met an entry without its record.
        Assert.Contains("AcceptLoss", Assert.Throws<PileCorruptedException>(() => Open(killed)).Message, StringComparison.Ordinal);
        using ObjectPile closed = Open(killed, acceptLoss: true);
        Assert.Equal(PileOpening.Crawled, closed.RecoveryReport().Opening);
        _ = Assert.Single(closed.RecoveryReport().Damages);
        RequireOthers(closed);
    }

    [Fact]
    public void ACopyHoldsEverythingElseAndNamesTheDamage()
    {
        PileCopyReport report = _pile.CopyTo("/copy", cancellationToken: TestContext.Current.CancellationToken);
        Assert.Equal(1, report.LargeObjects);
        Assert.Contains("AcceptLoss", Assert.Throws<PileCorruptedException>(() => Open(_files, "/copy")).Message, StringComparison.Ordinal);
        using ObjectPile copy = Open(_files, "/copy", acceptLoss: true);
        _ = Assert.Single(copy.RecoveryReport().Damages);
        Assert.Equal(1, copy.GetStatistics().QuarantinedSegments);
        RequireOthers(copy);
    }

    [Fact]
    public void AfterFurtherPowerCutsNothingElseIsLost()
    {
        using SimulatedFiles cut = _files.PowerCut(new Random(2));
        Segment victim = SegmentOf(_large);
        using (ObjectPile pile = Open(cut, acceptLoss: true))
        {
            _ = pile.PutBytes([1, 2, 3]);
            pile.Commit();
        }

        using SimulatedFiles again = cut.PowerCut(new Random(3));
        foreach (string name in again.List(Path).Where(static name => name.StartsWith("table", StringComparison.Ordinal)))
        {
            again.Delete($"{Path}/{name}");
        }

        using ObjectPile crawled = Open(again, acceptLoss: true);
        Assert.Equal(PileOpening.Crawled, crawled.RecoveryReport().Opening);
        Assert.Equal(SegmentState.Quarantined, crawled.Core.Directory[victim.Index].State);
        RequireOthers(crawled);
    }

    private static byte[] BytesOf(int index) => [.. Enumerable.Range(0, 20 + (index % 30)).Select(at => (byte)(index + at))];

    private static ObjectPile Open(SimulatedFiles files, string path = Path, bool acceptLoss = false) => ObjectPile.Open(path, PileOptions.Tiny with
    {
        Files = files,
        MemoryLimitBytes = null,
        DiskLimitBytes = 8 << 20,
        WritersMax = 1,
        FlushInterval = TimeSpan.FromHours(1),
        AcceptLoss = acceptLoss,
    });

    private static PileStatus StatusOf(ObjectPile pile, PilePointer pointer)
    {
        _ = pile.TryLease(pointer, out PileLease lease, out PileStatus status);
        lease.Dispose();
        return status;
    }

    private PileStatus StatusOf(ObjectPile pile) => StatusOf(pile, _pointers[_damaged]);

    private void RequireOthers(ObjectPile pile)
    {
        for (int index = 0; index < _pointers.Count; index++)
        {
            if (index != _damaged && _pointers[index] != default)
            {
                using PileLease lease = pile.Lease(_pointers[index]);
                Assert.True(lease.Bytes.SequenceEqual(BytesOf(index)), $"object {index}");
            }
        }

        using PileLease large = pile.Lease(_large);
        Assert.Equal(50_000, large.Bytes.Length);
    }

    private long LocationOf(PilePointer pointer) => Pile.Format.EntryWord.Location(_pile.Core.Table.Read(pointer.Slot));

    private Segment SegmentOf(PilePointer pointer) => _pile.Core.Directory.At(LocationOf(pointer));
}
