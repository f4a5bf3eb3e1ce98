// Looks at entries one by one, for what is wrong with them: only where their number, or what the walk over the segments met, says
// that something is. The caller holds all writers and the cleaner's role.
using System.Globalization;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>Checks of entries. Used by one thread.</summary>
/// <param name="core">The heap.</param>
/// <param name="findings">Gets what is wrong.</param>
internal sealed class EntryChecks<TFormat>(HeapCore<TFormat> core, VerifyFindings findings)
    where TFormat : struct, IRecordFormat
{
    private readonly FlatSpace _space = core.Directory.Space;
    private readonly SegmentFinder _segmentAt = new(core.Directory);

    /// <summary>Checks one entry that refers to something, or is live.</summary>
    internal void Check(uint slot, ulong entry)
    {
        string where = $"slot {slot}";
        long location = EntryWord.Location(entry);
        if (EntryWord.Generation(entry) == 0 && !EntryWord.IsInternal(entry))
        {
            findings.Add(PileDamage.EntryGenerationInvalid, where, "1 or more", "0");
        }

        if (core.Slots.IsPooled(slot) && (EntryWord.IsLive(entry) || EntryWord.IsInternal(entry)))
        {
            findings.Add(PileDamage.LiveSlotPooled, where, "not in the pool", "pooled");
        }

        if (_segmentAt.At(location) is not { } segment)
        {
            findings.Add(PileDamage.EntryOutsideSegments, where, "a location inside a segment", location.ToString(CultureInfo.InvariantCulture));
            return;
        }

        if (segment.State is not (SegmentState.Open or SegmentState.Sealed))
        {
            findings.Add(PileDamage.EntryIntoUnusedSegment, where, "an open or sealed segment", $"{VerifyFindings.Name(segment)} is {segment.State}");
            return;
        }

        long offset = (location - segment.Location) * Limits.WordBytes;
        int written = core.Writers.WrittenOf(segment);
        if (offset >= written)
        {
            findings.Add(PileDamage.EntryBeyondWritten, where, $"an offset below {written}", $"{VerifyFindings.Name(segment)} offset {offset}");
            return;
        }

        uint recordSlot = RecordWord.Slot(_space.ReadWord(location));
        if (recordSlot != slot)
        {
            findings.Add(PileDamage.EntrySlotMismatch, where, $"slot {slot}", $"the record says slot {recordSlot}");
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
            findings.Add(PileDamage.EntryGenerationInvalid, where, $"generation {stored}, the record's", $"generation {generation}");
        }
    }

    /// <summary>Whether an entry has a generation that its record's allows; a recovery may have raised a free one's.</summary>
    internal static bool IsGenerationGood(ulong entry, uint stored) =>
        EntryWord.IsLive(entry) ? stored == EntryWord.Generation(entry) : stored <= EntryWord.Generation(entry);
}
