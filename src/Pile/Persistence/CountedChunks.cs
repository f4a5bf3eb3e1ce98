// How far a recount is: a cursor for each chunk of slots, so that several threads may count, each a chunk of its own (R3).
// Writer of a cursor: the thread that counts its chunk, under the stripe of the slot that it passes. Readers: whoever changes a
// slot, under that slot's stripe; without it a reader could see a slot as not counted that is being counted.
using System.Threading;
using Pile.Primitives;

namespace Pile.Persistence;

/// <summary>The cursors of one recount. Thread-safe.</summary>
/// <param name="endSlots">Slots to count, slot 0 included.</param>
internal sealed class CountedChunks(long endSlots)
{
    /// <summary>Ints between two cursors: a cache line.</summary>
    private const int Stride = 16;

    private readonly int[] _passed = new int[(((endSlots - 1) / FileLimits.TablePieceSlots) + 1) * Stride];
    private int _next = -1;

    /// <summary>Gives the caller a chunk that nobody has.</summary>
    /// <param name="first">Its first slot that is ever issued.</param>
    /// <param name="end">Behind its last slot.</param>
    /// <returns>False when there is none left.</returns>
    internal bool TryTake(out uint first, out uint end)
    {
        long begin = (long)Interlocked.Increment(ref _next) * FileLimits.TablePieceSlots;
        first = (uint)long.Clamp(begin, Limits.FirstSlot, endSlots);
        end = (uint)long.Min(begin + FileLimits.TablePieceSlots, endSlots);
        return begin < endSlots;
    }

    /// <summary>Notes that a slot is counted. Under its stripe; in rising order within a chunk.</summary>
    internal void Pass(uint slot) =>
        Volatile.Write(ref _passed[slot / FileLimits.TablePieceSlots * Stride], (int)(slot % FileLimits.TablePieceSlots) + 1);

    /// <summary>Whether a slot is counted.</summary>
    internal bool HasPassed(uint slot) =>
        slot < endSlots && (int)(slot % FileLimits.TablePieceSlots) < Volatile.Read(ref _passed[slot / FileLimits.TablePieceSlots * Stride]);
}
