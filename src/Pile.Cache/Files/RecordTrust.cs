// Verifies entries that were in the files before the pile was opened, when they are first read: the header against its place, the payload
// against its checksum. What was found good is remembered, a bit for each place where a record can begin, and what was found damaged too, so
// that it is counted once. What this process has stored needs none of it. An entry that is damaged is never shown: to a cache it is a miss.
using System;
using System.Threading;
using Pile.Format;
using Pile.Heap;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Cache.Files;

/// <summary>First-touch verification of entries. Thread-safe; called inside an epoch, or with the cleaner role.</summary>
internal sealed class RecordTrust
{
    private const int BitsOfWord = 64;

    private readonly ExtentMap _extents;
    private readonly SegmentDirectory _directory;
    private readonly FlatSpace _space;
    private readonly ulong _identity;
    private readonly long _openedSequence;
    private readonly FirstTouch _touch;
    private ulong[]?[] _good;
    private ulong[]?[] _bad;
    private long _damaged;

    internal RecordTrust(HeapCore<DurableRecord> core)
    {
        _extents = core.Extents;
        _directory = core.Directory;
        _space = core.Directory.Space;
        _identity = core.Log.Identity;
        _openedSequence = core.OpenedSequence;
        _touch = core.Touch!;
        _good = new ulong[core.Directory.Count][];
        _bad = new ulong[core.Directory.Count][];
    }

    /// <summary>Records that were found damaged.</summary>
    internal long Damaged => Volatile.Read(ref _damaged);

    private PileVerifyOnRead Mode => _touch.Mode;

    /// <summary>Whether the record at a location may be shown.</summary>
    internal bool IsGood(long location)
    {
        // By segment: what this process has stored stands in others.
        Segment segment = _directory.At(location);
        if (Mode != PileVerifyOnRead.Always && (segment.Sequence > _openedSequence || IsKnownGood(segment, location)))
        {
            return true;
        }

        if (_touch.IsLost)
        {
            return false;
        }

        bool isGood = HasRecord(location, out LogRecord record) && (Mode == PileVerifyOnRead.Never || record.IsPayloadWhole(_space));
        if (isGood && Mode != PileVerifyOnRead.Always)
        {
            _ = Remember(ref _good, segment, location);
        }
        else if (!isGood && Remember(ref _bad, segment, location))
        {
            _ = Interlocked.Increment(ref _damaged);
        }

        return isGood;
    }

    /// <summary>Whether there is the record of an entry at a location that nothing is known of.</summary>
    internal bool HasRecord(long location, out LogRecord record) =>
        LogRecord.TryRead(_extents, _directory, _identity, location, out record) && record.Code == RecordCode.Cache && HasHead(record);

    private bool IsKnownGood(Segment segment, long location)
    {
        uint at = (uint)(location - segment.Location);
        return BitsOf(_good, segment) is { } good && (Volatile.Read(ref good[at / BitsOfWord]) & BitOf(at)) != 0;
    }

    /// <summary>Remembers what was found at a location.</summary>
    /// <returns>Whether that is new.</returns>
    private static bool Remember(ref ulong[]?[] found, Segment segment, long location)
    {
        uint at = (uint)(location - segment.Location);
        return (BitsOf(found, segment) ?? Add(ref found, segment)) is not { } bits || (Interlocked.Or(ref bits[at / BitsOfWord], BitOf(at)) & BitOf(at)) == 0;
    }

    private static ulong BitOf(uint at) => 1UL << (int)(at % BitsOfWord);

    private static ulong[]? BitsOf(ulong[]?[] found, Segment segment) => segment.Index < found.Length ? Volatile.Read(ref found[segment.Index]) : null;

    /// <summary>Room to remember in; null without memory for it: what is found is not remembered then, and the reader, who is inside the epoch, not thrown out.</summary>
    private static ulong[]? Add(ref ulong[]?[] found, Segment segment)
    {
        try
        {
            ulong[] made = new ulong[(segment.Bytes / Limits.WordBytes / BitsOfWord) + 1];
            ulong[]?[] all = Volatile.Read(ref found);
            if (segment.Index >= all.Length)
            {
                // Of segments that have come since the open. What others add meanwhile to the one that is left is found once more.
                ulong[]?[] larger = all;
                Array.Resize(ref larger, int.Max(segment.Index + 1, 2 * all.Length));
                all = Interlocked.CompareExchange(ref found, larger, all) is var other && other == all ? larger : other;
            }

            return segment.Index < all.Length ? Interlocked.CompareExchange(ref all[segment.Index], made, null) ?? made : null;
        }
        catch (OutOfMemoryException)
        {
            return null;
        }
    }

    /// <summary>Whether head and key, and a link where there is one, have room in the payload.</summary>
    private bool HasHead(in LogRecord record)
    {
        if (record.PayloadBytes < KeyedHead.WordsBytes)
        {
            return false;
        }

        ulong a = _space.ReadWord(record.Location + (DurableRecord.HeaderBytes / Limits.WordBytes));
        int bytes = KeyedHead.KeyOffset(a) + KeyedHead.KeyBytes(a);
        if ((a & KeyedHead.NotedBit) != 0 && record.PayloadBytes >= bytes)
        {
            long note = record.Location + ((DurableRecord.HeaderBytes + KeyedHead.NoteOffset(a)) / Limits.WordBytes);
            bytes += NoteWord.Tags(_space.ReadWord(note)) * KeyedHead.TagBytes;
        }

        return record.PayloadBytes >= bytes && ((a & KeyedHead.LinkedBit) == 0 || record.PayloadBytes == bytes + KeyedHead.LinkBytes);
    }
}
