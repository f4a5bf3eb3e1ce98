using System;
using System.Linq;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Tests.Durability;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Heap;

/// <summary>Slots that files of this size can't have: where a process was killed, and in a file of floors. A crawl's are met by <see cref="Fuzz.FoundTests"/>.</summary>
public sealed class FarSlotsTests : IDisposable
{
    private const string Path = "/pile";
    private const uint Far = 50_000_000;
    private readonly SimulatedFiles _files = new();

    public void Dispose() => _files.Dispose();

    [Fact]
    public void ARecordThatIsRolledForwardIsDamageAndMakesNoTable()
    {
        PilePointer[] pointers;
        SimulatedFiles killed;
        using (ObjectPile pile = Open(_files))
        {
            pointers = [.. Enumerable.Range(0, 10).Select(index => pile.PutBytes([(byte)index]))];
            Rewrite(pile, pointers[^1]);
            killed = _files.Fork();
        }

        using (killed)
        {
            using ObjectPile opened = Open(killed);
            PileRecoveryReport report = opened.RecoveryReport();
            Assert.Equal(PileOpening.RolledForward, report.Opening);
            Assert.Contains("50,000,000", Assert.Single(report.Damages).What, StringComparison.Ordinal);
            Assert.InRange(opened.Core.Slots.HighWater, 1u, 10_000u);
            Assert.All(pointers.SkipLast(1), pointer => _ = Assert.Single(opened.Get<byte[]>(pointer)));
            Assert.False(opened.TryLease(pointers[^1], out _));
        }
    }

    /// <summary>A file that has one such record after the other makes no list of any length.</summary>
    [Fact]
    public void ManyAreCountedAndTheFirstListed()
    {
        const int Damaged = FileLimits.DamagesListedMax + 50;
        SimulatedFiles killed;
        using (ObjectPile pile = Open(_files))
        {
            for (int index = 0; index < Damaged; index++)
            {
                Rewrite(pile, pile.PutBytes([(byte)index]));
            }

            killed = _files.Fork();
        }

        using (killed)
        {
            killed.Delete($"{Path}/{killed.List(Path).Single(static name => name.StartsWith("table.", StringComparison.Ordinal))}");
            PileCorruptedException refused = Assert.Throws<PileCorruptedException>(() => Open(killed).Dispose());
            Assert.Contains($"is damaged in {Damaged} place(s), first: segment 0, ", refused.Message, StringComparison.Ordinal);
            using ObjectPile opened = Open(killed, acceptLoss: true);
            PileRecoveryReport report = opened.RecoveryReport();
            Assert.Equal((PileOpening.Crawled, FileLimits.DamagesListedMax, Damaged - FileLimits.DamagesListedMax), (report.Opening, report.Damages.Count, (int)report.DamagesBeyond));
            Assert.EndsWith("; and 50 more", report.ToString(), StringComparison.Ordinal);
            Assert.Contains($"; damages {Damaged}: ", report.ToString(), StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData(PileOpenMode.ReadOnly, Far, false)]
    [InlineData(PileOpenMode.OpenExisting, Far, false)]
    [InlineData(PileOpenMode.OpenExisting, uint.MaxValue, false)]
    [InlineData(PileOpenMode.OpenExisting, Far, true)]
    public void AFileOfFloorsForSuchSlotsIsRefusedAndNothingIsChanged(PileOpenMode mode, uint highWater, bool acceptLoss)
    {
        using (ObjectPile pile = Open(_files))
        {
            _ = pile.PutBytes([1]);
            pile.Clear();
            _ = pile.PutBytes([2]);
        }

        _files.Delete($"{Path}/{_files.List(Path).Single(static name => name.StartsWith("table.", StringComparison.Ordinal))}");
        string floors = $"{Path}/{_files.List(Path).Single(static name => StoreNames.IsFloors(name, out _))}";
        byte[] whole = Read(floors);
        Assert.True(GenerationFloors.TryRead(whole, out GenerationFloors? read, out _));
        Write(floors, (read with { HighWater = highWater }).ToBytes());
        string[] before = [.. _files.List(Path)];
        PileCorruptedException refused = Assert.Throws<PileCorruptedException>(() => Open(_files, mode, acceptLoss).Dispose());
        Assert.Contains($"its floors file is for {highWater:N0} slots", refused.Message, StringComparison.Ordinal);
        Assert.Equal(before.Order(), _files.List(Path).Order());

        Write(floors, whole);
        using ObjectPile opened = Open(_files, mode);
        Assert.Equal(PileOpening.Crawled, opened.RecoveryReport().Opening);
        Assert.Equal(1, opened.GetStatistics().Objects);
    }

    /// <summary>Makes a record one of a slot that can't be, whole by all its checks.</summary>
    private static void Rewrite(ObjectPile pile, PilePointer pointer)
    {
        long location = ForgedRecord.LocationOf(pile, pointer);
        ForgedRecord.Seal(pile, location, (pile.Core.Directory.Space.ReadWord(location) & ~(ulong)uint.MaxValue) | Far);
    }

    private byte[] Read(string path)
    {
        using StoreFile file = _files.Open(path, FileOpening.ReadOnly);
        byte[] bytes = new byte[file.Bytes];
        file.Read(0, bytes);
        return bytes;
    }

    private void Write(string path, byte[] bytes)
    {
        using StoreFile file = _files.Open(path, FileOpening.OpenExisting);
        file.Write(0, bytes);
    }

    private static ObjectPile Open(SimulatedFiles files, PileOpenMode mode = PileOpenMode.OpenOrCreate, bool acceptLoss = false) => ObjectPile.Open(Path, PileOptions.Tiny with
    {
        Files = files,
        OpenMode = mode,
        MemoryLimitBytes = null,
        DiskLimitBytes = 2L << 30,
        SlotsMax = 1 << 26,
        AcceptLoss = acceptLoss,
        FlushInterval = TimeSpan.FromHours(1),
    });
}
