// One of the two slots of pile.meta: what a mapped pile must know before it looks at any other file. 4096 bytes.
// The slot of the greatest sequence holds; MetaFile says which is written next. The order of the calls below is the layout.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Numerics;
using Pile.Primitives;

namespace Pile.Format;

/// <summary>Content of a meta slot. Changed copies are made by <c>with</c>.</summary>
internal sealed record MetaSlot
{
    internal const int Bytes = HeaderBlock.Bytes;

    /// <summary>The least tag of a mapped pile, unless it was imported from one in memory.</summary>
    internal const byte TagMin = 128;

    // Far from where a number goes round: what goes on from it has enough for ever.
    private const long NumberMax = 1L << 62;

    private const ulong Magic = 0x4154_454D_454C_4950; // "PILEMETA"

    /// <summary>Format version and features.</summary>
    internal FormatFeatures Features { get; init; } = FormatFeatures.Current;

    /// <summary>Random identity of the pile: salts every check, and is the same in all of its files.</summary>
    internal ulong Identity { get; init; }

    /// <summary>When it was created, in UTC ticks.</summary>
    internal long CreatedUtcTicks { get; init; }

    /// <summary>Counts the writes of meta, from 1.</summary>
    internal long Sequence { get; init; }

    /// <summary>The promise it was created with.</summary>
    internal byte Promise { get; init; }

    /// <summary>The tag of its pointers, 128 to 255; of a pile imported from one in memory from 1 on.</summary>
    internal byte Tag { get; init; } = TagMin;

    /// <summary>Whether it was closed in order, and nothing was stored since.</summary>
    internal bool IsClean { get; init; }

    /// <summary>Whether the table may be believed in the same boot, over the same files.</summary>
    internal bool TableTrusted { get; init; }

    /// <summary>How often the table was built from the log, and what was counted besides (R8).</summary>
    internal uint RecoveryCount { get; init; }

    /// <summary>The boot in which the table was trusted.</summary>
    internal Guid BootId { get; init; }

    /// <summary>Over device and inode of all files, when the table was trusted.</summary>
    internal ulong FilesFingerprint { get; init; }

    /// <summary>The next free row of flat space, at least 1: extent files of this row and above do not count.</summary>
    internal int ExtentRows { get; init; } = 1;

    /// <summary>Smallest segment.</summary>
    internal int SegmentBytesMin { get; init; } = Limits.SegmentBytesMin;

    /// <summary>Largest segment.</summary>
    internal int SegmentBytesMax { get; init; } = Limits.SegmentBytesMax;

    /// <summary>Largest batch.</summary>
    internal int BatchBytesMax { get; init; }

    /// <summary>Segment sequences from here on were never used.</summary>
    internal long SegmentSequenceBound { get; init; }

    /// <summary>Flush numbers from here on were never used.</summary>
    internal long FlushBound { get; init; }

    /// <summary>The last flush known to be complete.</summary>
    internal long LastProvenFlush { get; init; }

    /// <summary>Number of the table file, 0 for none.</summary>
    internal uint TableFile { get; init; }

    /// <summary>Number of the file of generation floors, 0 for none.</summary>
    internal uint FloorsFile { get; init; }

    /// <summary>Segments of lower sequence were cleared.</summary>
    internal long FirstCountingSequence { get; init; }

    /// <summary>The flush above which a sync failed, -1 for none.</summary>
    internal long SyncFailedAboveFlush { get; init; } = -1;

    /// <summary>How often a loss was accepted.</summary>
    internal uint LossAcceptedCount { get; init; }

    /// <summary>The most slots, as it was last opened.</summary>
    internal uint SlotsMax { get; init; } = Limits.SlotsMax;

    /// <summary>Number of the checkpoint file, 0 for none.</summary>
    internal uint CheckpointFile { get; init; }

    /// <summary>How many of the last recoveries neither a cut nor damage brought about: they took nothing from the log.</summary>
    internal uint UncutRecoveries { get; init; }

    /// <summary>A digest of the damages that the last table was built over (CrawlDamage); 0 for none.</summary>
    internal uint KnownLoss { get; init; }

    /// <summary>Numbers of types from here on were never issued; 0 where that was not written.</summary>
    internal uint TypeNumberBound { get; init; }

    /// <summary>The count of recoveries since which the indexes of a cache lead where they led.</summary>
    internal uint SoundSince => RecoveryCount - uint.Min(RecoveryCount, UncutRecoveries);

    /// <summary>Writes the stored form; all of <paramref name="target"/>'s <see cref="Bytes"/> bytes.</summary>
    internal void Write(Span<byte> target)
    {
        target[..Bytes].Clear();
        var writer = new LayoutWriter(target);
        writer.Long(Magic);
        Features.Write(ref writer);
        writer.Long(Identity);
        writer.Long(CreatedUtcTicks);
        writer.Long(Sequence);
        writer.Byte(Promise);
        writer.Byte(Tag);
        writer.Flag(IsClean);
        writer.Flag(TableTrusted);
        writer.Int(RecoveryCount);
        writer.Id(BootId);
        writer.Long(FilesFingerprint);
        writer.Int(ExtentRows);
        writer.Int(SegmentBytesMin);
        writer.Int(SegmentBytesMax);
        writer.Int(BatchBytesMax);
        writer.Long(SegmentSequenceBound);
        writer.Long(FlushBound);
        writer.Long(LastProvenFlush);
        writer.Int(TableFile);
        writer.Int(FloorsFile);
        writer.Long(FirstCountingSequence);
        writer.Long(SyncFailedAboveFlush);
        writer.Int(LossAcceptedCount);
        writer.Int(SlotsMax);
        writer.Int(CheckpointFile);
        writer.Int(UncutRecoveries);
        writer.Int(KnownLoss);
        writer.Int(TypeNumberBound);
        HeaderBlock.Seal(target[..Bytes]);
    }

