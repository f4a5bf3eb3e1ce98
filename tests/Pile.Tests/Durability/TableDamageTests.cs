using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Pile.Format;
using Pile.Primitives;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>A pile that was closed in order, and whose table is not what it was when it is opened again.</summary>
public sealed class TableDamageTests : IDisposable
{
    private const int Objects = 3 * Limits.TablePageSlots;
    private readonly TemporaryDirectory _directory = new();
    private readonly List<PilePointer> _pointers = [];
    private readonly PilePointer _deleted;

    public TableDamageTests()
    {
        using ObjectPile pile = ObjectPile.Open(_directory.Path, Options);
        for (int index = 0; index < Objects; index++)
        {
            _pointers.Add(pile.PutBytes(BytesOf(index)));
        }

        _deleted = _pointers[^1];
        _pointers.RemoveAt(_pointers.Count - 1);
        pile.Delete(_deleted);
    }

    private static PileOptions Options => new() { DiskLimitBytes = 64 << 20, FlushInterval = TimeSpan.FromHours(1) };

    private string Table => Directory.GetFiles(_directory.Path, "table.*").Single();

    private string Sums => Directory.GetFiles(_directory.Path, "sums.*").Single();

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData(512)]
    [InlineData(4096)]
    [InlineData(Limits.TablePageSlots * Limits.WordBytes)]
    public void ZeroedEntriesOfACleanPileAreCorruptedNotStaleAndTheNextOpenHasThemBack(int bytes)
    {
        ulong first = 2 * Limits.TablePageSlots;
        Overwrite(Table, TableHeader.Bytes + ((long)first * Limits.WordBytes), new byte[bytes]);
        ulong end = first + ((ulong)bytes / Limits.WordBytes);
        using (ObjectPile pile = ObjectPile.Open(_directory.Path, Options))
        {
            Assert.Equal(PileOpening.Clean, pile.RecoveryReport().Opening);
            PilePointer zeroed = _pointers.Find(pointer => pointer.Slot >= first && pointer.Slot < end);
            Assert.Equal(PileStatus.Corrupted, StatusOf(pile, zeroed));
            Assert.Throws<PileCorruptedException>(() => pile.Delete(zeroed));
            Assert.Throws<PileCorruptedException>(() => pile.UpdateBytes(zeroed, [1]));
            AssertReads(pile, _pointers.FindIndex(pointer => pointer.Slot < Limits.TablePageSlots));

            // What is put meanwhile takes no slot whose generations nobody knows.
            var put = new HashSet<uint>(Enumerable.Range(0, 100).Select(_ => pile.PutBytes([7]).Slot));
            Assert.DoesNotContain(put, slot => slot >= first && slot < end);
        }

        using ObjectPile again = ObjectPile.Open(_directory.Path, Options);
        Assert.Equal(PileOpening.Crawled, again.RecoveryReport().Opening);
        AssertAllRead(again);
    }

    [Fact]
    public void EveryBitOfAnEntryIsCovered()
    {
        int index = _pointers.FindIndex(static pointer => pointer.Slot > Limits.TablePageSlots + 5);
        PilePointer pointer = _pointers[index];
        byte[] table = File.ReadAllBytes(Table);
        byte[] meta = File.ReadAllBytes(Path.Combine(_directory.Path, "pile.meta"));
        for (int bit = 0; bit < 64; bit++)
        {
            long at = TableHeader.Bytes + (pointer.Slot * (long)Limits.WordBytes) + (bit / 8);
            Overwrite(Table, at, [(byte)(table[at] ^ (1 << (bit % 8)))]);
            using (ObjectPile pile = ObjectPile.Open(_directory.Path, Options with { OpenMode = PileOpenMode.ReadOnly }))
            {
                Assert.Equal(PileStatus.Corrupted, StatusOf(pile, pointer));
            }

            Overwrite(Table, at, [table[at]]);
        }

        Assert.Equal(meta, File.ReadAllBytes(Path.Combine(_directory.Path, "pile.meta")));
        using ObjectPile again = ObjectPile.Open(_directory.Path, Options);
        Assert.Equal(PileOpening.Clean, again.RecoveryReport().Opening);
        AssertAllRead(again);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ZeroedEntriesOfLargeObjectsCostThemNoPages(bool putsMore)
    {
        var large = new List<PilePointer>();
        using (ObjectPile pile = ObjectPile.Open(_directory.Path, Options))
        {
            // Entries on a page of their own, of which the last is left alone.
            large.AddRange(Enumerable.Range(0, Limits.TablePageSlots).Select(index => pile.PutBytes(index < 20 ? LargeOf(index) : [1])));
        }

        Overwrite(Table, TableHeader.Bytes + ((long)large[0].Slot * Limits.WordBytes), new byte[20 * Limits.WordBytes]);
        using (ObjectPile pile = ObjectPile.Open(_directory.Path, Options))
        {
            // Counted, and what had been freed before the open given back to the device.
            Assert.Equal(PileStatus.Corrupted, StatusOf(pile, large[0]));
            pile.Core.WaitCounted(TestContext.Current.CancellationToken);
            pile.Durable!.Upkeep.Stop();
            Assert.Equal(Limits.TablePageSlots, pile.GetStatistics().TableDamages);
            for (int index = 0; putsMore && index < 20; index++)
            {
                using PileLease put = pile.Lease(pile.PutBytes(LargeOf(100 + index)));
                Assert.True(put.Bytes.SequenceEqual(LargeOf(100 + index)));
            }
        }

        using ObjectPile again = ObjectPile.Open(_directory.Path, Options);
        Assert.Equal(PileOpening.Crawled, again.RecoveryReport().Opening);
        for (int index = 0; index < 20; index++)
        {
            using PileLease lease = again.Lease(large[index]);
            Assert.True(lease.Bytes.SequenceEqual(LargeOf(index)));
        }

        Assert.Empty(again.Verify().Findings);
    }

    [Theory]
    [InlineData("removed")]
    [InlineData("truncated")]
    [InlineData("flipped")]
    [InlineData("header")]
    public void WithoutItsChecksumsATableIsNotBelieved(string damage)
    {
        switch (damage)
        {
            case "removed":
                File.Delete(Sums);
                break;
            case "truncated":
                File.WriteAllBytes(Sums, File.ReadAllBytes(Sums)[..^4]);
                break;
            case "flipped":
                byte[] bytes = File.ReadAllBytes(Sums);
                bytes[^9] ^= 1;
                File.WriteAllBytes(Sums, bytes);
                break;
            default:
                // A slot of the pile's own that is none.
                Overwrite(Table, TableHeader.HighWaterOffset + 16, [9]);
                break;
        }

        using ObjectPile pile = ObjectPile.Open(_directory.Path, Options);
        Assert.Equal(PileOpening.Crawled, pile.RecoveryReport().Opening);
        Assert.Contains("sums.", pile.RecoveryReport().Reason, StringComparison.Ordinal);
        Assert.Equal(damage == "removed", pile.RecoveryReport().Reason.EndsWith("is missing", StringComparison.Ordinal));
        AssertAllRead(pile);
    }

    [Fact]
    public void WritersAndReadersBesideTheRecountFindEveryPageGood()
    {
        using (ObjectPile pile = ObjectPile.Open(_directory.Path, Options))
        {
            System.Threading.Tasks.Parallel.For(0, _pointers.Count, index =>
            {
                if (index % 2 == 0)
                {
                    pile.UpdateBytes(_pointers[index], BytesOf(index));
                }

                AssertReads(pile, index);
            });
            Assert.Empty(pile.Verify().Findings);
        }

        using ObjectPile again = ObjectPile.Open(_directory.Path, Options);
        Assert.Equal(PileOpening.Clean, again.RecoveryReport().Opening);
        AssertAllRead(again);
    }

    [Fact]
    public void ATableThatIsKnownToBeDamagedIsNotCleared()
    {
        Overwrite(Table, TableHeader.Bytes + (2L * Limits.TablePageSlots * Limits.WordBytes), new byte[Limits.TablePageSlots * Limits.WordBytes]);
        using (ObjectPile pile = ObjectPile.Open(_directory.Path, Options))
        {
            Assert.Equal(PileOpening.Clean, pile.RecoveryReport().Opening);
            PileCorruptedException refused = Assert.Throws<PileCorruptedException>(pile.Clear);
            Assert.Contains("open it again", refused.Message, StringComparison.Ordinal);
            AssertReads(pile, 0);
            Assert.False(pile.PutBytes([1]).IsNull);
        }

        using ObjectPile again = ObjectPile.Open(_directory.Path, Options);
        Assert.Equal(PileOpening.Crawled, again.RecoveryReport().Opening);
        AssertAllRead(again);
        again.Clear();
        Assert.All(Enumerable.Range(0, Objects), index => Assert.False(again.PutBytes(BytesOf(index)).IsNull));
        Assert.All(_pointers, pointer => Assert.Equal(PileStatus.Stale, StatusOf(again, pointer)));
    }

    private static byte[] BytesOf(int index) => [(byte)index, (byte)(index >> 8), 3];

    private static void Overwrite(string path, long offset, byte[] bytes)
    {
        using FileStream file = File.OpenWrite(path);
        file.Position = offset;
        file.Write(bytes);
    }

    private static byte[] LargeOf(int index)
    {
        byte[] bytes = new byte[100_000];
        new Random(index).NextBytes(bytes);
        return bytes;
    }

    private static PileStatus StatusOf(ObjectPile pile, PilePointer pointer)
    {
        if (pile.TryLease(pointer, out PileLease lease, out PileStatus status))
        {
            lease.Dispose();
        }

        return status;
    }

    private void AssertReads(ObjectPile pile, int index)
    {
        using PileLease lease = pile.Lease(_pointers[index]);
        Assert.True(lease.Bytes.SequenceEqual(BytesOf(index)));
    }

    private void AssertAllRead(ObjectPile pile)
    {
        for (int index = 0; index < _pointers.Count; index++)
        {
            AssertReads(pile, index);
        }

        Assert.Equal(PileStatus.Stale, StatusOf(pile, _deleted));
    }
}
