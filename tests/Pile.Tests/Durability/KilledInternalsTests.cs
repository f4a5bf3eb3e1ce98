using System;
using System.Buffers.Binary;
using System.IO;
using System.Linq;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Tests.Durability.Cuts;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>A pile whose process was killed, and what its table's header lists of the pile's own records: no checksum of a close covers it.</summary>
public sealed class KilledInternalsTests : IDisposable
{
    private readonly SimulatedFiles _killed;
    private readonly PilePointer _first;
    private readonly PilePointer _second;

    public KilledInternalsTests()
    {
        using var files = new SimulatedFiles();
        using ObjectPile pile = CutLife.Open(files);
        _first = pile.Put(new First(1, "one"));
        pile.Roots.Set("first", _first);
        _second = pile.Put(new Second("two"));
        pile.Roots.Set("second", _second);
        _killed = files.Fork();
    }

    public void Dispose() => _killed.Dispose();

    [Fact]
    public void WhateverBitOfTheListIsFlippedAllRootsAndObjectsAreThere()
    {
        int listed = TableFile.InternalsIn(HeaderOf(_killed)).Count();
        Assert.Equal(4, listed);
        for (int bit = 0; bit < (1 + listed) * 64; bit++)
        {
            int at = TableHeader.InternalsOffset + (bit / 8);
            AssertWholeAndListedAnew(at, [(byte)(HeaderOf(_killed)[at] ^ (1 << (bit % 8)))]);
        }
    }

    [Theory]
    [InlineData(8)]
    [InlineData(16)]
    [InlineData(2040)]
    public void OfAListThatReadsAsZerosAllRootsAndObjectsAreThere(int bytes) => AssertWholeAndListedAnew(TableHeader.InternalsOffset, new byte[bytes]);

    /// <summary>It stored the count as a whole word, and so it does when it adds to a list that has a checksum.</summary>
    [Fact]
    public void AListOfAnOlderVersionIsNotBelievedAndMadeAnew() => AssertWholeAndListedAnew(TableHeader.InternalsOffset + 4, new byte[4]);

    [Fact]
    public void AListThatRemovedRootsHaveFilledIsShortAgainAfterTheNextOpen()
    {
        SimulatedFiles killed;
        using (ObjectPile pile = CutLife.Open(_killed))
        {
            for (int turn = 0; turn < 300; turn++)
            {
                pile.Roots.Set("removed", _first);
                Assert.True(pile.Roots.Remove("removed"));
            }

            killed = _killed.Fork();
        }

        using (killed)
        {
            Assert.True(BinaryPrimitives.ReadUInt32LittleEndian(HeaderOf(killed).AsSpan(TableHeader.InternalsOffset)) > 254);
            AssertWhole(killed, PileOpening.RolledForward);
            AssertIsListed(killed);
        }
    }

    private void AssertWholeAndListedAnew(int offset, byte[] bytes)
    {
        using SimulatedFiles damaged = _killed.Fork();
        using (StoreFile table = TableOf(damaged))
        {
            table.Write(offset, bytes);
        }

        AssertWhole(damaged, PileOpening.RolledForward);
        AssertIsListed(damaged);
        AssertWhole(damaged, PileOpening.Clean);
    }

    private void AssertWhole(SimulatedFiles files, PileOpening opening)
    {
        using ObjectPile pile = CutLife.Open(files);
        Assert.Equal(opening, pile.RecoveryReport().Opening);
        Assert.Empty(pile.RecoveryReport().Damages);
        Assert.Equal(["first", "second"], pile.Roots.Names.Order(StringComparer.Ordinal));
        Assert.True(pile.Roots.TryGet("first", out PilePointer first) && first == _first);
        Assert.True(pile.Roots.TryGet("second", out PilePointer second) && second == _second);
        Assert.Equal(new First(1, "one"), pile.Get<First>(first));
        Assert.Equal(new Second("two"), pile.Get<Second>(second));
        Assert.Empty(pile.Verify().Findings);
    }

    /// <summary>As docs/FORMAT.md draws it: two schemas and two roots.</summary>
    private static void AssertIsListed(SimulatedFiles files)
    {
        byte[] header = HeaderOf(files);
        Assert.Equal(4u, BinaryPrimitives.ReadUInt32LittleEndian(header.AsSpan(2056)));
        Assert.Equal(Crc32C.Compute(header.AsSpan(2064, 4 * 8), 0x5453_494C), BinaryPrimitives.ReadUInt32LittleEndian(header.AsSpan(2060)));
    }

    private static byte[] HeaderOf(SimulatedFiles files)
    {
        using StoreFile table = TableOf(files);
        byte[] header = new byte[TableHeader.Bytes];
        table.Read(0, header);
        return header;
    }

    private static StoreFile TableOf(SimulatedFiles files) => files.Open(Path.Combine(CutLife.Directory, StoreNames.OfTable(1)), FileOpening.OpenExisting);

    private sealed record First(int Number, string Name);

    private sealed record Second(string Name);
}
