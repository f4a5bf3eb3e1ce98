// The entries of the table as they were at one moment: every writer is held while they are copied, 8 bytes a slot. The thread that
// took it stays in the epoch of that moment, so that no record of then is overwritten before it lets go, whatever others write.
// The copying of the pile's files (PileCopier) gets its moment in the same way, from the lengths of segments instead.
using System;
using System.Collections.Generic;
using Pile.Epochs;
using Pile.Format;
using Pile.Primitives;

namespace Pile.Heap;

/// <summary>A moment of a heap. Belongs to the thread that took it.</summary>
internal sealed class TableMoment : IDisposable
{
    private const int PartShift = 16;
    private const int PartSlots = 1 << PartShift;
    private readonly EpochLine _line;
    private readonly List<ulong[]> _parts;
    private readonly HashSet<uint> _gonePages;
    private readonly long _held;

    private TableMoment(EpochLine line, long held, List<ulong[]> parts, uint highWater, HashSet<uint> gonePages)
    {
        _line = line;
        _held = held;
        _parts = parts;
        _gonePages = gonePages;
        HighWater = highWater;
    }

    /// <summary>Slots ever issued, slot 0 included.</summary>
    internal uint HighWater { get; }

    /// <summary>The entry of a slot below <see cref="HighWater"/>. Of a slot that is used up and whose page was given back, the
    /// greatest generation.</summary>
    internal ulong this[uint slot]
    {
        get
        {
            ulong entry = _parts[(int)(slot >> PartShift)][slot & (PartSlots - 1)];
            return entry == 0 && _gonePages.Count > 0 && _gonePages.Contains(slot / Limits.TablePageSlots) ? EntryWord.Free(EntryWord.GenerationMax) : entry;
        }
    }

    /// <summary>Takes the moment of now.</summary>
    /// <param name="core">The heap. It is cared for, or not disposed for another reason, until the moment is.</param>
    /// <param name="note">Notes what else belongs to the moment, while no writer writes.</param>
    internal static TableMoment Take<TFormat>(HeapCore<TFormat> core, Action note)
        where TFormat : struct, IRecordFormat
    {
        // Memory first: while writers are held nothing is waited for.
        var parts = new List<ulong[]>();
        Extend(parts, core.Slots.HighWater + (long)PartSlots);
        EpochLine line = EpochLine.Current;
        core.Writers.HoldAll();
        long? held = null;
        try
        {
            held = line.Enter(core.Epochs.IdWord);
            uint highWater = core.Slots.HighWater;
            Extend(parts, highWater);
            for (uint slot = 0; slot < highWater; slot++)
            {
                parts[(int)(slot >> PartShift)][slot & (PartSlots - 1)] = core.Table.Read(slot);
            }

            note();
            return new TableMoment(line, held.Value, parts, highWater, core.Slots.GonePages());
        }
        catch when (held is { } entered)
        {
            line.Leave(entered);
            throw;
        }
        finally
        {
            core.Writers.ReleaseAll();
        }
    }

    /// <summary>Takes a slot's record out of the moment: it counts as free.</summary>
    /// <param name="slot">The slot.</param>
    /// <param name="generation">Its generation.</param>
    internal void Forget(uint slot, uint generation) => _parts[(int)(slot >> PartShift)][slot & (PartSlots - 1)] = EntryWord.Free(generation);

    /// <summary>Lets go of the moment.</summary>
    public void Dispose() => _line.Leave(_held);

    private static void Extend(List<ulong[]> parts, long slots)
    {
        while ((long)parts.Count << PartShift < slots)
        {
            parts.Add(new ulong[PartSlots]);
        }
    }
}
