using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Xunit;

namespace Pile.Tests.Format;

public sealed class MetaSlotTests
{
    private static readonly MetaSlot _slot = new()
    {
        Identity = 0x0102030405060708,
        CreatedUtcTicks = 0x1112131415161718,
        Sequence = 0x2122232425262728,
        Promise = 2,
        Tag = 200,
        IsClean = true,
        TableTrusted = false,
        RecoveryCount = 0x31323334,
        BootId = new Guid("01234567-89ab-cdef-0123-456789abcdef"),
        FilesFingerprint = 0x4142434445464748,
        ExtentRows = 77,
        SegmentBytesMin = 128 << 10,
        SegmentBytesMax = 1 << 20,
        BatchBytesMax = 0x51525354,
        SegmentSequenceBound = 0x6162636465,
        FlushBound = 0x3172737475767778,
        LastProvenFlush = 0x0182838485868788,
        TableFile = 0x91929394,
        FloorsFile = 0xA1A2A3A4,
        FirstCountingSequence = 0x4B5B6B7B8B,
        SyncFailedAboveFlush = 0x0C1C2C3C4C5C6C7C,
        LossAcceptedCount = 0xD1D2D3D4,
        SlotsMax = 0xE1E2E3E4,
        CheckpointFile = 0xF1F2F3F4,
        UncutRecoveries = 0x01020304,
        KnownLoss = 0x11121314,
        TypeNumberBound = 0x21222324,
    };

    [Fact]
    public void EveryFieldStandsWhereItIsDrawnAndComesBack()
    {
        byte[] bytes = Stored(_slot);

        Assert.Equal("PILEMETA"u8.ToArray(), bytes[..8]);
        Assert.Equal(1u, BinaryPrimitives.ReadUInt32LittleEndian(bytes.AsSpan(8)));
        Assert.All(bytes[12..40], static value => Assert.Equal(0, value));
        (int Offset, ulong Value)[] longs =
        [
            (40, _slot.Identity), (48, (ulong)_slot.CreatedUtcTicks), (56, (ulong)_slot.Sequence), (88, _slot.FilesFingerprint),
            (112, (ulong)_slot.SegmentSequenceBound), (120, (ulong)_slot.FlushBound), (128, (ulong)_slot.LastProvenFlush),
            (144, (ulong)_slot.FirstCountingSequence), (152, (ulong)_slot.SyncFailedAboveFlush),
        ];
        Assert.All(longs, field => Assert.Equal(field.Value, BinaryPrimitives.ReadUInt64LittleEndian(bytes.AsSpan(field.Offset))));
        (int Offset, uint Value)[] ints =
        [
            (68, _slot.RecoveryCount), (96, 77), (100, 128 << 10), (104, 1 << 20), (108, 0x51525354), (136, _slot.TableFile), (140, _slot.FloorsFile),
            (160, _slot.LossAcceptedCount), (164, _slot.SlotsMax), (168, _slot.CheckpointFile), (172, _slot.UncutRecoveries), (176, _slot.KnownLoss), (180, _slot.TypeNumberBound),
            (4092, Crc32C.Compute(bytes.AsSpan(0, 4092))),
        ];
        Assert.All(ints, field => Assert.Equal(field.Value, BinaryPrimitives.ReadUInt32LittleEndian(bytes.AsSpan(field.Offset))));
        Assert.Equal([2, 200, 1, 0], bytes[64..68]);
        Assert.Equal([0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF], bytes[72..88]);
        Assert.All(bytes[184..4092], static value => Assert.Equal(0, value));
        Assert.True(MetaSlot.TryRead(bytes, out MetaSlot? read, out _));
        Assert.Equal(_slot, read);
    }

    /// <summary>Whatever a file says: no more recoveries than there were.</summary>
    [Theory]
    [InlineData(5, 0, 5)]
    [InlineData(5, 2, 3)]
    [InlineData(5, uint.MaxValue, 0)]
    public void IndexesAreSoundOverTheLastRecoveriesWithoutACut(uint recoveries, uint uncut, uint since) =>
        Assert.Equal(since, new MetaSlot { RecoveryCount = recoveries, UncutRecoveries = uncut }.SoundSince);

