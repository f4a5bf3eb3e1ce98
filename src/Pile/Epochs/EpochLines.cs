// The registry of all threads' lines. Lines of threads that ended are dropped when room is needed or a reclaimer is stuck.
// It knows nothing of piles: EpochDomain reads the words.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Epochs;

/// <summary>All epoch lines of the process. Thread-safe.</summary>
internal static class EpochLines
{
    private static readonly Lock _gate = new();

    /// <summary>Lines whose threads have ended, in the order in which that was found. Each is given to another thread only when a number of others
    /// has ended after it: a thread that looks from a page for the first time may be just between the row, which leads to such a line, and
    /// its word, which says so.</summary>
    private static readonly Queue<int> _resting = new();
    private static EpochStays?[] _stays = new EpochStays?[16];
    private static int _count;
    private static long _abandoned;

    /// <summary>Lines that were still inside an epoch when their thread had ended.</summary>
    internal static long AbandonedLines => Volatile.Read(ref _abandoned);

    /// <summary>Lines ever used; each may be anyone's or no one's. Read it after the process-wide barrier: a line beyond it
    /// enters after that barrier, so its thread loads entries that are already swung.</summary>
    internal static int Count => Volatile.Read(ref _count);

    /// <summary>A line by its index.</summary>
    internal static EpochLine At(int index) => new(ThreadLines.At(index));

    /// <summary>The thread that has a line, or null.</summary>
    internal static Thread? ThreadOf(EpochLine line) => Volatile.Read(ref _stays)[ThreadLines.IndexOf(line.Place)]?.Thread;

    /// <summary>Whether a line's thread, inside several piles, is inside this one; of a line just dropped the word says it.</summary>
    internal static bool IsNamed(EpochLine line, int pileId) => Volatile.Read(ref _stays)[ThreadLines.IndexOf(line.Place)]?.IsNamed(pileId) ?? true;

    /// <summary>The nested stays of the calling thread's line.</summary>
    internal static EpochStays StaysOf(EpochLine line) => Volatile.Read(ref _stays)[ThreadLines.IndexOf(line.Place)]!;

    /// <summary>The calling thread's line, found by its thread static or given to it now.</summary>
    /// <returns>Its place.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal static nint FindOwn()
    {
        nint found = ThreadLines.FindSlowly();
        return found != ThreadLines.Nobodys ? found : Add(Thread.CurrentThread).Place;
    }

    /// <summary>Drops the lines of threads that have ended, inside an epoch or not.</summary>
    internal static void DropDead()
    {
        using (_gate.EnterAnyhow())
        {
            DropDeadLocked();
        }
    }

    private static EpochLine Add(Thread thread)
    {
        using (_gate.EnterAnyhow())
        {
            if (_count == _stays.Length)
            {
                DropDeadLocked();
            }

            int free = _count;
            bool isRested = _resting.Count > (_count == Limits.ThreadsMax ? 0 : Limits.LinesResting);
            if (isRested)
            {
                free = _resting.Peek();
            }
            else if (_count == Limits.ThreadsMax)
            {
                Throw.TooManyThreads();
            }
            else if (_count == _stays.Length)
            {
                Array.Resize(ref _stays, _stays.Length * 2);
            }

            // Memory first: a thread that believes to have the line while the registry does not know it would share it with the next one.
            var stays = new EpochStays(thread);
            EpochLine line = At(free);
            stays.IsWatched = ThreadLines.Take(free, line.NextThreadsWord);
            line.Writer = free;
            if (isRested)
            {
                _ = _resting.Dequeue();
            }

            Volatile.Write(ref _stays[free], stays);
            Volatile.Write(ref _count, int.Max(_count, free + 1));
            return line;
        }
    }

    private static void DropDeadLocked()
    {
        for (int index = 0; index < _count; index++)
        {
            if (_stays[index] is not { } stays || stays.Thread.IsAlive)
            {
                continue;
            }

            EpochLine line = At(index);
            if (EpochLine.IsInside(line.Word))
            {
                _abandoned++;
                line.Abandon();
            }

            // The runtime has let go of the thread; the line is another's only when the system has too.
            if (!stays.IsWatched || ThreadLines.HasEnded(index))
            {
                _resting.Enqueue(index);
                Volatile.Write(ref _stays[index], null);
            }
        }
    }
}
