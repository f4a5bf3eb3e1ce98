// What processes before this one left in the files: space of segments that were free when they ended, made ready ahead or set aside
// (PileOptions.PreallocationBytes). The rows of such segments say Absent, so that nothing counts it, and the device has it still. A row that
// reads as zeros says so too: who returns it has looked first whether anything leads there (HeapRecount).
using System;
using System.Threading;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Segments;

/// <summary>Space that nothing counts, in the files that were there when the pile was opened: in later ones nobody but this process has any, and they grow by
/// whole huge pages as long as they have no holes. Thread-safe.</summary>
/// <param name="gate">The pool's lock.</param>
/// <param name="absent">Its segments without space.</param>
/// <param name="directory">All segments.</param>
/// <param name="provider">Where their space goes back to.</param>
internal sealed class LeftSpace(Lock gate, AbsentSegments absent, SegmentDirectory directory, RegionProvider provider)
{
    /// <summary>Returns it to the device: of each file that takes much more than its segments do, all that lies together by one call, within the lock, so that
    /// nobody takes a segment meanwhile.</summary>
    /// <param name="ending">Ends it between two calls.</param>
    internal void Trim(CancellationToken ending)
    {
        int first = 0;
        while (first < absent.Restored)
        {
            int end = first + 1;
            while (end < absent.Restored && directory[end].Region == directory[first].Region)
            {
                end++;
            }

            for (int next = HasMore(first, end) ? first : end; next < end && !ending.IsCancellationRequested;)
            {
                using (gate.EnterAnyhow())
                {
                    next = TrimLocked(next, end);
                }
            }

            first = end;
        }
    }

    /// <summary>Takes a segment that holds something out of those without space, so that nobody gets it, nor its space goes.</summary>
    /// <returns>False when somebody has it.</returns>
    internal bool TryKeep(Segment segment)
    {
        using (gate.EnterAnyhow())
        {
            return absent.TryTake(segment);
        }
    }

    /// <inheritdoc cref="AbsentSegments.Hold"/>
    internal void Hold(Func<Segment, bool> mayHold)
    {
        using (gate.EnterAnyhow())
        {
            absent.Hold(mayHold);
        }
    }

    /// <inheritdoc cref="AbsentSegments.EndHold"/>
    internal void EndHold()
    {
        using (gate.EnterAnyhow())
        {
            absent.EndHold();
        }
    }

    /// <summary>Whether a file takes more beside its segments than a keeper makes ready ahead of writers: so much is wanted again soon.</summary>
    private bool HasMore(int first, int end)
    {
        using (gate.EnterAnyhow())
        {
            long bytes = GrowthPolicy.AheadBytesMax;
            for (int index = first; index < end; index++)
            {
                bytes += absent.Contains(index) ? 0 : directory[index].Bytes;
            }

            return provider.TakenBytes(directory[first].Region) >= bytes;
        }
    }

    /// <summary>Returns the first stretch at or behind a segment.</summary>
    /// <returns>Where to go on.</returns>
    private int TrimLocked(int index, int end)
    {
        while (index < end && !absent.Contains(index))
        {
            index++;
        }

        int first = index;
        while (index < end && absent.Contains(index))
        {
            index++;
        }

        if (index > first)
        {
            _ = absent.TryReturn(directory[first], directory[index - 1]);
            absent.ReturnShared(directory[first], directory[index - 1]);
        }

        return index;
    }
}
