// The segments that have no memory, and how many bytes all others have. One that gets memory takes its bytes from the budget first, so that
// what is resident never passes it; who gives one back gives back its bytes, once it is here again. Where space goes back by blocks (SpaceBlocks), one that
// several segments share goes with the last of them.
using System;
using System.Threading;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Segments;

/// <summary>Absent segments of a pile. Changed under the pool's lock; the bytes may be read by anyone.</summary>
internal sealed class AbsentSegments(SegmentDirectory directory, RegionProvider provider, MemoryBudget budget, bool hugePages)
{
    private readonly IndexSet _set = new();
    private readonly IndexSet _held = new();
    private Func<Segment, bool>? _mayHold;
    private readonly SpaceBlocks _blocks = provider.Blocks;
    private long _othersBytes;

    /// <summary>Bytes of all segments that are not here.</summary>
    internal long OthersBytes => Volatile.Read(ref _othersBytes);

    /// <summary>Takes one out, and its bytes from the budget; a new one where there is none. It counts as resident from here on, and is nobody else's:
    /// the caller allocates it without the lock, since for files that is a call of the system.</summary>
    /// <param name="free">Where segments go once they are free.</param>
    /// <param name="keepBytes">Bytes of the budget that must be left.</param>
    /// <param name="bytesMin">What it has at least.</param>
    /// <param name="mayPass">Whether the budget may be passed.</param>
    /// <returns>Null when the budget or the address space has no more.</returns>
    internal Segment? TryReserve(FreeSegments free, long keepBytes, int bytesMin = 0, bool mayPass = false)
    {
        int lowest = TakeLowest(bytesMin);
        if (lowest < 0)
        {
            // Memory first, for as many as one extent may hold and some of the next: whoever frees one later must need none.
            int end = directory.Count + (Limits.ExtentBytes / directory.SegmentBytesMin) + Limits.SegmentsAddedAtOnce;
            _set.Reserve(end);
            free.Reserve(end);
            int nextBytes = int.Max(bytesMin, directory.SegmentBytesFor(OthersBytes));
            int added = !mayPass && budget.FreeBytes < nextBytes + keepBytes ? 0 : directory.TryAdd(OthersBytes, hugePages, bytesMin);
            for (int index = directory.Count - added; index < directory.Count; index++)
            {
                _set.Add(index);
            }

            lowest = TakeLowest(bytesMin);
        }

        return TakeOut(lowest, keepBytes, mayPass);
    }

    /// <summary>As <see cref="TryReserve"/>, one that needs no space of the device, since it kept its own.</summary>
    internal Segment? TryReserveKept(long keepBytes, int bytesMin, bool mayPass)
    {
        int lowest = _set.TakeLowest(index => directory[index] is { KeepsSpace: true } one && one.Bytes >= bytesMin && HasNothing(index));
        return TakeOut(lowest, keepBytes, mayPass);
    }

    /// <summary>Segments that the pile had when it was opened, from the first.</summary>
    internal int Restored { get; private set; }

    /// <summary>Whether a segment is here.</summary>
    internal bool Contains(int index) => _set.Contains(index) || _held.Contains(index);

    /// <summary>Takes a certain one out, for good: it counts nowhere.</summary>
    internal bool TryTake(Segment segment) =>
        _set.TakeLowest(index => index == segment.Index) >= 0 || _held.TakeLowest(index => index == segment.Index) >= 0;

    /// <summary>From now on nobody gets one that the pile had when it was opened and that may hold something, until <see cref="EndHold"/>. Each is asked about once,
    /// when it would be handed out.</summary>
    internal void Hold(Func<Segment, bool> mayHold)
    {
        _held.Reserve(Restored);
        _mayHold = mayHold;
    }

    /// <summary>Lets those that were passed over be taken; what holds something is out for good by now.</summary>
    internal void EndHold()
    {
        _mayHold = null;
        while (_held.Count > 0)
        {
            _set.Add(_held.TakeLowest());
        }
    }

