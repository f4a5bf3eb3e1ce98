using System;
using System.IO;
using System.Linq;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>Descriptors, whole by all their checks, of pages where no large object can lie: they are damage, and what is made of the pile has all the others.</summary>
[System.Runtime.Versioning.SupportedOSPlatform("linux")]
public sealed class HostileRunTests : IDisposable
{
    private const long PageWords = Limits.OsPageBytes / Limits.WordBytes;
    private readonly TemporaryDirectory _directory = new();
    private PilePointer[] _small = [];
    private PilePointer _good;
    private PilePointer _forged;

    private static PileOptions Options => PileOptions.Tiny with { MemoryLimitBytes = null, DiskLimitBytes = 64 << 20, FlushInterval = TimeSpan.FromHours(1), WritersMax = 1 };

    private static byte[] Content => [.. Enumerable.Range(0, 100_000).Select(static index => (byte)(index / 7))];

    private string Source => Path.Combine(_directory.Path, "source");

    private string Target => Path.Combine(_directory.Path, "target");

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void ACopyIsAsDamagedAsTheOriginalAndNoMore(bool isOverTheEnd)
    {
        using (ObjectPile pile = Make(isOverTheEnd))
        {
            _ = pile.CopyTo(Target, cancellationToken: TestContext.Current.CancellationToken);
        }

        foreach (string path in (string[])[Source, Target])
        {
            using ObjectPile opened = ObjectPile.Open(path, Options);
            Assert.Empty(opened.RecoveryReport().Damages);
            Assert.False(opened.TryGet(_forged, out byte[]? _, out PileStatus status));
            Assert.Equal(PileStatus.Corrupted, status);
            RequireOthers(opened);
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void ASalvageDropsIt(bool isOverTheEnd)
    {
        Make(isOverTheEnd).Dispose();
        PileSalvageReport report = PileSalvage.Run(Source, Target, cancellationToken: TestContext.Current.CancellationToken);
        Assert.Contains($"the object of slot {_forged.Slot} is lost", Assert.Single(report.Dropped).What, StringComparison.Ordinal);
        using ObjectPile target = ObjectPile.Open(Target, Options);
        Assert.Empty(target.RecoveryReport().Damages);
        Assert.False(target.TryGet(_forged, out byte[]? _));
        RequireOthers(target);
        Assert.Empty(target.Verify().Findings);
    }

    /// <summary>A pile with a large object behind the forged one, and a segment of which a salvage keeps half.</summary>
    /// <param name="isOverTheEnd">Whether the run is forged to begin in an extent of segments and to end in the pages of the other; else it is of pages of a segment.</param>
    private ObjectPile Make(bool isOverTheEnd)
    {
        ObjectPile pile = ObjectPile.Open(Source, Options);
        PilePointer[] all = [.. Enumerable.Range(0, 40).Select(index => pile.PutBytes([.. Enumerable.Repeat((byte)index, 1000)]))];
        _forged = pile.PutBytes(new byte[20_000]);
        _good = pile.PutBytes(Content);
        Assert.All(all.Where(static (_, index) => index % 2 == 0), pointer => Assert.True(pile.Delete(pointer)));
        _small = [.. all.Where(static (_, index) => index % 2 == 1)];

        FlatSpace space = pile.Core.Directory.Space;
        long location = ForgedRecord.LocationOf(pile, _forged);
        long large = LargeDescriptor.Read(space.Bytes(location, DurableRecord.HeaderBytes, LargeDescriptor.Bytes)).RunLocation;
        Assert.Equal(2, large >> Limits.ExtentShiftWords);
        long run = isOverTheEnd ? large - PageWords : pile.Core.Directory.At(ForgedRecord.LocationOf(pile, all[5])).Location + PageWords;
        int bytes = (isOverTheEnd ? 10 : 2) * Limits.OsPageBytes;
        new LargeDescriptor(run, bytes, RecordCode.Bytes, Crc32C.Compute(space.Bytes(run, 0, bytes)))
            .Write(space.Bytes(location, DurableRecord.HeaderBytes, LargeDescriptor.Bytes));
        ForgedRecord.Seal(pile, location, space.ReadWord(location));
        return pile;
    }

    private void RequireOthers(ObjectPile pile)
    {
        Assert.Equal(Content, pile.Get<byte[]>(_good));
        Assert.All(_small, (pointer, index) => Assert.Equal(Enumerable.Repeat((byte)((2 * index) + 1), 1000), pile.Get<byte[]>(pointer)));
    }
}
