using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Pile.Format;
using Xunit;

namespace Pile.Tests.Durability.Hostile;

/// <summary>Numbers of pile.meta at the ends of what they can say, under right checksums: what goes on from one must not go round, nor make a
/// pile that can't be opened any more.</summary>
public sealed class EndOfRangeTests : IDisposable
{
    private readonly HostileDirectory _pile = new();

    public void Dispose() => _pile.Dispose();

    public static IEnumerable<TheoryDataRow<string>> Impossible => [.. Impossibles().Keys];

    [Theory]
    [MemberData(nameof(Impossible))]
    public void ANumberThatLeavesNoneToGoOnWithIsRefused(string said)
    {
        Forge(Impossibles()[said]);
        _pile.RequireRefused<PileFormatException>(_pile.FileOf("pile.meta"), said);
    }

    /// <summary>No segment can be begun any more; what is there can be read, and the pile closed and opened.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(5)]
    public void WhereSegmentNumbersAreUsedUpThePileIsFull(int left)
    {
        Forge(meta => meta with { SegmentSequenceBound = SegmentRow.SequenceMax - left });
        for (int opened = 0; opened < 2; opened++)
        {
            using ObjectPile pile = ObjectPile.Open(_pile.Path, HostileDirectory.Options with { BackgroundCleaning = false });
            PileStatus status = PileStatus.Ok;
            for (int puts = 0; status == PileStatus.Ok && puts < 1_000; puts++)
            {
                status = pile.TryPutBytes(new byte[4_000], out _);
            }

            Assert.Equal(PileStatus.Full, status);
        }
    }

    /// <summary>The number that says that there is none is passed over.</summary>
    [Fact]
    public void ByFloorsBehindTheLastNumberPointersStayStale()
    {
        Forge(static meta => meta with { FloorsFile = uint.MaxValue });
        PilePointer[] cleared;
        using (ObjectPile pile = ObjectPile.Open(_pile.Path, HostileDirectory.Options))
        {
            cleared = [.. Enumerable.Range(0, 1_000).Select(_ => pile.PutBytes([1]))];
            pile.Clear();
        }

        _pile.RemoveTable();
        using ObjectPile crawled = ObjectPile.Open(_pile.Path, HostileDirectory.Options);
        Assert.Equal(PileOpening.Crawled, crawled.RecoveryReport().Opening);
        Assert.Empty(cleared.Intersect(Enumerable.Range(0, 1_000).Select(_ => crawled.PutBytes([2]))));
    }

    /// <summary>A sparse file costs who made it nothing.</summary>
    [Fact]
    public void FloorsThatAreLongerThanAnyAreRefusedAndNotRead()
    {
        _pile.RemoveTable();
        string path = _pile.FileOf("floors");
        long whole = new FileInfo(path).Length;
        foreach (long bytes in (long[])[64L << 20, 3L << 30, 1L << 40])
        {
            SetLength(path, bytes);
            long before = GC.GetTotalAllocatedBytes();
            PileCorruptedException refused = Assert.Throws<PileCorruptedException>(() => ObjectPile.Open(_pile.Path, HostileDirectory.Options));
            Assert.Contains(path, refused.Message, StringComparison.Ordinal);
            Assert.InRange(GC.GetTotalAllocatedBytes() - before, 0, 32L << 20);
        }

        SetLength(path, whole);
        _ = _pile.RequireWhole();
    }

    private static void SetLength(string path, long bytes)
    {
        using FileStream file = File.OpenWrite(path);
        file.SetLength(bytes);
    }

    private static Dictionary<string, Func<MetaSlot, MetaSlot>> Impossibles() => new()
    {
        ["meta sequence"] = static meta => meta with { Sequence = long.MaxValue },
        ["of flush numbers"] = static meta => meta with { FlushBound = long.MaxValue },
        ["first counting sequence"] = static meta => meta with { FirstCountingSequence = meta.SegmentSequenceBound + 1 },
    };

    private void Forge(Func<MetaSlot, MetaSlot> change)
    {
        byte[] bytes = File.ReadAllBytes(_pile.FileOf("pile.meta"));
        Assert.True(MetaSlot.TryRead(bytes.AsSpan(0, MetaSlot.Bytes), out MetaSlot? slot, out _));
        change(slot).Write(bytes);
        bytes.AsSpan(0, MetaSlot.Bytes).CopyTo(bytes.AsSpan(MetaSlot.Bytes));
        using FileStream file = File.OpenWrite(_pile.FileOf("pile.meta"));
        file.Write(bytes);
    }
}
