// One thread's part of a verification: walks segments, compares their records with the entries, and counts entries. Everything it
// compares with stands still meanwhile: the caller holds all writers and the cleaner's role. What was looked at before they were
// held (VerifyAhead) is counted here and not read again.
using System;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>One thread of a verification.</summary>
/// <param name="core">The heap.</param>
/// <param name="ahead">What is known to be good.</param>
internal sealed class VerifyShare<TFormat>(HeapCore<TFormat> core, VerifyAhead<TFormat> ahead)
    where TFormat : struct, IRecordFormat
{
    private readonly VerifyFindings _findings = new();
    private readonly SegmentFinder _segmentAt = new(core.Directory);
    private readonly FlatSpace _space = core.Directory.Space;

    /// <summary>Gets what is met, where segments are compared one at a time; null where everything stands still.</summary>
    internal VerifyCounted? Counts { get; init; }

    /// <summary>What it found.</summary>
    internal VerifyFindings Findings => _findings;

    /// <summary>Segments that it walked.</summary>
    internal long Segments { get; private set; }

    /// <summary>Records in them.</summary>
    internal long Records { get; private set; }

    /// <summary>Those that their slot's entry refers to.</summary>
    internal long Current { get; private set; }

    /// <summary>Bytes of those.</summary>
    internal long LiveBytes { get; private set; }

    /// <summary>Bytes of the runs of large objects among them.</summary>
    internal long RunBytes { get; private set; }

    /// <summary>Live entries that it counted.</summary>
    internal long Objects { get; private set; }

    /// <summary>Entries of the pile's own records.</summary>
    internal long Schemas { get; private set; }

    /// <summary>Free entries that refer to a tombstone.</summary>
    internal long Tombstones { get; private set; }

    /// <summary>Records of a cache that its index refers to.</summary>
    internal long Keyed { get; private set; }

    /// <summary>Entries into segments that were compared before.</summary>
    internal long Met { get; private set; }

    /// <summary>Whether something was met that only a look at each entry can name.</summary>
    internal bool IsOdd { get; private set; }

    /// <summary>Adds what another thread counted and found, when it has ended.</summary>
    /// <param name="other">It.</param>
    /// <param name="isOfNow">False when its sums were those of other moments.</param>
    internal void Add(VerifyShare<TFormat> other, bool isOfNow)
    {
        _findings.AddAll(other._findings);
        Segments += other.Segments;
        Records += other.Records;
        IsOdd |= other.IsOdd;
        if (!isOfNow)
        {
            return;
        }

        Current += other.Current;
        LiveBytes += other.LiveBytes;
        RunBytes += other.RunBytes;
        Objects += other.Objects;
        Schemas += other.Schemas;
        Tombstones += other.Tombstones;
        Keyed += other.Keyed;
        Met += other.Met;
    }

    /// <summary>Walks a segment.</summary>
    /// <param name="segment">It.</param>
    /// <param name="writtenBytes">How far it is written.</param>
    /// <param name="known">Bytes of it that are known to be good.</param>
    /// <returns>Bytes that were read, but for those.</returns>
    internal long Walk(Segment segment, int writtenBytes, int known)
    {
        _findings.Order = segment.Index;
        Segments++;
        long live = 0;
        long bytes = writtenBytes - known;
        segment.ReadAhead(0, writtenBytes);
        var walk = new SegmentWalk<TFormat>(_space, segment, writtenBytes, core.Log.Identity, known);
        Span<long> locations = stackalloc long[RoomLimits.CleanerLookahead];
        Span<ulong> words = stackalloc ulong[RoomLimits.CleanerLookahead];
        int count;
        do
        {
            RecordCode code = RecordCode.Bytes;
            for (count = 0; count < locations.Length && walk.TryNext(out locations[count], out words[count], out _); count++)
            {
                code = RecordWord.Code(words[count]);
                if (!IsWritten(code))
                {
                    break;
                }

                core.Table.Prefetch(RecordWord.Slot(words[count]));
            }

            for (int index = 0; index < count; index++)
            {
                live += Look(segment, locations[index], words[index], known, ref bytes);
            }

            if (!IsWritten(code))
            {
                int offset = OffsetOf(segment, locations[count]);
                _findings.Add(PileDamage.RecordCodeInvalid, $"{VerifyFindings.Name(segment)} offset {offset}", "a code that this pile writes", code.ToString());
                return bytes;
            }
        }
        while (count == locations.Length);

        if (walk.IsBad)
        {
            AddBad(segment, walk.Offset, writtenBytes);
            return bytes;
        }

        LiveBytes += live;
        _findings.Expect(PileDamage.SegmentLiveBytes, VerifyFindings.Name(segment), live, writtenBytes - core.Writers.DeadOf(segment.Index));
        return bytes;
    }

    /// <summary>Counts a segment that was compared before as its counter has it now.</summary>
    internal void Take(Segment segment) => LiveBytes += segment.WrittenBytes - core.Writers.DeadOf(segment.Index);

    /// <summary>Counts the entries of a stretch of slots.</summary>
    internal void CountEntries(uint first, uint end)
    {
        for (uint slot = first; slot < end; slot++)
        {
            ulong entry = core.Table.Read(slot);
            if (EntryWord.IsLive(entry))
            {
                Objects++;
                IsOdd |= EntryWord.Generation(entry) == 0 || core.Slots.IsPooled(slot);
            }
            else if (EntryWord.IsInternal(entry))
            {
                Schemas++;
                IsOdd |= core.Slots.IsPooled(slot);
            }
            else if (EntryWord.Location(entry) != 0)
            {
                Tombstones++;
            }
            else
            {
                continue;
            }

            if (ahead.Counted.HasAny && ahead.Counted.HasMet(slot) && _segmentAt.At(EntryWord.Location(entry)) is { } segment && ahead.Counted.Contains(segment))
            {
                Met++;
            }
        }
    }

    /// <summary>Compares a record with its slot's entry.</summary>
    /// <returns>Its bytes if it is the current one, else 0.</returns>
    private int Look(Segment segment, long location, ulong word, int known, ref long bytes)
    {
        Records++;
        if (RecordWord.Code(word) == RecordCode.Cache)
        {
            bool isCurrent = core.Keyed is { } keyed && keyed.TryFind(word, location, out _);
            if (!isCurrent)
            {
                return 0;
            }

            Keyed++;
            if (TFormat.IsDurable && OffsetOf(segment, location) >= known && !ahead.IsPayloadGood(location, word))
            {
                _findings.Add(PileDamage.PayloadChecksumInvalid, $"cache entry, {VerifyFindings.Name(segment)} offset {OffsetOf(segment, location)}", "a payload whose checksum is that of its header", "another payload");
            }

            return SegmentWriter<TFormat>.RecordBytes(RecordWord.PayloadBytes(word));
        }

        uint slot = RecordWord.Slot(word);
        ulong entry = core.Table.ReadAny(slot);
        if (EntryWord.Location(entry) == location)
        {
            Current++;
            Counts?.Meet(slot);
            IsOdd |= TFormat.IsDurable && !EntryWord.IsInternal(entry) && !EntryChecks<TFormat>.IsGenerationGood(entry, DurableRecord.Generation(_space.ReadWord(location + 1)));
            CheckPayload(location, word, isKnown: OffsetOf(segment, location) < known, ref bytes);
            return SegmentWriter<TFormat>.RecordBytes(RecordWord.PayloadBytes(word));
        }

        if (TFormat.IsDurable && slot != 0 && IsNewer(location, EntryWord.Location(entry)))
        {
            _findings.Add(PileDamage.EntryNotAtRecord, $"slot {slot}", $"the newest record of the slot, in {VerifyFindings.Name(segment)} offset {OffsetOf(segment, location)}", "another");
        }

        return 0;
    }

    /// <summary>Compares a payload with its checksum. What is damaged is one object, and one finding: where the descriptor of a run is, nothing is said of the run.</summary>
    private void CheckPayload(long location, ulong word, bool isKnown, ref long bytes)
    {
        bool isGood = !TFormat.IsDurable || isKnown || ahead.IsPayloadGood(location, word);
        if (!isGood)
        {
            _findings.Add(PileDamage.PayloadChecksumInvalid, $"slot {RecordWord.Slot(word)}", "a payload whose checksum is that of its header", "another payload");
        }

        if (RecordWord.Code(word) != RecordCode.Large)
        {
            return;
        }

        if (!ahead.TryReadRun(location, word, out LargeDescriptor run))
        {
            if (isGood)
            {
                _findings.Add(PileDamage.LargeDescriptorInvalid, $"slot {RecordWord.Slot(word)}", "a run in use", run.ToString());
            }

            return;
        }

        RunBytes += LargeRuns.RunBytes(run.PayloadBytes);
        Counts?.AddRun(RecordWord.Slot(word), location, LargeRuns.RunBytes(run.PayloadBytes));
        bytes += isKnown ? 0 : LargeRuns.RunBytes(run.PayloadBytes);
        if (TFormat.IsDurable && !isKnown && isGood && !ahead.IsRunGood(run))
        {
            _findings.Add(PileDamage.PayloadChecksumInvalid, $"slot {RecordWord.Slot(word)}", "a large object whose checksum is that of its descriptor", "another payload");
        }
    }

    /// <summary>Whether a record is newer than the one that its slot's entry refers to: then the table is not what was stored. An entry
    /// that leads to no segment is told of elsewhere.</summary>
    private bool IsNewer(long location, long current) =>
        current == 0 || (_segmentAt.At(current) is not null && LogRecord.Read(_space, location).CompareTo(LogRecord.Read(_space, current)) > 0);

    /// <summary>Whether a pile of this format writes such records.</summary>
    private bool IsWritten(RecordCode code) =>
        code != RecordCode.Invalid
        && (code != RecordCode.Cache || core.Keyed is not null || TFormat.IsDurable)
        && (TFormat.IsDurable || code is < RecordCode.Tombstone or RecordCode.Schema or RecordCode.Cache or RecordCode.Extended);

    private static int OffsetOf(Segment segment, long location) => (int)(location - segment.Location) * Limits.WordBytes;

    private void AddBad(Segment segment, int offset, int writtenBytes)
    {
        string where = $"{VerifyFindings.Name(segment)} offset {offset}";
        ulong word = _space.ReadWord(segment.Location + (offset / Limits.WordBytes));
        int recordBytes = SegmentWriter<TFormat>.RecordBytes(RecordWord.PayloadBytes(word));
        if (RecordWord.Code(word) == RecordCode.Invalid)
        {
            _findings.Add(PileDamage.RecordCodeInvalid, where, "a code that this pile writes", nameof(RecordCode.Invalid));
        }
        else if (recordBytes > writtenBytes - offset)
        {
            _findings.Add(PileDamage.RecordOverrun, where, $"at most {writtenBytes - offset} bytes", $"{recordBytes} bytes");
        }
        else
        {
            _findings.Add(PileDamage.RecordCheckInvalid, where, "a header whose check agrees with it", "another check");
        }
    }
}
