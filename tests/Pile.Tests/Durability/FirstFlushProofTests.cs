using System;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>What was synced by a close is proven from then on, also while no flush of the next open has a proof of its own.</summary>
public sealed class FirstFlushProofTests : IDisposable
{
    private const string Path = "/pile";
    private readonly SimulatedFiles _files = new();

    public void Dispose() => _files.Dispose();

    [Fact]
    public void APowerCutAfterTheFirstFlushOfAnOpenCutsNothingThatACloseHadSynced()
    {
        PilePointer beside;
        using (ObjectPile pile = Open(_files))
        {
            PilePointer damaged = pile.PutBytes(new byte[40]);
            beside = pile.PutBytes([1, 2, 3]);
            pile.Commit();
            long location = Pile.Format.EntryWord.Location(pile.Core.Table.Read(damaged.Slot));
            pile.Core.Directory.Space.Bytes(location, Pile.Format.DurableRecord.HeaderBytes, 1).Fill(0xEE);
            pile.Commit();
        }

        using ObjectPile later = Open(_files);
        _ = later.PutBytes([5]);
        later.Commit();
        using SimulatedFiles cut = _files.PowerCut(new Random(1));

        Assert.Contains("AcceptLoss", Assert.Throws<PileCorruptedException>(() => Open(cut)).Message, StringComparison.Ordinal);
        using ObjectPile accepted = Open(cut, acceptLoss: true);
        _ = Assert.Single(accepted.RecoveryReport().Damages);
        Assert.Equal([1, 2, 3], accepted.Get<byte[]>(beside));
    }

    [Fact]
    public void APileThatHasNoSegmentYetWritesNoMarkerForIt()
    {
        for (int open = 0; open < 2; open++)
        {
            using ObjectPile pile = Open(_files);
            pile.Commit();
            pile.Commit();

            Assert.Equal(0, pile.Core.Pool.Sequences.Last);
        }
    }

    private static ObjectPile Open(SimulatedFiles files, bool acceptLoss = false) => ObjectPile.Open(Path, PileOptions.Tiny with
    {
        Files = files,
        MemoryLimitBytes = null,
        DiskLimitBytes = 8 << 20,
        WritersMax = 1,
        FlushInterval = TimeSpan.FromHours(1),
        AcceptLoss = acceptLoss,
    });
}
