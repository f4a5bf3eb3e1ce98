// A server's figures at a moment, and what happened between two of them.
// Counts that went down, because the server was started anew, count from zero.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Pile.Tool.Running;

namespace Pile.Tool.Entries;

/// <summary>A sample.</summary>
/// <param name="At">When, by the clock of the run.</param>
/// <param name="Cache">The whole.</param>
/// <param name="Tables">Its tables; none where they were not asked for.</param>
internal sealed record Sample(long At, CacheRow Cache, IReadOnlyList<TableRow> Tables)
{
    /// <summary>Takes a sample.</summary>
    internal static Sample Take(VerbRun run, IEntries entries, bool withTables) => new(run.Clock.GetTimestamp(), entries.Figures(), withTables ? entries.Tables() : []);

    /// <summary>Takes samples until the run is stopped or there are enough, and shows each with the one before.</summary>
    internal static void Follow(VerbRun run, IEntries entries, TimeSpan every, int count, bool withTables, Action<Sample, Sample> show)
    {
        Sample before = Take(run, entries, withTables);
        for (int index = 0; index < count; index++)
        {
            WaitHandle stop = run.Stop.WaitHandle;
            if (stop.WaitOne(every))
            {
                run.Stop.ThrowIfCancellationRequested();
            }

            Sample now = Take(run, entries, withTables);
            show(before, now);
            before = now;
        }
    }

    /// <summary>The figures of a table at this moment; zeros where there was none.</summary>
    internal CountRow CountsOf(string table) => Tables.FirstOrDefault(row => row.Name == table)?.Counts ?? default;

    /// <summary>How many a second, since an earlier sample.</summary>
    internal double Rate(VerbRun run, Sample before, long was, long now)
    {
        double seconds = run.Clock.GetElapsedTime(before.At, At).TotalSeconds;
        return seconds <= 0 ? 0 : (now >= was ? now - was : now) / seconds;
    }
}
