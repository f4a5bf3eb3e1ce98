// The registry of all threads' lines. Lines of threads that ended are dropped when room is needed or a reclaimer is stuck.
// It knows nothing of piles: EpochDomain reads the words.
using System;
using System.Threading;

namespace Pile.Epochs;

/// <summary>All epoch lines of the process. Thread-safe.</summary>
internal static class EpochLines
{
    private static readonly Lock _gate = new();
    private static EpochLine?[] _lines = new EpochLine?[16];
    private static int _added;
    private static long _abandoned;

    /// <summary>Lines that were still inside an epoch when their thread had ended.</summary>
    internal static long AbandonedLines => Volatile.Read(ref _abandoned);

    /// <summary>The present lines; entries may be null. Read it after the process-wide barrier.</summary>
    internal static ReadOnlySpan<EpochLine?> Snapshot() => Volatile.Read(ref _lines);

    /// <summary>Registers a line for a thread.</summary>
    internal static EpochLine Add(Thread thread)
    {
        lock (_gate)
        {
            var line = new EpochLine(thread, _added++);
            int free = Array.IndexOf(_lines, null);
            if (free < 0)
            {
                DropDeadLocked();
                free = Array.IndexOf(_lines, null);
            }

            if (free < 0)
            {
                // A reclaimer may still scan the old array. A line that is only in the new one enters after the
                // reclaimer's barrier, so its thread loads entries that are already swung.
                var grown = new EpochLine?[_lines.Length * 2];
                _lines.CopyTo(grown, 0);
                free = _lines.Length;
                grown[free] = line;
                Volatile.Write(ref _lines, grown);
            }
            else
            {
                Volatile.Write(ref _lines[free], line);
            }

            return line;
        }
    }

    /// <summary>Drops the lines of threads that have ended, inside an epoch or not.</summary>
    internal static void DropDead()
    {
        lock (_gate)
        {
            DropDeadLocked();
        }
    }

    private static void DropDeadLocked()
    {
        for (int index = 0; index < _lines.Length; index++)
        {
            EpochLine? line = _lines[index];
            if (line is not null && !line.Thread.IsAlive)
            {
                if (line.Word != 0)
                {
                    _abandoned++;
                    line.Abandon();
                }

                Volatile.Write(ref _lines[index], null);
            }
        }
    }
}
