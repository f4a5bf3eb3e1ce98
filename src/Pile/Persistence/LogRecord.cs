// Which of two records of one slot is the current one (R4): the greater generation, then the tombstone, then the greater version.
// Equal ones are copies of each other, made by the cleaner.
using System;
using System.Runtime.CompilerServices;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Persistence;

/// <summary>A record as recovery sees it.</summary>
/// <param name="Location">Where it stands.</param>
/// <param name="Word0">Slot, code and length.</param>
/// <param name="Word1">Version and generation.</param>
internal readonly record struct LogRecord(long Location, ulong Word0, ulong Word1) : IComparable<LogRecord>
{
    /// <summary>The slot.</summary>
    internal uint Slot => RecordWord.Slot(Word0);

    /// <summary>Whether it is one of a slot of the object table.</summary>
    internal bool HasSlot => RecordWord.HasSlot(Word0);

    internal RecordCode Code => RecordWord.Code(Word0);

    internal int PayloadBytes => RecordWord.PayloadBytes(Word0);

    /// <summary>Reads the record at a location whose header is whole.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static LogRecord Read(FlatSpace space, long location) => new(location, space.ReadWord(location), space.ReadWord(location + 1));

    /// <summary>Reads the record at a location that nothing is known of.</summary>
    /// <returns>False when there is none whose header is whole.</returns>
    internal static bool TryRead(ExtentMap extents, SegmentDirectory directory, ulong identity, long location, out LogRecord record)
    {
        record = default;
        FlatSpace space = directory.Space;
        if (!extents.Contains(location, DurableRecord.HeaderBytes) || space.SegmentIndex(location) >= directory.Count)
        {
            return false;
        }

        Segment segment = directory.At(location);
        long offset = (location - segment.Location) * Limits.WordBytes;
        record = Read(space, location);
        return offset >= SegmentHeader.Bytes
            && offset + SegmentWriter<DurableRecord>.RecordBytes(record.PayloadBytes) <= segment.Bytes
            && DurableRecord.IsWhole(record.Word0, record.Word1, space.ReadWord(location + 2), DurableRecord.SaltOf(identity, segment.Sequence), location);
    }

    /// <summary>The entry that refers to this record as the current one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ulong Entry()
    {
        uint generation = DurableRecord.Generation(Word1);
        return Code switch
        {
            RecordCode.Tombstone => EntryWord.Free(generation, Location),
            RecordCode.Schema or RecordCode.Root => EntryWord.Internal(Location),
            _ => EntryWord.Live(Location, generation),
        };
    }

    /// <summary>Whether the payload is what was written.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsPayloadWhole(FlatSpace space) =>
        Code == RecordCode.Filler
        || Fault.CrcNotCompared
        || PayloadSum.Of(Word0, space.Bytes(Location, DurableRecord.HeaderBytes, PayloadBytes)) == DurableRecord.PayloadCrc(space.ReadWord(Location + 2));

    /// <summary>Reads the descriptor of a large object's record: only of one that is what was written the run may be read, counted or freed.</summary>
    /// <returns>False when it is not. Whether the run lies where large objects lie the caller asks.</returns>
    internal bool TryReadRun(FlatSpace space, out LargeDescriptor run)
    {
        run = default;
        if (Code != RecordCode.Large || PayloadBytes != LargeDescriptor.Bytes || !IsPayloadWhole(space))
        {
            return false;
        }

        run = LargeDescriptor.Read(space.Bytes(Location, DurableRecord.HeaderBytes, LargeDescriptor.Bytes));
        return run.IsOfPayload && run.RunLocation % (Limits.OsPageBytes / Limits.WordBytes) == 0;
    }

    /// <inheritdoc/>
    public int CompareTo(LogRecord other)
    {
        int order = DurableRecord.Generation(Word1).CompareTo(DurableRecord.Generation(other.Word1));
        order = order != 0 ? order : (Code == RecordCode.Tombstone).CompareTo(other.Code == RecordCode.Tombstone);
        return order != 0 ? order : DurableRecord.Version(Word1).CompareTo(DurableRecord.Version(other.Word1));
    }
}
