// Numbers of flushes: how what waits for one knows that a flush that began after it has completed.
// It neither flushes nor waits: the flusher counts here, whoever reuses slots, segments or pages asks.
using System;
using System.Threading;

namespace Pile.Segments;

/// <summary>The flushes of one pile. Thread-safe. A pile that promises nothing across a power cut never makes anyone wait.</summary>
/// <param name="isWaitedFor">Whether reuse waits for flushes (PowerSafe).</param>
internal sealed class FlushClock(bool isWaitedFor)
{
    private long _started;
    private long _completed;
    private long _ended;
    private long _asked;

    /// <summary>Whether reuse waits for flushes.</summary>
    internal bool IsWaitedFor { get; } = isWaitedFor;

    /// <summary>Number of the last flush that began.</summary>
    internal long Started => Volatile.Read(ref _started);

    /// <summary>Number of the last flush that completed.</summary>
    internal long Completed => Volatile.Read(ref _completed);

    /// <summary>Whether a flush runs: one that ended without being complete is followed by another, of the next number.</summary>
    internal bool IsRunning => Volatile.Read(ref _ended) < Started;

    /// <summary>Whether a flush has yet to complete that has begun, or was asked for.</summary>
    internal bool IsOwed => IsWaitedFor && Completed < long.Max(Started, Volatile.Read(ref _asked));

    /// <summary>What to call when something waits for a flush; set by the flusher.</summary>
    internal Action Wanted { get; set; } = static () => { };

    /// <summary>The flush that covers everything stored before this call: the next one to begin.</summary>
    internal long Next => IsWaitedFor ? Started + 1 : 0;

    /// <summary>Whether a flush has completed; always, where nobody waits for flushes.</summary>
    internal bool HasCovered(long flush) => !IsWaitedFor || Completed >= flush;

    /// <summary>Asks for the flush that something waits for, unless it runs already: it comes soon then, and another one behind it would be for nobody.</summary>
    /// <param name="flush">What <see cref="Next"/> was when that was stored.</param>
    internal void Ask(long flush)
    {
        if (IsWaitedFor && flush > (IsRunning ? Started : Completed))
        {
            // One of two at once may be lost: who waits asks again.
            Volatile.Write(ref _asked, flush);
            Wanted();
        }
    }

    /// <summary>Continues the numbers of a pile that was opened again.</summary>
    internal void ContinueAt(long flush)
    {
        Volatile.Write(ref _started, flush);
        Volatile.Write(ref _completed, flush);
        Volatile.Write(ref _ended, flush);
    }

    /// <summary>Begins the next flush. One caller at a time.</summary>
    /// <returns>Its number.</returns>
    internal long Begin() => Interlocked.Increment(ref _started);

    /// <summary>Notes that a flush completed.</summary>
    internal void Complete(long flush)
    {
        Volatile.Write(ref _completed, flush);
        End(flush);
    }

    /// <summary>Notes that a flush ended, and is not complete unless that was noted before.</summary>
    internal void End(long flush) => Volatile.Write(ref _ended, flush);
}
