// Finds the pile's own records again when a directory is opened: schemas and roots, by their slots. Each is verified before it is
// believed; what it means is HeapSchemas' and HeapRoots' business.
using System.Collections.Generic;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Table;

namespace Pile.Heap;

/// <summary>The pile's own records, while it is being opened.</summary>
/// <param name="core">The heap, its table built.</param>
internal sealed class InternalRecords(HeapCore<DurableRecord> core)
{
    private const int FewSlots = 512;
    private bool _isListed = true;

    /// <summary>Their slots.</summary>
    internal SlotList Slots { get; } = new();

    /// <summary>Takes those that a table lists, or looks for them in all entries where its list can't be believed.</summary>
    internal void Take(TableFile table)
    {
        _isListed = table.TryListInternals(Slots);
        if (!_isListed)
        {
            Scan();
        }
    }

    /// <summary>Adds a slot that was put into the table since; one that is none of theirs, or is there, is not.</summary>
    internal void Add(TableFile table, uint slot)
    {
        if (EntryWord.IsInternal(core.Table.Read(slot)) && !Slots.Contains(slot))
        {
            Slots.Add(slot);
            if (_isListed)
            {
                table.AddInternal(slot);
            }
        }
    }

    /// <summary>Lists those that were looked for, so that the next open need not; once meta says that the pile is open, for the table's checksums cover the list.</summary>
    internal void List(TableFile table)
    {
        if (!_isListed)
        {
            table.ListInternals(Slots);
        }
    }

    /// <summary>Looks for them in all entries.</summary>
    /// <param name="cores">Who looks; null for the caller alone.</param>
    internal void Scan(AllCores? cores = null)
    {
        Slots.Clear();
        uint highWater = core.Slots.HighWater;
        var found = new SlotList?[(int)((highWater + FileLimits.TablePieceSlots - 1L) / FileLimits.TablePieceSlots)];
        if (cores is not null)
        {
            cores.Run(found.Length, Look);
        }
        else
        {
            for (int piece = 0; piece < found.Length; piece++)
            {
                Look(piece);
            }
        }

        foreach (SlotList? slots in found)
        {
            if (slots is not null)
            {
                Slots.Add(slots);
            }
        }

        void Look(int piece)
        {
            uint first = (uint)(piece * (long)FileLimits.TablePieceSlots);
            uint end = (uint)long.Min(highWater, first + (long)FileLimits.TablePieceSlots);
            for (uint slot = uint.Max(Limits.FirstSlot, first); slot < end; slot++)
            {
                if (EntryWord.IsInternal(core.Table.Read(slot)))
                {
                    (found[piece] ??= new SlotList()).Add(slot);
                }
            }
        }
    }

    /// <summary>Gives schemas and roots back to a heap.</summary>
    /// <param name="heap">The heap.</param>
    /// <param name="sums">Checksums of the table's pages, when it was closed in order.</param>
    /// <param name="table">What to name when one is damaged.</param>
    /// <param name="damages">Gets what is wrong.</param>
    internal void Restore(DurableHeap heap, TableSums? sums, string table, FirstFew<PileDamageReport> damages)
    {
        FlatSpace space = core.Directory.Space;
        var touch = new FirstTouch(core, PileVerifyOnRead.Always, sums, isVerified: false);
        List<(long Sequence, long Location, uint Slot)> roots = [];

        // Few are looked for one after the other: an open does not wait for a set's code.
        HashSet<uint>? seen = Slots.Count > FewSlots ? [] : null;
        for (int index = 0; index < Slots.Count; index++)
        {
            uint slot = Slots[index];
            ulong entry = core.Table.ReadAny(slot);
            if (slot >= core.Slots.HighWater || !EntryWord.IsInternal(entry) || !(seen?.Add(slot) ?? !Slots.ContainsBefore(index, slot)))
            {
                // A root that was removed since; or its slot has become another one's of the pile's own records, and is listed for both.
                continue;
            }

            if (!touch.IsGood(slot, entry) || LogRecord.Read(space, EntryWord.Location(entry)) is { Code: RecordCode.Root } root && !HeapRoots.CanBe(root.PayloadBytes))
            {
                damages.Add(new PileDamageReport(table, $"slot {slot}: it should lead to a record of the pile's own and does not; objects of a type may be unreadable. Without its table the pile is built anew from its log."));
                continue;
            }

            var record = LogRecord.Read(space, EntryWord.Location(entry));
            if (record.Code == RecordCode.Schema)
            {
                heap.Types.Schemas.Add(space.Bytes(record.Location, DurableRecord.HeaderBytes, record.PayloadBytes).ToArray());
            }
            else if (record.Code == RecordCode.Root)
            {
                roots.Add((core.Directory.At(record.Location).Sequence, record.Location, slot));
            }
        }

        // Of several with one name the last one counts, and the others are ended: where a removal was lost, that is the one that was set after it.
        roots.Sort();
        foreach ((long _, long location, uint slot) in roots)
        {
            (string name, ulong pointer) = HeapRoots.Read(space.Bytes(location, DurableRecord.HeaderBytes, LogRecord.Read(space, location).PayloadBytes));
            heap.Roots.Restore(slot, name, pointer);
        }
    }
}
