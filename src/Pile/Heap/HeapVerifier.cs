// Recomputes every invariant of a heap from its bytes and compares: entries against records, records against segments,
// segments against counters, counters against the budget. The caller holds all writers and the cleaner role.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Threading;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>One verification.</summary>
/// <param name="core">The heap.</param>
/// <param name="progress">Gets the progress, or null.</param>
/// <param name="cancellationToken">Ends it between two segments.</param>
internal sealed class HeapVerifier<TFormat>(HeapCore<TFormat> core, IProgress<PileVerifyProgress>? progress, CancellationToken cancellationToken)
    where TFormat : struct, IRecordFormat
{
    private readonly List<PileFinding> _findings = [];
    private readonly FlatSpace _space = core.Directory.Space;
    private long _segments;
    private long _records;
    private long _current;
    private long _liveBytes;
    private long _runBytes;
    private long _bytes;
    private long _schemas;
    private long _tombstones;
    private long _keyed;
    private Segment? _found;
    private bool _isOdd;

    /// <summary>Checks everything.</summary>
    internal PileVerifyReport Run()
    {
        WalkSegments();
        long objects = WalkEntries();
        Expect(PileDamage.LiveBytes, "all segments", _liveBytes, core.Writers.LiveBytes);
        Expect(PileDamage.ObjectCount, "all writers", objects, core.Writers.Objects);
        Expect(PileDamage.ObjectCount, "schemas", _schemas, core.Schemas);
        Expect(PileDamage.ObjectCount, "keyed records", _keyed, core.Keyed?.Records ?? 0);
        CheckSlots(objects + _schemas);
        core.Large.WhileStill(CheckBudget);
        if (core.Keeper.Failure is { } failure)
        {
            Add(PileDamage.KeeperFailed, "background thread", "running", failure.Message);
        }

        return new PileVerifyReport(_segments, _records, objects, _findings) { Bytes = _bytes };
    }

    private void WalkSegments()
    {
        long total = core.Large.UsedBytes;
        for (int index = 0; index < core.Directory.Count; index++)
        {
            Segment segment = core.Directory[index];
            total += segment.State is SegmentState.Sealed or SegmentState.Open ? core.Writers.WrittenOf(segment) : 0;
        }

        for (int index = 0; index < core.Directory.Count; index++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            Segment segment = core.Directory[index];
            switch (segment.State)
            {
                case SegmentState.Sealed or SegmentState.Open:
                    WalkSegment(segment, core.Writers.WrittenOf(segment));
                    progress?.Report(new PileVerifyProgress(_bytes, total));
                    break;
                case SegmentState.Quarantined:
                    Add(PileDamage.SegmentQuarantined, Name(segment), "in use", "quarantined");
                    break;
            }
        }
    }

    private void WalkSegment(Segment segment, int writtenBytes)
    {
        _segments++;
        _bytes += writtenBytes;
        long live = 0;
        var walk = new SegmentWalk<TFormat>(_space, segment, writtenBytes, core.Log.Identity);
        while (walk.TryNext(out long location, out ulong word, out int recordBytes))
        {
            RecordCode code = RecordWord.Code(word);
            if (!IsWritten(code))
            {
                Add(PileDamage.RecordCodeInvalid, $"{Name(segment)} offset {walk.Offset - recordBytes}", "a code that this pile writes", code.ToString());
                return;
            }

            _records++;
            if (code == RecordCode.Cache)
            {
                bool isCurrent = core.Keyed!.TryFind(word, location, out _);
                _keyed += isCurrent ? 1 : 0;
                live += isCurrent ? recordBytes : 0;
                continue;
            }

            ulong entry = core.Table.ReadAny(RecordWord.Slot(word));
            if (EntryWord.Location(entry) == location)
            {
                _current++;
                _isOdd |= TFormat.IsDurable && !EntryWord.IsInternal(entry) && !IsGenerationGood(entry, DurableRecord.Generation(_space.ReadWord(location + 1)));
                live += recordBytes;
                CheckLarge(location, word);
                CheckPayload(location, word);
            }
            else if (TFormat.IsDurable && RecordWord.Slot(word) != 0 && IsNewer(location, EntryWord.Location(entry)))
            {
                Add(PileDamage.EntryNotAtRecord, $"slot {RecordWord.Slot(word)}", $"the newest record of the slot, in {Name(segment)} offset {walk.Offset - recordBytes}", "another");
            }
        }

        if (walk.IsBad)
        {
            AddBad(segment, walk.Offset, writtenBytes);
            return;
        }

        _liveBytes += live;
        Expect(PileDamage.SegmentLiveBytes, Name(segment), live, writtenBytes - core.Writers.DeadOf(segment.Index));
    }

    /// <summary>Whether a record is newer than the one that its slot's entry refers to: then the table is not what was stored. An entry
    /// that leads to no segment is told of elsewhere.</summary>
    private bool IsNewer(long location, long current) =>
        current == 0 || (SegmentAt(current) is not null && LogRecord.Read(_space, location).CompareTo(LogRecord.Read(_space, current)) > 0);

    /// <summary>Whether a pile of this format writes such records.</summary>
    private bool IsWritten(RecordCode code) =>
        code != RecordCode.Invalid
        && (code != RecordCode.Cache || core.Keyed is not null)
        && (TFormat.IsDurable || code is < RecordCode.Tombstone or RecordCode.Schema or RecordCode.Cache or RecordCode.Extended);

    private void AddBad(Segment segment, int offset, int writtenBytes)
    {
        string where = $"{Name(segment)} offset {offset}";
        ulong word = _space.ReadWord(segment.Location + (offset / Limits.WordBytes));
        int recordBytes = SegmentWriter<TFormat>.RecordBytes(RecordWord.PayloadBytes(word));
        if (RecordWord.Code(word) == RecordCode.Invalid)
        {
            Add(PileDamage.RecordCodeInvalid, where, "a code that this pile writes", nameof(RecordCode.Invalid));
        }
        else if (recordBytes > writtenBytes - offset)
        {
            Add(PileDamage.RecordOverrun, where, $"at most {writtenBytes - offset} bytes", $"{recordBytes} bytes");
        }
        else
        {
            Add(PileDamage.RecordCheckInvalid, where, "a header whose check agrees with it", "another check");
        }
    }

    private void CheckPayload(long location, ulong word)
    {
        if (TFormat.IsDurable
            && Crc32C.Compute(_space.Bytes(location, TFormat.HeaderBytes, RecordWord.PayloadBytes(word))) != (uint)_space.ReadWord(location + 2))
        {
            Add(PileDamage.PayloadChecksumInvalid, $"slot {RecordWord.Slot(word)}", "a payload whose checksum is that of its header", "another payload");
        }
    }

    private void CheckLarge(long location, ulong word)
    {
        if (RecordWord.Code(word) != RecordCode.Large)
        {
            return;
        }

        int payloadBytes = RecordWord.PayloadBytes(word);
        LargeDescriptor descriptor = payloadBytes == LargeDescriptor.Bytes
            ? LargeDescriptor.Read(_space.Bytes(location, TFormat.HeaderBytes, payloadBytes))
            : default;
        if (descriptor.PayloadBytes is <= 0 or > Limits.PayloadBytesMax || !core.Large.IsRun(descriptor.RunLocation, descriptor.PayloadBytes))
        {
            Add(PileDamage.LargeDescriptorInvalid, $"slot {RecordWord.Slot(word)}", "a run in use", descriptor.ToString());
            return;
        }

        _runBytes += LargeRuns.RunBytes(descriptor.PayloadBytes);
        _bytes += LargeRuns.RunBytes(descriptor.PayloadBytes);
        if (TFormat.IsDurable && Crc32C.Compute(_space.Bytes(descriptor.RunLocation, 0, descriptor.PayloadBytes)) != descriptor.PayloadCrc)
        {
            Add(PileDamage.PayloadChecksumInvalid, $"slot {RecordWord.Slot(word)}", "a large object whose checksum is that of its descriptor", "another payload");
        }
    }

    /// <summary>Compares the entries with what the walk over the segments found: it met each record that its slot's entry refers to. As
    /// many entries as such records: then each entry is right. Only otherwise they are looked at one by one, for what is wrong.</summary>
    private long WalkEntries()
    {
        long objects = 0;
        _isOdd |= _findings.Count > 0;
        for (uint slot = Limits.FirstSlot; slot < core.Slots.HighWater; slot++)
        {
            ulong entry = core.Table.Read(slot);
            bool isInternal = EntryWord.IsInternal(entry);
            if (EntryWord.IsLive(entry))
            {
                objects++;
                _isOdd |= EntryWord.Generation(entry) == 0 || core.Slots.IsPooled(slot);
            }
            else if (isInternal)
            {
                _schemas++;
                _isOdd |= core.Slots.IsPooled(slot);
            }
            else if (EntryWord.Location(entry) != 0)
            {
                _tombstones++;
            }
        }

        long referring = objects + _schemas + _tombstones;
        if (_isOdd || referring != _current)
        {
            long before = _findings.Count;
            for (uint slot = Limits.FirstSlot; slot < core.Slots.HighWater; slot++)
            {
                ulong entry = core.Table.Read(slot);
                if (EntryWord.IsLive(entry) || EntryWord.Location(entry) != 0)
                {
                    CheckEntry(slot, entry);
                }
            }

            if (_findings.Count == before)
            {
                Expect(PileDamage.EntryNotAtRecord, "all live entries", referring, _current);
            }
        }

        return objects;
    }

    private void CheckEntry(uint slot, ulong entry)
    {
        string where = $"slot {slot}";
        long location = EntryWord.Location(entry);
        if (EntryWord.Generation(entry) == 0 && !EntryWord.IsInternal(entry))
        {
            Add(PileDamage.EntryGenerationInvalid, where, "1 or more", "0");
        }

        if (core.Slots.IsPooled(slot) && (EntryWord.IsLive(entry) || EntryWord.IsInternal(entry)))
        {
            Add(PileDamage.LiveSlotPooled, where, "not in the pool", "pooled");
        }

        if (SegmentAt(location) is not { } segment)
        {
            Add(PileDamage.EntryOutsideSegments, where, "a location inside a segment", location.ToString(CultureInfo.InvariantCulture));
            return;
        }

        if (segment.State is not (SegmentState.Open or SegmentState.Sealed))
        {
            Add(PileDamage.EntryIntoUnusedSegment, where, "an open or sealed segment", $"{Name(segment)} is {segment.State}");
            return;
        }

        long offset = (location - segment.Location) * Limits.WordBytes;
        int written = core.Writers.WrittenOf(segment);
        if (offset >= written)
        {
            Add(PileDamage.EntryBeyondWritten, where, $"an offset below {written}", $"{Name(segment)} offset {offset}");
            return;
        }

        uint recordSlot = RecordWord.Slot(_space.ReadWord(location));
        if (recordSlot != slot)
        {
            Add(PileDamage.EntrySlotMismatch, where, $"slot {slot}", $"the record says slot {recordSlot}");
        }
        else if (TFormat.IsDurable && !EntryWord.IsInternal(entry))
        {
            CheckGeneration(where, entry, location);
        }
    }

    /// <summary>Compares generations; a free entry may have been raised above its tombstone's by recoveries.</summary>
    private void CheckGeneration(string where, ulong entry, long location)
    {
        uint stored = DurableRecord.Generation(_space.ReadWord(location + 1));
        uint generation = EntryWord.Generation(entry);
        if (!IsGenerationGood(entry, stored))
        {
            Add(PileDamage.EntryGenerationInvalid, where, $"generation {stored}, the record's", $"generation {generation}");
        }
    }

    private static bool IsGenerationGood(ulong entry, uint stored) =>
        EntryWord.IsLive(entry) ? stored == EntryWord.Generation(entry) : stored <= EntryWord.Generation(entry);

    private void CheckSlots(long objects)
    {
        long pooled = core.Slots.Recount();
        Expect(PileDamage.SlotPoolCount, "bitmap of free slots", pooled, core.Slots.Pooled);
        long held = 0;
        for (int index = 0; index < core.Writers.Count; index++)
        {
            held += core.Writers[index]?.SlotsHeld ?? 0;
        }

        Expect(PileDamage.SlotsLost, "live + pooled + held + retired", core.Slots.HighWater - Limits.FirstSlot, objects + core.Slots.Pooled + core.Slots.Waiting + core.SlotsHeldApart() + held + core.Slots.Retired);
    }

    private void CheckBudget()
    {
        // Others may be writing large objects: a run is taken, and pages of runs are counted, without a writer.
        (long used, long resident, long unreferenced) = core.Large.Recount();
        Expect(PileDamage.LargeRunBytes, "runs in use", _runBytes + unreferenced, used);
        long segmentBytes = 0;
        long freeBytes = 0;
        for (int index = 0; index < core.Directory.Count; index++)
        {
            Segment segment = core.Directory[index];
            segmentBytes += segment.State == SegmentState.Absent ? 0 : segment.Bytes;
            freeBytes += segment.State == SegmentState.Free ? segment.Bytes : 0;
        }

        Expect(PileDamage.SegmentPoolCount, "resident segments", segmentBytes, core.Pool.ResidentBytes);
        Expect(PileDamage.SegmentPoolCount, "free segments", freeBytes, core.Pool.FreeBytes);
        Expect(PileDamage.UsedBytes, "table + segments + large objects + index", core.Slots.TakenBytes + segmentBytes + resident + (core.Keyed?.TakenBytes ?? 0), core.Budget.UsedBytes);
    }

    private Segment? SegmentAt(long location)
    {
        // Neighbours in the table mostly are neighbours in the log.
        if (_found is { } last && location >= last.Location && location < last.Location + (last.Bytes / Limits.WordBytes))
        {
            return last;
        }

        // Not through the extent map: a damaged location must not be looked up in it. Extents come in rising order.
        int low = 0;
        int high = core.Directory.Count - 1;
        while (low <= high)
        {
            int middle = (low + high) / 2;
            Segment segment = core.Directory[middle];
            if (location < segment.Location)
            {
                high = middle - 1;
            }
            else if (location >= segment.Location + (segment.Bytes / Limits.WordBytes))
            {
                low = middle + 1;
            }
            else
            {
                return _found = segment;
            }
        }

        return null;
    }

    private void Expect(PileDamage damage, string where, long expected, long actual)
    {
        if (expected != actual)
        {
            Add(damage, where, expected.ToString("N0", CultureInfo.InvariantCulture), actual.ToString("N0", CultureInfo.InvariantCulture));
        }
    }

    private void Add(PileDamage damage, string where, string expected, string actual) =>
        _findings.Add(new PileFinding(damage, where, expected, actual));

    private static string Name(Segment segment) => $"segment {segment.Index}";
}
