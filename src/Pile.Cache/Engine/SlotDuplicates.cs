// Removes what a rebuild could not decide about: of two entries whose keys differ in their bytes and are the same to the table's comparer
// the one that was stored first. Both are there only where a power cut took the note that one had been removed.
using System.Collections.Generic;
using Pile.Epochs;
using Pile.Format;

namespace Pile.Cache.Engine;

/// <summary>Decides about entries that may have one key, once a table's comparer is known.</summary>
internal static class SlotDuplicates
{
    /// <summary>Removes them, before anybody has the table.</summary>
    /// <exception cref="System.ObjectDisposedException">The pile has ended.</exception>
    /// <exception cref="PileFullException">There is no room for what removals leave in the log.</exception>
    internal static void Remove(TableCore<DurableRecord>? table)
    {
        if (table is not { Slots.HasUndecided: true, Comparer: { } comparer })
        {
            return;
        }

        List<(uint Low, SlotSeen Seen)> first = [];
        EpochLine line = EpochLine.Current;
        long held = line.Enter(table.Cache.Core.Epochs.WriteWord);
        try
        {
            table.Cache.RefuseEnded();
            for (uint home = 0; home < table.Index.Homes; home++)
            {
                Look(table, comparer, home, first);
            }
        }
        finally
        {
            line.Leave(held);
        }

        foreach ((uint low, SlotSeen seen) in first)
        {
            PileStatus status = table.SlotRemovals!.RemoveAt(low, seen, RemovalReason.Any);
            if (status != PileStatus.Ok)
            {
                table.ThrowRefused(status);
            }
        }

        table.Slots.HasUndecided = false;
    }

    private static void Look(TableCore<DurableRecord> table, IPileKeyComparer comparer, uint home, List<(uint Low, SlotSeen Seen)> first)
    {
        List<long> locations = [];
        table.Walk.ListChain(home, locations);
        for (int one = 0; one < locations.Count; one++)
        {
            for (int other = one + 1; other < locations.Count; other++)
            {
                (long a, long b) = (locations[one], locations[other]);
                if (table.Lookup.LowAt(a) == table.Lookup.LowAt(b) && comparer.Equals(table.Reads.KeyAt(a), table.Reads.KeyAt(b)))
                {
                    bool isLater = table.Reads.VersionOf(a, table.Lookup.HeadA(a)).Number > table.Reads.VersionOf(b, table.Lookup.HeadA(b)).Number;
                    long gone = isLater ? b : a;
                    first.Add((table.Lookup.LowAt(gone), table.Looks!.SeenAt(gone)));
                }
            }
        }
    }
}
