// The registry of all threads' lines. Lines of threads that ended are dropped when room is needed or a reclaimer is stuck.
// It knows nothing of piles: EpochDomain reads the words.
using System;
using System.Threading;

namespace Pile.Epochs;

/// <summary>All epoch lines of the process. Thread-safe.</summary>
internal static class EpochLines
{
    private static readonly Lock Gate = new();
    private static EpochLine?[] s_lines = new EpochLine?[16];
    private static int s_added;
    private static long s_abandoned;

    /// <summary>Lines that were still inside an epoch when their thread had ended.</summary>
    internal static long AbandonedLines => Volatile.Read(ref s_abandoned);

    /// <summary>The present lines; entries may be null. Read it after the process-wide barrier.</summary>
    internal static ReadOnlySpan<EpochLine?> Snapshot() => Volatile.Read(ref s_lines);

    /// <summary>Registers a line for a thread.</summary>
    internal static EpochLine Add(Thread thread)
    {
        lock (Gate)
        {
            var line = new EpochLine(thread, s_added++);
            int free = Array.IndexOf(s_lines, null);
            if (free < 0)
            {
                DropDeadLocked();
                free = Array.IndexOf(s_lines, null);
            }

            if (free < 0)
            {
                // A reclaimer may still scan the old array. A line that is only in the new one enters after the
                // reclaimer's barrier, so its thread loads entries that are already swung.
                var grown = new EpochLine?[s_lines.Length * 2];
                s_lines.CopyTo(grown, 0);
                free = s_lines.Length;
                grown[free] = line;
                Volatile.Write(ref s_lines, grown);
            }
            else
            {
                Volatile.Write(ref s_lines[free], line);
            }

            return line;
        }
    }

    /// <summary>Drops the lines of threads that have ended, inside an epoch or not.</summary>
    internal static void DropDead()
    {
        lock (Gate)
        {
            DropDeadLocked();
        }
    }

    private static void DropDeadLocked()
    {
        for (int index = 0; index < s_lines.Length; index++)
        {
            EpochLine? line = s_lines[index];
            if (line is not null && !line.Thread.IsAlive)
            {
                if (line.Word != 0)
                {
                    s_abandoned++;
                    line.Abandon();
                }

                Volatile.Write(ref s_lines[index], null);
            }
        }
    }
}
