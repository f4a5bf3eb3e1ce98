// The segments that are free: which, how many bytes, and how many of them are the cleaner's reserve. Some are made ready for writers that are
// about to need them; these cover nothing of the reserve, so that a writer which takes one takes nothing from the cleaner.
using System.Threading;
using Pile.Primitives;

namespace Pile.Segments;

/// <summary>Free segments of a pile. Changed under the pool's lock; the counts may be read by anyone.</summary>
internal sealed class FreeSegments(SegmentDirectory directory)
{
    private readonly IndexSet _set = new();
    private long _bytes;
    private int _count;
    private int _ready;
    private int _reserve;

    /// <summary>Their bytes.</summary>
    internal long Bytes => Volatile.Read(ref _bytes);

    /// <summary>How many there are.</summary>
    internal int Count => Volatile.Read(ref _count);

    /// <summary>How many of them are made ready for writers. Under the lock.</summary>
    internal int Ready => _ready;

    /// <summary>The segment that is being made ready for writers, in no set: one that is here before it is done takes it as it is. Under the lock.</summary>
    internal Segment? Coming { get; set; }

    /// <summary>Segments that the cleaner's reserve lacks.</summary>
    internal int Lacking => int.Max(0, Limits.CleanerReserveSegments - Volatile.Read(ref _reserve));

    /// <summary>Adds a segment.</summary>
    internal void Add(Segment segment, bool isReady = false)
    {
        _set.Add(segment.Index);
        Changed(segment.Bytes, isReady ? _ready + 1 : _ready);
    }

    /// <summary>Makes all of them writers'. The caller knows that the budget has room for the reserve.</summary>
    internal void MakeAllReady() => Changed(0, _set.Count);

    /// <summary>Takes one out for a writer, leaving the cleaner its reserve.</summary>
    /// <returns>Null where there is none of so many bytes.</returns>
    internal Segment? TryTakeForWriter(int bytesMin) =>
        (_set.Count > Limits.CleanerReserveSegments || _ready > 0 ? TryTake(bytesMin, isForWriter: true) : null) ?? TakeComing(bytesMin);

    /// <summary>Takes one out.</summary>
    /// <returns>Null where there is none of so many bytes.</returns>
    internal Segment? TryTake(int bytesMin, bool isForWriter = false) =>
        Take(_set, directory, bytesMin) is var index and >= 0 ? Taken(index, isForWriter ? int.Max(0, _ready - 1) : _ready) : null;

    /// <summary>Takes the highest out; there is one.</summary>
    internal Segment TakeHighest() => Taken(_set.TakeHighest(), _ready);

    /// <summary>Takes a segment of at least so many bytes out of a set; -1 when there is none.</summary>
    internal static int Take(IndexSet set, SegmentDirectory directory, int bytesMin) =>
        set.Count == 0 ? -1
        : bytesMin <= directory.SegmentBytesMin ? set.TakeLowest()
        : TakeFitting(set, directory, bytesMin);

    // By itself, because what a lambda captures is allocated when its method begins.
    private static int TakeFitting(IndexSet set, SegmentDirectory directory, int bytesMin) => set.TakeLowest(index => directory[index].Bytes >= bytesMin);

    private Segment? TakeComing(int bytesMin)
    {
        Segment? coming = Coming?.Bytes >= bytesMin ? Coming : null;
        Coming = coming is null ? Coming : null;
        return coming;
    }

    private Segment Taken(int index, int ready)
    {
        Segment segment = directory[index];
        Changed(-segment.Bytes, ready);
        return segment;
    }

    private void Changed(int bytes, int ready)
    {
        // One word each for those who read without the lock: whoever leaves the reserve its bytes sees no moment in which it looks larger.
        _ready = int.Min(ready, _set.Count);
        Volatile.Write(ref _bytes, _bytes + bytes);
        Volatile.Write(ref _count, _set.Count);
        Volatile.Write(ref _reserve, _set.Count - _ready);
    }
}
