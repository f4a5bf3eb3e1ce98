// What a write does when it found no room: the door between the calls of a thread and the cleaning that RoomMaker does.
// It holds no writer and no epoch pin of its own; the caller has given back both and starts again afterwards (W3).
using Pile.Cleaning;
using Pile.Format;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>Room for writes. Thread-safe.</summary>
internal sealed class HeapRoom<TFormat>(HeapCore<TFormat> core)
    where TFormat : struct, IRecordFormat
{
    /// <summary>Makes room, or says that there is none.</summary>
    /// <param name="missing">What was missing.</param>
    /// <param name="outer">What the call's entering of the epoch returned: not 0 when the thread is inside a lease.</param>
    /// <param name="attempt">The call's own memory of its attempts.</param>
    /// <param name="needBytes">Bytes of the budget that are needed.</param>
    /// <returns>Ok: start again. Full or Disposed: give up.</returns>
    internal PileStatus Make(Room missing, long outer, ref RoomAttempt attempt, long needBytes = Limits.HugePageBytes)
    {
        // Inside its own lease a thread can't wait for readers: it is one. It never holds a writer here.
        if (outer != 0)
        {
            // It may grow up to the limit, though, since cleaning is out of its reach.
            bool mayGrow = missing == Room.Segment && !attempt.OverRatio;
            attempt.OverRatio = true;
            return mayGrow ? PileStatus.Ok : PileStatus.Full;
        }

        if (!core.TryEnterCare())
        {
            return PileStatus.Disposed;
        }

        try
        {
            return core.Room.Make(missing, needBytes, ref attempt);
        }
        finally
        {
            core.ExitCare();
        }
    }
}