    /// <summary>Reads the stored form. Of a slot in a format that is not known, only what is the same in every version is read:
    /// features, identity, creation and sequence; the caller checks <see cref="Features"/> before it uses the rest.</summary>
    /// <param name="source"><see cref="Bytes"/> bytes.</param>
    /// <param name="slot">The slot.</param>
    /// <param name="problem">What is wrong.</param>
    internal static bool TryRead(ReadOnlySpan<byte> source, [NotNullWhen(true)] out MetaSlot? slot, [NotNullWhen(false)] out string? problem)
    {
        slot = null;
        if (!HeaderBlock.IsWhole(source, Magic, out problem))
        {
            return false;
        }

        var reader = new LayoutReader(source);
        _ = reader.ULong();
        var read = new MetaSlot
        {
            Features = FormatFeatures.Read(ref reader),
            Identity = reader.ULong(),
            CreatedUtcTicks = reader.Long(),
            Sequence = reader.Long(),
        };
        if (read.Features.IsReadable)
        {
            read = Rest(read, ref reader, out byte flags);
            problem = read.Problem(flags);
        }

        slot = problem is null ? read : null;
        return problem is null;
    }

    private static MetaSlot Rest(MetaSlot first, ref LayoutReader reader, out byte flags)
    {
        byte promise = reader.Byte();
        byte tag = reader.Byte();
        byte clean = reader.Byte();
        byte trusted = reader.Byte();
        flags = (byte)(clean | trusted);
        return first with
        {
            Promise = promise,
            Tag = tag,
            IsClean = clean != 0,
            TableTrusted = trusted != 0,
            RecoveryCount = reader.UInt(),
            BootId = reader.Id(),
            FilesFingerprint = reader.ULong(),
            ExtentRows = reader.Int(),
            SegmentBytesMin = reader.Int(),
            SegmentBytesMax = reader.Int(),
            BatchBytesMax = reader.Int(),
            SegmentSequenceBound = reader.Long(),
            FlushBound = reader.Long(),
            LastProvenFlush = reader.Long(),
            TableFile = reader.UInt(),
            FloorsFile = reader.UInt(),
            FirstCountingSequence = reader.Long(),
            SyncFailedAboveFlush = reader.Long(),
            LossAcceptedCount = reader.UInt(),
            SlotsMax = reader.UInt(),
            CheckpointFile = reader.UInt(),
            UncutRecoveries = reader.UInt(),
            KnownLoss = reader.UInt(),
            TypeNumberBound = reader.UInt(),
        };
    }

    /// <summary>The first field whose value can't be, or null.</summary>
    private string? Problem(byte flags) =>
        Sequence is < 1 or > NumberMax ? $"meta sequence {Sequence} is not 1 to {NumberMax}"
        : Tag == 0 ? "tag 0 is no pile's"
        : flags > 1 ? "a flag is neither 0 nor 1"
        : ExtentRows is < 1 or > Limits.ExtentsMax ? $"{ExtentRows} rows of flat space are not 1 to {Limits.ExtentsMax}"
        : !IsSegmentSize(SegmentBytesMin) ? $"smallest segment of {SegmentBytesMin} bytes is no size that segments have"
        : !IsSegmentSize(SegmentBytesMax) || SegmentBytesMax < SegmentBytesMin ? $"largest segment of {SegmentBytesMax} bytes is no size that segments have"
        : BatchBytesMax < 0 ? $"largest batch is {BatchBytesMax} bytes"
        : SegmentSequenceBound is < 0 or > SegmentRow.SequenceMax ? $"bound {SegmentSequenceBound} of segment sequences is not 0 to {SegmentRow.SequenceMax}"
        : FlushBound is < 0 or > NumberMax ? $"bound {FlushBound} of flush numbers is not 0 to {NumberMax}"
        : LastProvenFlush < 0 ? $"last proven flush {LastProvenFlush} is negative"
        : FirstCountingSequence < 0 || FirstCountingSequence > long.Max(1, SegmentSequenceBound)
            ? $"first counting sequence {FirstCountingSequence} is not 0 to {long.Max(1, SegmentSequenceBound)}, where sequences were never used"
        : SyncFailedAboveFlush < -1 ? $"sync failed above flush {SyncFailedAboveFlush}, which is below -1"
        : null;

    internal static bool IsSegmentSize(int bytes) =>
        bytes is >= Limits.SegmentBytesMin and <= Limits.SegmentBytesMax && BitOperations.IsPow2(bytes);
}