    [Fact]
    public void EveryFlippedBitIsNoticed() => Flips.AreNoticed(Stored(_slot), Problem);

    [Fact]
    public void WritingLeavesNothingOfWhatWasThere()
    {
        byte[] bytes = new byte[MetaSlot.Bytes];
        bytes.AsSpan().Fill(0xFF);
        _slot.Write(bytes);

        Assert.Equal(Stored(_slot), bytes);
    }

    [Fact]
    public void ZerosAndForeignBytesAreNoSlot()
    {
        Assert.Contains("zeros", Problem(new byte[MetaSlot.Bytes]), StringComparison.Ordinal);
        byte[] foreign = Stored(_slot);
        foreign[0] = (byte)'X';
        HeaderBlock.Seal(foreign);
        Assert.Contains("begins with", Problem(foreign), StringComparison.Ordinal);
    }

    public static IEnumerable<TheoryDataRow<string>> Impossible => [.. Impossibles().Keys];

    [Theory]
    [MemberData(nameof(Impossible))]
    public void AValueThatCannotBeIsNamed(string name) =>
        Assert.Contains(name, Problem(Stored(Impossibles()[name])), StringComparison.Ordinal);

    [Fact]
    public void AFlagThatIsNeitherIsNamed()
    {
        byte[] bytes = Stored(_slot);
        bytes[67] = 2;
        HeaderBlock.Seal(bytes);
        Assert.Contains("flag", Problem(bytes), StringComparison.Ordinal);
    }

    [Fact]
    public void OfANewerVersionOnlyWhatEveryVersionHasIsRead()
    {
        foreach (FormatFeatures features in (FormatFeatures[])[FormatFeatures.Current with { Version = 2 }, FormatFeatures.Current with { Incompatible = 1UL << 63 }])
        {
            Assert.True(MetaSlot.TryRead(Stored(_slot with { Features = features, Tag = 5 }), out MetaSlot? read, out _));
            Assert.Equal((features, _slot.Identity, _slot.Sequence, MetaSlot.TagMin), (read.Features, read.Identity, read.Sequence, read.Tag));
        }
    }

    private static Dictionary<string, MetaSlot> Impossibles() => new()
    {
        ["meta sequence"] = _slot with { Sequence = 0 },
        ["tag 0"] = _slot with { Tag = 0 },
        ["0 rows"] = _slot with { ExtentRows = 0 },
        ["65537 rows"] = _slot with { ExtentRows = Limits.ExtentsMax + 1 },
        ["smallest segment of 65537"] = _slot with { SegmentBytesMin = 65537 },
        ["largest segment of 65536"] = _slot with { SegmentBytesMax = 65536 },
        ["largest segment of 33554432"] = _slot with { SegmentBytesMax = 32 << 20 },
        ["largest batch"] = _slot with { BatchBytesMax = -1 },
        ["segment sequences"] = _slot with { SegmentSequenceBound = 1L << 40 },
        ["meta sequence 4611686018427387905"] = _slot with { Sequence = (1L << 62) + 1 },
        ["bound 4611686018427387905 of flush"] = _slot with { FlushBound = (1L << 62) + 1 },
        ["first counting sequence 418262508646"] = _slot with { FirstCountingSequence = _slot.SegmentSequenceBound + 1 },
        ["bound -1 of flush"] = _slot with { FlushBound = -1 },
        ["last proven flush"] = _slot with { LastProvenFlush = -1 },
        ["first counting"] = _slot with { FirstCountingSequence = -1 },
        ["sync failed above flush -2"] = _slot with { SyncFailedAboveFlush = -2 },
    };

    private static byte[] Stored(MetaSlot slot)
    {
        byte[] bytes = new byte[MetaSlot.Bytes];
        slot.Write(bytes);
        return bytes;
    }

    private static string? Problem(byte[] bytes)
    {
        bool isGood = MetaSlot.TryRead(bytes, out MetaSlot? slot, out string? problem);
        Assert.Equal(isGood, slot is not null);
        Assert.Equal(isGood, problem is null);
        return problem;
    }
}
