// Stores entries that lead to an object of the pile, which other entries may lead to as well: counted first, then the entry, then, in files,
// the object's mark. Whatever ends it in between, the object is the program's as before, or an entry leads to it.
using System;
using Pile.Cache.Entries;
using Pile.Cleaning;
using Pile.Epochs;
using Pile.Format;
using Pile.Segments;

namespace Pile.Cache.Engine;

/// <summary>Entries of one table that share objects. Thread-safe.</summary>
internal sealed class TableShares<TFormat>(TableCore<TFormat> table)
    where TFormat : struct, IRecordFormat
{
    private readonly CacheCore<TFormat> _cache = table.Cache;
    private readonly SharedObjects _shared = table.Cache.Shared;

    /// <summary>Stores an entry that leads to an object.</summary>
    /// <param name="key">The key.</param>
    /// <param name="linked">The object.</param>
    /// <param name="terms">The entry's terms.</param>
    /// <param name="condition">What must hold for it.</param>
    /// <param name="expected">The version expected, where that is the condition.</param>
    /// <param name="result">What became of it, when Ok. Where nothing was stored the object is whose it was.</param>
    /// <returns>Ok; Stale when the object is gone; or what keeps the pile from being written to.</returns>
    internal PileStatus Set(scoped EntryKey key, LinkedValue linked, in EntryTerms terms, SetCondition condition, PileEntryVersion expected, out PileSetResult result)
    {
        if (terms.HasEnded && condition != SetCondition.Kept)
        {
            result = table.Removals.InPlaceOf(key, condition);
            return PileStatus.Ok;
        }

        // Noted until the counts agree again: a close in between leaves it to the next open to count.
        _cache.NoteLoose();
        result = new PileSetResult(PileSetOutcome.Full, 0);
        PileStatus named = PileStatus.Full;
        try
        {
            named = Name(linked.Pointer);
            if (named != PileStatus.Ok)
            {
                return named == PileStatus.Full ? PileStatus.Ok : named;
            }

            ulong a = terms.HeadA(table.Id, key.Bytes.Length, RecordCode.Large) | KeyedHead.LinkedBit;
            return Store(key, a, linked, terms, condition, expected, out result);
        }
        finally
        {
            if (result.IsStored)
            {
                _ = _shared.Keep(linked.Pointer, mark: 0);
                _shared.Marks.Store(linked.Pointer);
            }
            else if (named == PileStatus.Ok)
            {
                _shared.Withdraw(linked.Pointer);
            }

            _cache.NoteSettled();
        }
    }

    private PileStatus Store(scoped EntryKey key, ulong a, LinkedValue linked, in EntryTerms terms, SetCondition condition, PileEntryVersion expected, out PileSetResult result)
    {
        Span<byte> link = stackalloc byte[KeyedHead.LinkBytes];
        linked.Write(link);
        if (!TFormat.IsDurable || table.InSlots is not { } slots)
        {
            return table.Writes.SetRecord(key, a, new BytesPayload(link), terms, condition, expected, out result, linked.Bytes, linked.Pointer);
        }

        // The first entry comes with the mark, as one: else a cut could leave the end of the entry and no mark.
        byte[]? mark = null;
        if (_shared.MarkOf(linked.Pointer) == 0)
        {
            mark = new byte[MarkPayload.Length];
            new MarkPayload(linked.Pointer).WriteTo(mark);
        }

        return slots.StoreAlone(key, a, new BytesPayload(link), terms, condition, expected, new SlotValue(linked.Bytes, default, mark, linked.Pointer), out result);
    }

    /// <summary>Counts the entry that is coming, and makes room for the count.</summary>
    private PileStatus Name(ulong pointer)
    {
        EpochLine line = EpochLine.Current;
        RoomAttempt attempt = default;
        while (true)
        {
            PileStatus status = _shared.TryName(pointer);
            if (status != PileStatus.Full)
            {
                return status;
            }

            long held = line.Enter(_cache.Core.Epochs.WriteWord);
            SegmentWriter<TFormat>? writer = null;
            PileStatus refusal;
            bool isTaken;
            try
            {
                writer = _cache.Core.Writers.Hold(line);
                refusal = _cache.Core.WriteRefusal;
                isTaken = refusal == PileStatus.Ok && _shared.TryTakeRoom();
            }
            finally
            {
                writer?.Release();
                line.Leave(held);
            }

            status = isTaken || refusal != PileStatus.Ok ? refusal : _cache.Core.RoomForWrites.Make(Room.Budget, held, ref attempt, CacheLimits.SharedBytesTogether);
            if (status != PileStatus.Ok)
            {
                return status;
            }
        }
    }
}
