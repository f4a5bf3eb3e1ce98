// Gives segments that were reserved their space, and takes it back from those that have none of it. For files that is a call of the system: nobody else has
// such a segment meanwhile, and no lock is held.
using System.Threading;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Segments;

/// <summary>Segments on their way to be used, or to be absent again. Thread-safe.</summary>
/// <param name="gate">The pool's lock.</param>
/// <param name="absent">Its segments without space.</param>
/// <param name="provider">Where their space comes from.</param>
/// <param name="budget">What the pile may use.</param>
internal readonly struct GrownSegments(Lock gate, AbsentSegments absent, RegionProvider provider, MemoryBudget budget)
{
    /// <summary>Gives a reserved segment its space; where the device has no room for it, another one is taken that kept its own, for which no more is wanted.</summary>
    /// <param name="grown">The segment, or null.</param>
    /// <param name="keepBytes">As for <see cref="AbsentSegments.TryReserve"/>, as the next two.</param>
    /// <param name="bytesMin">What it has at least.</param>
    /// <param name="mayPass">Whether the budget may be passed.</param>
    /// <param name="isForCleaner">Whether it may take of what growth leaves free.</param>
    /// <returns>The one that has space, or null.</returns>
    internal Segment? Allocated(Segment? grown, long keepBytes, int bytesMin, bool mayPass = false, bool isForCleaner = false)
    {
        if (grown is null || TryAllocate(grown, isForCleaner))
        {
            return grown;
        }

        Segment? kept;
        using (gate.EnterAnyhow())
        {
            kept = absent.TryReserveKept(keepBytes, bytesMin, mayPass);
        }

        return kept is not null && TryAllocate(kept, isForCleaner: true, isKept: true) ? kept : null;
    }

    /// <summary>Gives a reserved segment its space; where there is none, or that throws, it is absent again.</summary>
    internal bool TryAllocate(Segment segment, bool isForCleaner, bool isKept = false)
    {
        bool isAllocated = false;
        try
        {
            isAllocated = isKept
                ? provider.TryAllocateKept(segment.Region, segment.RegionOffset, segment.Bytes)
                : provider.TryAllocate(segment.Region, segment.RegionOffset, segment.Bytes, isForCleaner);
        }
        finally
        {
            if (!isAllocated)
            {
                MakeAbsent(segment);
            }
        }

        segment.FilledBytes = !isAllocated ? segment.FilledBytes : provider.FillsBeforeUse ? 0 : segment.Bytes;
        return isAllocated;
    }

    /// <summary>Makes a segment absent, and gives back its bytes of the budget.</summary>
    internal void MakeAbsent(Segment segment)
    {
        using (gate.EnterAnyhow())
        {
            segment.State = SegmentState.Absent;
            absent.Add(segment);
        }

        budget.GiveBack(segment.Bytes);
    }
}
