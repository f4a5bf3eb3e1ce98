// What a write does about room: hands the question to RoomMaker, guarded against Dispose, unless the thread is inside a
// lease of its own; and the now and then reclaiming of large objects that writes bring about.
using System;
using System.Runtime.CompilerServices;
using Pile.Cleaning;
using Pile.Format;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>Room for writes. Thread-safe. Called after the writer and the pin were given back.</summary>
internal sealed class HeapRoom<TFormat>(HeapCore<TFormat> core)
    where TFormat : struct, IRecordFormat
{
    /// <summary>Has the calling thread count what lives, where no other has begun to.</summary>
    internal Action CountNow { get; set; } = static () => { };

    /// <summary>Waits until every slot is counted, or Dispose has begun. Who begins the count may be waiting for the caller: an open, or a listener that it tells.</summary>
    internal void WaitCounted()
    {
        if (!core.Counted.IsSet && core.TryEnterCare())
        {
            try
            {
                CountNow();
            }
            finally
            {
                core.ExitCare();
            }
        }

        core.WaitCounted();
    }

    /// <summary>Makes room for a call that found none.</summary>
    /// <param name="missing">What was missing.</param>
    /// <param name="held">What entering the epoch returned: 0 inside a lease of the thread's own.</param>
    /// <param name="attempt">The call's memory of its attempts.</param>
    /// <param name="requestBytes">Bytes of the payload.</param>
    /// <returns>Ok: start again. Else Full, Disposed or Poisoned.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal PileStatus Make(Room missing, long held, ref RoomAttempt attempt, int requestBytes)
    {
        if (core.WriteRefusal == PileStatus.Poisoned)
        {
            // What found no room was a call of the files that failed.
            return PileStatus.Poisoned;
        }

        // Inside its own lease a thread can't wait for readers: it is one. It never holds a writer here.
        if (held == 0)
        {
            // It may grow up to the limit, though, since cleaning is out of its reach.
            bool mayGrow = missing == Room.Segment && !attempt.OverRatio;
            attempt.OverRatio = true;
            return mayGrow ? PileStatus.Ok : core.Room.Refuse(requestBytes);
        }

        if (!core.Counted.IsSet && (missing != Room.Segment || attempt.OverRatio))
        {
            // Nothing of before the open is cleaned, and no slot of before is free, until everything is counted: it would be answered Full of a pile that has room.
            WaitCounted();
            attempt.Restart();
        }

        if (!core.TryEnterCare())
        {
            return PileStatus.Disposed;
        }

        try
        {
            PileStatus status = core.Room.Make(missing, requestBytes, ref attempt);
            return status == PileStatus.Full && core.WriteRefusal == PileStatus.Poisoned ? PileStatus.Poisoned : status;
        }
        finally
        {
            core.ExitCare();
        }
    }

    /// <summary>Frees large objects that wait for their epoch, when enough of them do.</summary>
    /// <param name="held">What entering the epoch returned.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void ReclaimLarge(long held)
    {
        if (core.Large.ShouldReclaim && held != 0)
        {
            ReclaimLargeNow();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void ReclaimLargeNow()
    {
        if (core.TryEnterCare())
        {
            try
            {
                core.Large.ReclaimForWriter();
            }
            finally
            {
                core.ExitCare();
            }
        }
    }
}
