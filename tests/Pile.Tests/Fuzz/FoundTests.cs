using System;
using System.Buffers.Binary;
using System.IO;
using System.Linq;
using Pile.Format;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Tests.Fuzz;

/// <summary>What hostile files have found once: numbers that lie under checksums that fit.</summary>
[System.Runtime.Versioning.SupportedOSPlatform("linux")]
public sealed class FoundTests : IDisposable
{
    private const string Extent = "extents/00000001";
    private const int SlotsMaxOffset = 164;
    private readonly TemporaryDirectory _directory = new();
    private readonly FuzzImage _image;

    public FoundTests()
    {
        using (ObjectPile pile = ObjectPile.Open(_directory.Path, FuzzOrigin.Options))
        {
            for (int index = 0; index < 100; index++)
            {
                pile.Roots.Set($"root {index % 3}", pile.PutBytes(new byte[index]));
            }
        }

        _image = FuzzImage.Load(_directory.Path);
    }

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void ARootThatIsTooShortIsDamageOfTheRootAlone(bool hasTable)
    {
        Assert.Contains(FuzzSegment.All(_image.Files[Extent]), static segment => segment.Rewrite(RecordCode.Root, static word => (word & uint.MaxValue) | RecordWord.Pack(0, RecordCode.Root, 4)));
        Store(hasTable);
        foreach (PileOpenMode mode in (PileOpenMode[])[PileOpenMode.ReadOnly, PileOpenMode.OpenExisting])
        {
            using ObjectPile pile = Open(mode);
            Assert.InRange(pile.Roots.Count, 1, 3);
            using var stream = new MemoryStream();
            _ = pile.Export(stream, cancellationToken: TestContext.Current.CancellationToken);
        }
    }

    [Theory]
    [InlineData(PileOpenMode.ReadOnly)]
    [InlineData(PileOpenMode.OpenExisting)]
    public void FewerSlotsThanTheLogHasAreRefused(PileOpenMode mode)
    {
        FuzzFile meta = _image.Files["pile.meta"];
        foreach (int start in (int[])[0, MetaSlot.Bytes])
        {
            byte[] slot = meta.Read(start, MetaSlot.Bytes);
            BinaryPrimitives.WriteUInt32LittleEndian(slot.AsSpan(SlotsMaxOffset), 8);
            HeaderBlock.Seal(slot);
            meta.Write(start, slot);
        }

        Store(hasTable: false);
        _ = Assert.Throws<PileFullException>(() => Open(mode).Dispose());
    }

    /// <summary>Files of this size can have no such slot: a table as long as that says would be made of one record.</summary>
    [Theory]
    [InlineData(false, PileOpenMode.ReadOnly)]
    [InlineData(false, PileOpenMode.OpenExisting)]
    [InlineData(true, PileOpenMode.OpenExisting)]
    public void ARecordOfASlotThatCantBeIsDamageAndMakesNoTable(bool isRoot, PileOpenMode mode)
    {
        using var directory = new TemporaryDirectory();
        PileOptions options = FuzzOrigin.Options with { SlotsMax = 1 << 26, DiskLimitBytes = 2L << 30 };
        PilePointer pointer;
        using (ObjectPile pile = ObjectPile.Open(directory.Path, options))
        {
            pile.Roots.Set("root", pile.PutBytes(new byte[5]));
            pointer = pile.PutBytes(new byte[6]);
        }

        FuzzImage image = FuzzImage.Load(directory.Path);
        Assert.Contains(FuzzSegment.All(image.Files[Extent]), segment => segment.Rewrite(isRoot ? RecordCode.Root : RecordCode.Bytes, static word => (word & ~(ulong)uint.MaxValue) | 50_000_000));
        _ = image.Files.Remove(image.Files.Keys.Single(static name => name.StartsWith("table.", StringComparison.Ordinal)));
        image.Store(directory.Path);
        PileCorruptedException refused = Assert.Throws<PileCorruptedException>(() => ObjectPile.Open(directory.Path, options with { OpenMode = mode }).Dispose());
        Assert.Contains("50,000,000", refused.Message, StringComparison.Ordinal);
        using ObjectPile opened = ObjectPile.Open(directory.Path, options with { OpenMode = mode, AcceptLoss = true });
        Assert.Contains("50,000,000", Assert.Single(opened.RecoveryReport().Damages).What, StringComparison.Ordinal);
        Assert.InRange(opened.Core.Slots.HighWater, 1u, 10_000u);
        Assert.Equal(6, opened.Get<byte[]>(pointer).Length);
        Assert.Equal("slot 50000000", Assert.Single(opened.Verify().Findings).Where);
    }

    private void Store(bool hasTable)
    {
        if (!hasTable)
        {
            _ = _image.Files.Remove(_image.Files.Keys.Single(static name => name.StartsWith("table.", StringComparison.Ordinal)));
        }

        _image.Store(_directory.Path);
    }

    private ObjectPile Open(PileOpenMode mode) => ObjectPile.Open(_directory.Path, FuzzOrigin.Options with { OpenMode = mode, AcceptLoss = true });
}
