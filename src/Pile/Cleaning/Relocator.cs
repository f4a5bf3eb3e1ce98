// Moves what lives out of one victim: copies each live record to the survivors' open segment, then swings the entry that leads to it.
// It chooses no victim and frees none: that is the cleaner's, whose role is held here too.
using System;
using System.Threading;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Cleaning;

/// <summary>Relocation in one pile. Everything but the counts needs the cleaner's role held.</summary>
/// <param name="space">Where the segments lie.</param>
/// <param name="pool">Where segments for survivors come from.</param>
/// <param name="writers">Whose survivors' writer appends the copies.</param>
/// <param name="tableOwner">The owner of records that are not keyed.</param>
/// <param name="identity">Random identity of the pile's files; 0 in memory.</param>
internal sealed class Relocator<TFormat>(FlatSpace space, SegmentPool pool, WriterSet<TFormat> writers, IRecordOwner tableOwner, ulong identity)
    where TFormat : struct, IRecordFormat
{
    private long _movedBytes;
    private long _movedRecords;
    private long _droppedBytes;

    /// <summary>The owner of keyed records, or null. Set once, before the first of them is stored.</summary>
    internal IKeyedOwner? Keyed { get; set; }

    /// <summary>Bytes of survivors copied.</summary>
    internal long MovedBytes => Volatile.Read(ref _movedBytes);

    /// <summary>Records copied.</summary>
    internal long MovedRecords => Volatile.Read(ref _movedRecords);

    /// <summary>Bytes of records that their owner forgot when they were met: expired or evicted.</summary>
    internal long DroppedBytes => Volatile.Read(ref _droppedBytes);

    /// <summary>Moves all live records of a victim.</summary>
    /// <param name="victim">The segment, which may be cleaned.</param>
    /// <param name="isEvicting">Whether records that are still good are forgotten, as their owner chooses.</param>
    /// <param name="mayPass">As for <see cref="SegmentPool.TryTakeForCleaner"/>.</param>
    internal VictimFate Relocate(Segment victim, bool isEvicting, bool mayPass)
    {
        Span<long> locations = stackalloc long[RoomLimits.CleanerLookahead];
        Span<ulong> words = stackalloc ulong[RoomLimits.CleanerLookahead];
        victim.ReadAhead(0, victim.WrittenBytes);
        var walk = new SegmentWalk<TFormat>(space, victim, victim.WrittenBytes, identity);
        while (true)
        {
            int count = 0;
            while (count < locations.Length && walk.TryNext(out locations[count], out words[count], out _))
            {
                if (HasOwner(words[count]))
                {
                    OwnerOf(words[count]).Prefetch(words[count], locations[count]);
                    count++;
                }
            }

            for (int index = 0; index < count; index++)
            {
                if (!Move(victim, locations[index], words[index], isEvicting, mayPass))
                {
                    return VictimFate.Stays;
                }
            }

            if (count < locations.Length)
            {
                return walk.IsBad ? VictimFate.Unreadable : VictimFate.Emptied;
            }
        }
    }

    /// <summary>Whether a record of a segment whose payload was found damaged is still live: the segment stays as it is until it is not.</summary>
    internal bool HoldsDamage(Segment segment) =>
        segment.Damage is var (sequence, location) && sequence == segment.Sequence && space.ReadWord(location) is var word && OwnerOf(word).TryFind(word, location, out _);

    private bool Move(Segment victim, long location, ulong word, bool isEvicting, bool mayPass)
    {
        SegmentWriter<TFormat> survivors = writers.Survivors;
        int recordBytes = SegmentWriter<TFormat>.RecordBytes(RecordWord.PayloadBytes(word));
        bool isKeyed = RecordWord.Code(word) == RecordCode.Cache;
        if (isKeyed && Keyed!.Judge(word, location, victim, isEvicting) is var fate and not RecordFate.Kept)
        {
            if (fate == RecordFate.Dropped)
            {
                survivors.CountDead(location, recordBytes);
                Volatile.Write(ref _droppedBytes, _droppedBytes + recordBytes);
            }

            return fate != RecordFate.Left;
        }

        IRecordOwner owner = isKeyed ? Keyed! : tableOwner;
        if (!owner.TryFind(word, location, out ulong reference))
        {
            return true;
        }

        if (!IsPayloadWhole(location, word))
        {
            victim.Damage = (victim.Sequence, location);
            return false;
        }

        if (survivors.FreeBytes < recordBytes)
        {
            if (pool.TryTakeForCleaner(mayPass) is not { } segment)
            {
                return false;
            }

            segment.HoldsSurvivors = true;
            survivors.OpenSegment(segment, recordBytes);
        }

        long target = survivors.AppendCopy(location, word, default);
        Fault.Stop(StopPoint.CopyAppended);
        bool swung = !isKeyed && Keyed?.Slots is { } slots && slots.IsEntry(word, location)
            ? slots.TryMove(owner, word, reference, location, target)
            : owner.TryMove(word, reference, target);
        if (isKeyed && swung)
        {
            Keyed!.NoteCopied(survivors.Open!, target);
        }

        survivors.CountDead(swung ? location : target, recordBytes);
        Volatile.Write(ref _movedBytes, _movedBytes + recordBytes);
        Volatile.Write(ref _movedRecords, _movedRecords + 1);
        return true;
    }

    /// <summary>Whether a live record's payload is what was written. The copy of one that is not would look like the end of its segment after a power cut (R6), and
    /// hide what was copied behind it.</summary>
    private bool IsPayloadWhole(long location, ulong word) =>
        !TFormat.IsDurable || PayloadSum.Of(word, space.Bytes(location, TFormat.HeaderBytes, RecordWord.PayloadBytes(word))) == DurableRecord.PayloadCrc(space.ReadWord(location + 2));

    /// <summary>Whether a record has an owner: markers, frames and fillers are of use to recovery alone, and dead from the beginning; a cache's
    /// are dead in a pile that was opened without it.</summary>
    private bool HasOwner(ulong word) => !TFormat.IsDurable || (RecordWord.Code(word) == RecordCode.Cache ? Keyed is not null : RecordWord.Slot(word) != 0);

    private IRecordOwner OwnerOf(ulong word) => RecordWord.Code(word) == RecordCode.Cache ? Keyed! : tableOwner;
}
