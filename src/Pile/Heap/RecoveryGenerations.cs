// Generations after a recovery: how many may have been issued and lost, and free entries raised above those, so that a pointer of
// before never leads to an object of after. What was cut is not known here (RecoveryCuts).
using Pile.Format;
using Pile.Primitives;

namespace Pile.Heap;

/// <summary>Generations of free slots after a recovery.</summary>
internal static class RecoveryGenerations
{
    /// <summary>How many recoveries to count with this one.</summary>
    /// <param name="core">The heap, its table built.</param>
    /// <param name="recoveries">Recoveries so far.</param>
    /// <param name="isCrawled">Whether the table is built from the log, which does not know what batches had handed out that were open at the end; and where the power was cut one record of each
    /// slot may be missing, for freed slots wait for a flush.</param>
    /// <param name="isReusedAtOnce">Whether it was cut, and they do not wait: then any number may be missing that was reused since the system wrote the pages.</param>
    /// <param name="isLoss">Whether records are damaged, and the loss of them was accepted now: what a recovery before knew was counted then.</param>
    internal static uint CountOf(HeapCore<DurableRecord> core, uint recoveries, bool isCrawled, bool isReusedAtOnce, bool isLoss)
    {
        // No count of a file's is beyond the last generation, whatever it says.
        recoveries = uint.Min(EntryWord.GenerationLast - 1, recoveries);
        recoveries += isReusedAtOnce ? FileLimits.LostGenerationsMax : isCrawled && !Fault.RecoveryNotCounted ? 1u : 0;
        return isLoss ? BeyondLost(core, recoveries) : uint.Min(EntryWord.GenerationLast - 1, recoveries);
    }

    /// <summary>How many recoveries to count where records were lost: so many that no free slot goes on with a generation that it had. What the
    /// slots of lost records had is not known; the greatest that any slot has now is taken for it, and some more.</summary>
    /// <param name="core">The heap, its table built.</param>
    /// <param name="recoveries">Recoveries so far.</param>
    internal static uint BeyondLost(HeapCore<DurableRecord> core, uint recoveries)
    {
        uint greatest = 0;
        for (uint slot = Limits.FirstSlot; slot < core.Slots.HighWater; slot++)
        {
            ulong entry = core.Table.Read(slot);
            greatest = uint.Max(greatest, EntryWord.IsInternal(entry) ? DurableRecord.Generation(core.Directory.Space.ReadWord(EntryWord.Location(entry) + 1)) : EntryWord.Generation(entry));
        }

        return uint.Min(EntryWord.GenerationLast - 1, uint.Max(recoveries, greatest + FileLimits.LostGenerationsMax));
    }

    /// <summary>Raises free entries above every generation that may have been issued and lost (R8), or cleared.</summary>
    /// <param name="core">The heap, its table built.</param>
    /// <param name="recoveries">Recoveries with this one.</param>
    /// <param name="floors">Generations of before the pile was cleared, or null.</param>
    /// <param name="cores">Who looks at them.</param>
    internal static void Raise(HeapCore<DurableRecord> core, uint recoveries, GenerationFloors? floors, AllCores cores)
    {
        uint highWater = recoveries > 0 || floors is not null ? core.Slots.HighWater : 0;
        cores.Run((int)((highWater + FileLimits.TablePieceSlots - 1L) / FileLimits.TablePieceSlots), piece =>
        {
            uint first = (uint)(piece * (long)FileLimits.TablePieceSlots);
            uint end = (uint)long.Min(highWater, first + (long)FileLimits.TablePieceSlots);
            for (uint slot = uint.Max(Limits.FirstSlot, first); slot < end; slot++)
            {
                ulong entry = core.Table.Read(slot);
                if (!EntryWord.IsLive(entry) && !EntryWord.IsInternal(entry))
                {
                    core.Table.Publish(slot, Raised(slot, entry, recoveries, floors));
                }
            }
        });
    }

    private static ulong Raised(uint slot, ulong entry, uint recoveries, GenerationFloors? floors)
    {
        // Without a record the slot's own generation is not known: then the floor is what it can't have passed.
        long location = EntryWord.Location(entry);
        uint generation = location == 0 ? floors?.Of(slot) ?? 0 : EntryWord.Generation(entry);
        return EntryWord.Free(uint.Min(EntryWord.GenerationMax, generation + recoveries), location);
    }
}