    /// <summary>Takes one back, whose bytes the caller then gives back to the budget.</summary>
    internal void Add(Segment segment)
    {
        _set.Add(segment.Index);
        Volatile.Write(ref _othersBytes, _othersBytes - segment.Bytes);
        ReturnShared(segment, segment);
    }

    /// <summary>Returns the space of neighbours that nobody else has, but for what they share with others. Needs no lock.</summary>
    /// <returns>False when the platform can't.</returns>
    internal bool TryReturn(Segment first, Segment last)
    {
        long from = _blocks.Ceiling(first.RegionOffset);
        long to = _blocks.Floor(last.RegionOffset + last.Bytes);
        if (from >= to)
        {
            return true;
        }

        for (int index = first.Index; index <= last.Index; index++)
        {
            directory[index].KeepsSpace &= directory[index].RegionOffset >= to || directory[index].RegionOffset + directory[index].Bytes <= from;
        }

        return provider.TryGiveBack(first.Region, from, to - from);
    }

    /// <summary>Returns the blocks at both ends of neighbours that are here, where the others that share them are here too.</summary>
    internal void ReturnShared(Segment first, Segment last)
    {
        long end = last.RegionOffset + last.Bytes;
        long begins = _blocks.Floor(first.RegionOffset);
        long ends = _blocks.Floor(end);
        if (begins < first.RegionOffset)
        {
            TryReturnBlock(first, begins);
        }

        if (ends < end && (ends != begins || begins == first.RegionOffset))
        {
            TryReturnBlock(last, ends);
        }
    }

    private void TryReturnBlock(Segment within, long offset)
    {
        long end = long.Min(offset + _blocks.Bytes, within.Region.Bytes);
        int first = within.Index;
        for (int index = first; index >= 0 && directory[index] is var one && one.Region == within.Region && one.RegionOffset + one.Bytes > offset; index--)
        {
            if (!HasNothing(index))
            {
                return;
            }

            first = index;
        }

        // What of the extent has not become segments yet has nothing either.
        for (int index = within.Index + 1; index < directory.Count && directory[index] is var one && one.Region == within.Region && one.RegionOffset < end; index++)
        {
            if (!HasNothing(index))
            {
                return;
            }
        }

        for (int index = first; index < directory.Count && directory[index] is var one && one.Region == within.Region && one.RegionOffset < end; index++)
        {
            one.KeepsSpace = false;
        }

        _ = provider.TryGiveBack(within.Region, offset, end - offset);
    }

    private bool HasNothing(int index) => _set.Contains(index) && (_mayHold is null || index >= Restored);

    /// <summary>Takes back those of a pile that was opened again, and from the budget the bytes of all others.</summary>
    /// <returns>False when the budget has not so many.</returns>
    internal bool TryRestore()
    {
        bool fits = true;
        Restored = directory.Count;
        _set.Reserve(directory.Count);
        for (int index = 0; index < directory.Count; index++)
        {
            Segment segment = directory[index];
            if (segment.State == SegmentState.Absent)
            {
                _set.Add(index);
                continue;
            }

            fits &= budget.TryTake(segment.Bytes);
            Volatile.Write(ref _othersBytes, _othersBytes + segment.Bytes);
        }

        return fits;
    }

    private Segment? TakeOut(int index, long keepBytes, bool mayPass)
    {
        Segment? segment = index < 0 ? null : directory[index];
        if (segment is not null && !budget.TryTake(segment.Bytes, keepBytes, mayPass))
        {
            _set.Add(index);
            return null;
        }

        Volatile.Write(ref _othersBytes, _othersBytes + (segment?.Bytes ?? 0));
        return segment;
    }

    private int TakeLowest(int bytesMin)
    {
        int lowest = FreeSegments.Take(_set, directory, bytesMin);
        while (_mayHold is { } mayHold && lowest >= 0 && lowest < Restored && mayHold(directory[lowest]))
        {
            _held.Add(lowest);
            lowest = FreeSegments.Take(_set, directory, bytesMin);
        }

        return lowest;
    }
}
