// What every write does with an entry: check it, swing it away from a record, count what died. The steps of HeapWrites and
// HeapDeletes that must not differ between them. Called inside an epoch, with a writer held where something is counted.
using System.Runtime.CompilerServices;
using Pile.Epochs;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;
using Pile.Table;

namespace Pile.Heap;

/// <summary>Entries as writers see them. Thread-safe.</summary>
internal sealed class HeapEntries<TFormat>(HeapCore<TFormat> core)
    where TFormat : struct, IRecordFormat
{
    private readonly HeapCore<TFormat> _core = core;
    private readonly ObjectTable _table = core.Table;
    private readonly FlatSpace _space = core.Directory.Space;
    private readonly byte _tag = core.Tag;

    /// <summary>Whether the pointer's object stands, as the caller has seen it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PileStatus Check(ulong pointer, SeenEntry expected, out ulong entry)
    {
        if (_core.WriteRefusal is var refusal and not PileStatus.Ok)
        {
            entry = 0;
            return refusal;
        }

        entry = _table.ReadAny(PointerWord.Slot(pointer));
        if (PointerWord.Tag(pointer) != _tag)
        {
            return PileStatus.WrongPile;
        }

        if (!EntryWord.Matches(entry, pointer))
        {
            return TFormat.IsDurable && !_core.Touch!.HasGoodEntry(PointerWord.Slot(pointer), entry) ? PileStatus.Corrupted : PileStatus.Stale;
        }

        if (TFormat.IsDurable && !_core.Touch!.HasGoodHeader(PointerWord.Slot(pointer), entry))
        {
            return PileStatus.Corrupted;
        }

        return expected.Entry != 0 && expected != SeenEntry.Of(_core.Directory, entry) ? PileStatus.Conflict : PileStatus.Ok;
    }

    /// <summary>As <see cref="Check"/>, by a caller outside the epoch.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal PileStatus Ask(ulong pointer, SeenEntry expected)
    {
        EpochLine line = EpochLine.Current;
        long held = line.Enter(_core.Epochs.IdWord);
        try
        {
            return Check(pointer, expected, out _);
        }
        finally
        {
            line.Leave(held);
        }
    }

    /// <summary>Draws the version of the record that is to replace an entry's. Under the slot's stripe.</summary>
    /// <remarks>One more than the stripe's newest is one more than that of the entry's record, or above: to read that would be a wait for memory, behind
    /// the one for the entry. It is read while the stripe may not know all of its slots, and where its versions come near the last, so that one object's many take
    /// none from the others; and for the descriptor of a large object, from which a crawl steps back to the version before it.</remarks>
    /// <param name="slot">The slot.</param>
    /// <param name="entry">Its entry.</param>
    /// <param name="code">The lane of the new record.</param>
    internal ulong NextVersion(uint slot, ulong entry, RecordCode code)
    {
        ref ulong newest = ref _core.Stripes!.NewestVersionOf(slot);
        if (code != RecordCode.Large && !Fault.VersionKept && MayShareVersions(newest))
        {
            return ++newest;
        }

        ulong next = VersionOf(entry) + (Fault.VersionKept ? 0UL : 1);
        newest = ulong.Max(newest, next);
        return next;
    }

    /// <summary>The version to store in place of an entry's record. A tombstone may have the last one again: of a generation it counts whatever its version. What
    /// else would come behind the last is refused before.</summary>
    internal ulong StoredVersion(uint slot, ulong entry, RecordCode code) => ulong.Min(NextVersion(slot, entry, code), DurableRecord.VersionMax);

    /// <summary>Whether an entry's record has the last version. Under the slot's stripe.</summary>
    internal bool HasLastVersion(uint slot, ulong entry) =>
        !MayShareVersions(_core.Stripes!.NewestVersionOf(slot)) && VersionOf(entry) == DurableRecord.VersionMax;

    private bool MayShareVersions(ulong newest) => newest < DurableRecord.VersionMax / 2 && _core.IsCountedWhole;

    private ulong VersionOf(ulong entry) => DurableRecord.Version(_space.ReadWord(EntryWord.Location(entry) + 1));

    /// <summary>Swings the pointer's entry to another word; the cleaner's moves in between are followed. <c>entry</c> is the one
    /// seen, and on Ok the one that was replaced.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PileStatus SwingAway(ulong pointer, SeenEntry expected, ulong target, ref ulong entry)
    {
        while (true)
        {
            ulong seen = _table.Swing(PointerWord.Slot(pointer), entry, target);
            if (seen == entry)
            {
                return PileStatus.Ok;
            }

            if (!EntryWord.Matches(seen, pointer))
            {
                return PileStatus.Stale;
            }

            // In files the caller holds the slot's stripe: only the cleaner can have moved the entry, and what was appended for the
            // new one must not be refused (W2), or recovery would take it for the newest.
            if (expected.Entry != 0 && !TFormat.IsDurable)
            {
                return PileStatus.Conflict;
            }

            entry = seen;
        }
    }

    /// <summary>Counts the record of an entry that was swung away, and retires its run if it was a descriptor.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void CountDead(SegmentWriter<TFormat> writer, ulong entry, uint slot)
    {
        long location = EntryWord.Location(entry);
        ulong word = _space.ReadWord(location);
        bool isCounted = !TFormat.IsDurable || _core.IsCounted(slot, location);
        if (isCounted)
        {
            writer.CountDead(location, SegmentWriter<TFormat>.RecordBytes(RecordWord.PayloadBytes(word)));
        }

        if (RecordWord.Code(word) == RecordCode.Large)
        {
            RetireRun(location, isCounted);
        }
    }

    /// <summary>Counts the tombstone of a free entry that a new object replaced, if it had one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void CountDeadTombstone(SegmentWriter<TFormat> writer, uint slot, ulong entry)
    {
        long location = EntryWord.Location(entry);
        if (location != 0 && _core.IsCounted(slot, location))
        {
            writer.CountDead(location, SegmentWriter<TFormat>.RecordBytes(0));
        }
    }

    /// <summary>Says in the log that a pointer was handed out under which nothing will be put: a table that is built from the log could bring its slot back with a smaller generation.
    /// The caller has the slot, and holds the writer.</summary>
    /// <returns>False without room for the tombstone.</returns>
    internal bool TryBury(SegmentWriter<TFormat> writer, ulong pointer)
    {
        if (!TFormat.IsDurable)
        {
            return true;
        }

        if (_core.WriteRefusal != PileStatus.Ok || !writer.EnsureSpaceToDelete(SegmentWriter<TFormat>.RecordBytes(0)))
        {
            return false;
        }

        uint slot = PointerWord.Slot(pointer);
        uint generation = PointerWord.Generation(pointer);
        long tombstone = writer.Append(slot, RecordCode.Tombstone, default(EmptyPayload), new RecordStamp { Generation = generation, Version = 1 });
        ulong seen = _table.Read(slot);
        ulong before;
        do
        {
            // The cleaner alone may have moved the tombstone of before.
            before = seen;
            seen = _table.Swing(slot, before, EntryWord.Free(generation, tombstone));
        }
        while (seen != before);
        CountDeadTombstone(writer, slot, before);
        return true;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void RetireRun(long location, bool isCounted)
    {
        if (_core.TryReadRun(location, isCounted, out LargeDescriptor run))
        {
            _core.Large.Retire(run.RunLocation, run.PayloadBytes);
        }
    }
}
