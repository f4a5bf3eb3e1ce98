// Reads ahead what a pile in files will be asked for: after an open its table and segments are in no memory of the process yet.
// It verifies nothing; what is read twice, or given back by the system meanwhile, costs time alone.
using System;
using System.Threading;
using Pile.Format;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>Warm-up of one pile in files.</summary>
internal static class WarmUp
{
    /// <summary>Touches a word of each page of the table, then of each segment, the newest first.</summary>
    /// <param name="core">The heap.</param>
    /// <param name="cancellationToken">Ends it.</param>
    internal static void Run(HeapCore<DurableRecord> core, CancellationToken cancellationToken)
    {
        const int WordsOfPage = Limits.OsPageBytes / Limits.WordBytes;
        const int WordsOfStep = (int)(FileLimits.ScrubStepBytes / Limits.WordBytes);
        ulong touched = 0;
        for (uint slot = 0; slot < core.Slots.HighWater; slot += WordsOfPage)
        {
            if (slot % WordsOfStep == 0)
            {
                cancellationToken.ThrowIfCancellationRequested();
            }

            touched |= core.Table.Read(slot);
        }

        var segments = new Segment[core.Directory.Count];
        long[] ages = new long[segments.Length];
        for (int index = 0; index < segments.Length; index++)
        {
            // As they are now: writers give segments new numbers meanwhile.
            segments[index] = core.Directory[index];
            ages[index] = -segments[index].Sequence;
        }

        Array.Sort(ages, segments);
        foreach (Segment segment in segments)
        {
            cancellationToken.ThrowIfCancellationRequested();
            segment.ReadAhead(0, segment.WrittenBytes);
            for (int words = 0; segment.State is SegmentState.Sealed && words < segment.WrittenBytes / Limits.WordBytes; words += WordsOfPage)
            {
                touched |= core.Directory.Space.ReadWord(segment.Location + words);
            }
        }

        // What was read is used for something, so that it is read.
        GC.KeepAlive(touched);
    }
}
