// Verifies objects that were in the files before the pile was opened, when they are first read: the entry's location, the header
// against slot, generation and place, the payload against its CRC. What was found good is remembered, a bit a slot.
// What this process has put under slots of its own needs none of it.
using System;
using System.Threading;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>First-touch verification of one pile. Thread-safe; called inside an epoch.</summary>
internal sealed class FirstTouch
{
    private readonly ExtentMap _extents;
    private readonly SegmentDirectory _directory;
    private readonly FlatSpace _space;
    private readonly ulong _identity;
    private readonly PileVerifyOnRead _mode;
    private readonly ulong[] _good;
    private readonly uint _end;

    /// <summary>Prepares verification.</summary>
    /// <param name="core">The heap, its segments restored.</param>
    /// <param name="mode">How much to verify, and how often.</param>
    /// <param name="isVerified">Whether all that is there has just been verified.</param>
    internal FirstTouch(HeapBase core, PileVerifyOnRead mode, bool isVerified)
    {
        _extents = core.Extents;
        _directory = core.Directory;
        _space = core.Directory.Space;
        _identity = core.Log.Identity;
        _mode = mode;
        _end = core.Slots.HighWater;
        _good = new ulong[(_end / 64) + 1];
        if (isVerified && mode != PileVerifyOnRead.Always)
        {
            _good.AsSpan().Fill(ulong.MaxValue);
        }
    }

    /// <summary>Whether the record of a live entry may be shown.</summary>
    internal bool IsGood(ulong slot, ulong entry) => slot >= _end || IsMarked(slot) || Verify(slot, entry);

    /// <summary>Whether the record's header may be believed: its length, version and code.</summary>
    internal bool HasGoodHeader(uint slot, ulong entry) => slot >= _end || IsMarked(slot) || IsHeaderGood(slot, entry);

    private bool IsMarked(ulong slot) => (Volatile.Read(ref _good[slot / 64]) & (1UL << (int)(slot % 64))) != 0;

    private bool Verify(ulong slot, ulong entry)
    {
        if (!IsHeaderGood(slot, entry) || (_mode != PileVerifyOnRead.Never && !IsPayloadGood(EntryWord.Location(entry))))
        {
            return false;
        }

        if (_mode != PileVerifyOnRead.Always)
        {
            Interlocked.Or(ref _good[slot / 64], 1UL << (int)(slot % 64));
        }

        return true;
    }

    private bool IsHeaderGood(ulong slot, ulong entry)
    {
        long location = EntryWord.Location(entry);
        if (!_extents.Contains(location, DurableRecord.HeaderBytes) || _space.SegmentIndex(location) >= _directory.Count)
        {
            return false;
        }

        Segment segment = _directory.At(location);
        long offset = (location - segment.Location) * Limits.WordBytes;
        ulong word = _space.ReadWord(location);
        return offset >= SegmentHeader.Bytes
            && offset + SegmentWriter<DurableRecord>.RecordBytes(RecordWord.PayloadBytes(word)) <= segment.Bytes
            && RecordWord.Slot(word) == slot
            && IsEntryOf(LogRecord.Read(_space, location), entry)
            && DurableRecord.IsWhole(
                _space.Bytes(location, Limits.WordBytes, DurableRecord.HeaderBytes - Limits.WordBytes),
                word,
                new RecordStamp { Salt = DurableRecord.SaltOf(_identity, segment.Sequence), Location = location });
    }

    /// <summary>Whether the record is one that such an entry refers to: a live entry to no tombstone, a free one to nothing else. A
    /// recovery may have raised a free entry's generation.</summary>
    private static bool IsEntryOf(in LogRecord record, ulong entry)
    {
        ulong own = record.Entry();
        return own == entry
            || (record.Code == RecordCode.Tombstone && entry == EntryWord.Free(EntryWord.Generation(entry), record.Location) && EntryWord.Generation(entry) > EntryWord.Generation(own));
    }

    private bool IsPayloadGood(long location)
    {
        if (Fault.CrcNotCompared)
        {
            return true;
        }

        int bytes = RecordWord.PayloadBytes(_space.ReadWord(location));
        if (Crc32C.Compute(_space.Bytes(location, DurableRecord.HeaderBytes, bytes)) != (uint)_space.ReadWord(location + 2))
        {
            return false;
        }

        if (RecordWord.Code(_space.ReadWord(location)) != RecordCode.Large)
        {
            return true;
        }

        LargeDescriptor run = LargeDescriptor.Read(_space.Bytes(location, DurableRecord.HeaderBytes, LargeDescriptor.Bytes));
        return run.PayloadBytes is > 0 and <= Limits.PayloadBytesMax
            && _extents.Contains(run.RunLocation, run.PayloadBytes)
            && Crc32C.Compute(_space.Bytes(run.RunLocation, 0, run.PayloadBytes)) == run.PayloadCrc;
    }
}
