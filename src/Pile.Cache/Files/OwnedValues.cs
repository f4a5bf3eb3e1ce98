// Large values of entries are objects of the pile, and say so in their first bytes. Those that no entry owns are deleted after an open
// that was no clean one: whoever stored them was killed before the entry, or their table started empty.
using System.Collections.Generic;
using System.Threading;
using Pile.Format;
using Pile.Heap;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;

namespace Pile.Cache.Files;

/// <summary>Values that entries own, while a cache is attached.</summary>
/// <param name="core">The heap.</param>
/// <param name="pile">The pile.</param>
internal sealed class OwnedValues(HeapCore<DurableRecord> core, ObjectPile pile)
{
    /// <summary>Bytes before the value itself.</summary>
    internal const int PrefixBytes = 8;

    private readonly Dictionary<int, HashSet<ulong>?> _kept = [];
    private readonly List<ulong> _orphans = [];
    private readonly Lock _gate = new();

    /// <summary>Keeps all values of a table.</summary>
    internal void KeepAllOf(int table) => _kept[table] = null;

    /// <summary>Keeps some values of a table, and no others of it.</summary>
    internal void Keep(int table, HashSet<ulong> pointers) => _kept[table] = pointers;

    /// <summary>Deletes all others.</summary>
    internal void DeleteOrphans(AllCores cores)
    {
        uint slots = core.Slots.HighWater;
        cores.Run((int)((slots + (long)Limits.TablePieceSlots - 1) / Limits.TablePieceSlots), piece =>
        {
            uint first = (uint)piece * (uint)Limits.TablePieceSlots;
            uint end = (uint)long.Min(slots, first + (long)Limits.TablePieceSlots);
            for (uint slot = uint.Max(Limits.FirstSlot, first); slot < end; slot++)
            {
                Look(slot);
            }
        });

        foreach (ulong pointer in _orphans)
        {
            _ = pile.Writes.TryDelete(pointer);
        }

        _orphans.Clear();
    }

    private void Look(uint slot)
    {
        ulong entry = core.Table.Read(slot);
        if (!EntryWord.IsLive(entry)
            || !LogRecord.TryRead(core.Extents, core.Directory, core.Log.Identity, EntryWord.Location(entry), out LogRecord record)
            || record.Code != RecordCode.Large || record.PayloadBytes < LargeDescriptor.Bytes)
        {
            return;
        }

        FlatSpace space = core.Directory.Space;
        LargeDescriptor run = LargeDescriptor.Read(space.Bytes(record.Location, DurableRecord.HeaderBytes, LargeDescriptor.Bytes));
        if (run.Code != RecordCode.Extended || run.PayloadBytes < PrefixBytes || !core.Extents.Contains(run.RunLocation, run.PayloadBytes))
        {
            return;
        }

        ulong prefix = space.ReadWord(run.RunLocation);
        ulong pointer = PointerWord.Pack(slot, core.Tag, EntryWord.Generation(entry));
        if ((byte)prefix == (byte)ExtendedKind.CacheValue && !IsKept((int)(prefix >> 32), pointer))
        {
            lock (_gate)
            {
                _orphans.Add(pointer);
            }
        }
    }

    private bool IsKept(int table, ulong pointer) => _kept.TryGetValue(table, out HashSet<ulong>? kept) && (kept is null || kept.Contains(pointer));
}
