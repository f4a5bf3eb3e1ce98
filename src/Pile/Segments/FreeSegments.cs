// The segments that are free: which, how many bytes, and how many of them are the cleaner's reserve. Some are made ready for writers that are
// about to need them; these cover nothing of the reserve, so that a writer which takes one takes nothing from the cleaner. The reserve goes by bytes too: into small
// segments that are free fits nothing of what lives in a large one.
using System.Threading;

namespace Pile.Segments;

/// <summary>Free segments of a pile. Changed under the pool's lock; the counts may be read by anyone.</summary>
internal sealed class FreeSegments(SegmentDirectory directory)
{
    private readonly IndexSet _set = new();
    private long _bytes;
    private int _count;
    private int _ready;
    private long _readyBytes;
    private int _reserve;
    private long _reserveBytes;

    /// <summary>Their bytes.</summary>
    internal long Bytes => Volatile.Read(ref _bytes);

    /// <summary>How many there are.</summary>
    internal int Count => Volatile.Read(ref _count);

    /// <summary>How many of them are made ready for writers. Under the lock.</summary>
    internal int Ready => _ready;

    /// <summary>The segment that is being made ready for writers, in no set: one that is here before it is done takes it as it is. Under the lock.</summary>
    internal Segment? Coming { get; set; }

    /// <summary>Bytes that the reserve of a pile lacks whose segments are so many bytes: several small ones that are free are as good as one of its next.</summary>
    internal long LackingBytes(GrowthPolicy policy, long residentBytes)
    {
        int segmentBytes = directory.SegmentBytesFor(residentBytes);
        int reserve = policy.ReserveSegments(residentBytes, segmentBytes);
        return (long)int.Max(0, reserve - Covered(Volatile.Read(ref _reserve), Volatile.Read(ref _reserveBytes), segmentBytes)) * segmentBytes;
    }

    /// <summary>How many segments of so many bytes all of them are as good as.</summary>
    internal int Worth(int segmentBytes) => Covered(Count, Bytes, segmentBytes);

    /// <summary>Adds a segment.</summary>
    internal void Add(Segment segment, bool isReady = false)
    {
        _set.Add(segment.Index);
        Changed(segment.Bytes, isReady ? _ready + 1 : _ready, isReady ? _readyBytes + segment.Bytes : _readyBytes);
    }

    /// <summary>Finds the memory for segments below an end: adding them can't fail then. Before there are any of them.</summary>
    internal void Reserve(int end) => _set.Reserve(end);

    /// <summary>Takes back those of a pile that was opened again.</summary>
    internal void Restore()
    {
        Reserve(directory.Count);
        for (int index = 0; index < directory.Count; index++)
        {
            if (directory[index].State == SegmentState.Free)
            {
                Add(directory[index]);
            }
        }
    }

    /// <summary>Makes all of them writers'. The caller knows that the budget has room for the reserve.</summary>
    internal void MakeAllReady() => Changed(0, _set.Count, _bytes);

    /// <summary>Makes all of them the cleaner's again.</summary>
    internal void MakeNoneReady() => Changed(0, 0, 0);

    /// <summary>Takes one out for a writer, leaving the reserve.</summary>
    /// <param name="bytesMin">What it has at least.</param>
    /// <param name="reserve">Segments of the reserve.</param>
    /// <param name="segmentBytes">Bytes that each segment of the reserve has to have.</param>
    /// <returns>Null where there is none of so many bytes.</returns>
    internal Segment? TryTakeForWriter(int bytesMin, int reserve, int segmentBytes) =>
        TryTake(bytesMin, _ready > 0 ? 0 : reserve, segmentBytes, isForWriter: true) ?? TakeComing(bytesMin);

    /// <summary>Takes one out.</summary>
    /// <param name="bytesMin">What it has at least.</param>
    /// <param name="keep">How many segments the rest must be as good as.</param>
    /// <param name="segmentBytes">Bytes that each of these has to have.</param>
    /// <param name="isForWriter">Whether it is one of those that were made ready for writers, if there are any.</param>
    /// <returns>Null where there is none of so many bytes.</returns>
    internal Segment? TryTake(int bytesMin, int keep = 0, int segmentBytes = 1, bool isForWriter = false)
    {
        int index = _set.Count > keep ? Take(_set, directory, bytesMin) : -1;
        if (index >= 0 && Covered(_set.Count, _bytes - directory[index].Bytes, segmentBytes) < keep)
        {
            _set.Add(index);
            return null;
        }

        return index < 0 ? null : Taken(index, isForWriter);
    }

    /// <summary>Takes the highest out; there is one.</summary>
    internal Segment TakeHighest() => Taken(_set.TakeHighest(), isForWriter: false);

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

    private static int Covered(int count, long bytes, int segmentBytes) => (int)long.Min(count, bytes / segmentBytes);

    private Segment Taken(int index, bool isForWriter)
    {
        Segment segment = directory[index];
        bool isReady = isForWriter && _ready > 0;
        Changed(-segment.Bytes, isReady ? _ready - 1 : _ready, isReady ? long.Max(0, _readyBytes - segment.Bytes) : _readyBytes);
        return segment;
    }

    private void Changed(int bytes, int ready, long readyBytes)
    {
        // One word each for those who read without the lock: whoever leaves the reserve its bytes sees no moment in which it looks larger.
        _ready = int.Min(ready, _set.Count);
        Volatile.Write(ref _bytes, _bytes + bytes);
        _readyBytes = _ready == _set.Count ? _bytes : _ready == 0 ? 0 : long.Min(readyBytes, _bytes);
        Volatile.Write(ref _count, _set.Count);
        Volatile.Write(ref _reserve, _set.Count - _ready);
        Volatile.Write(ref _reserveBytes, _bytes - _readyBytes);
    }
}
