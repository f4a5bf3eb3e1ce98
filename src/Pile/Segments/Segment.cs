// A contiguous part of an extent: the unit of writing, cleaning and reuse.
// Live bytes are not stored here: liveBytes == writtenBytes - sum over writers of their dead bytes (DeadBytes).
using System.Threading;
using Pile.Memory;

namespace Pile.Segments;

/// <summary>One segment's descriptor; the bytes lie in the extent.</summary>
internal sealed class Segment(int index, long location, int bytes, in Region region, long regionOffset)
{
    private int _state;
    private int _writtenBytes;
    private int _pins;

    /// <summary>Index in the directory.</summary>
    internal int Index { get; } = index;

    /// <summary>First location.</summary>
    internal long Location { get; } = location;

    /// <summary>Length.</summary>
    internal int Bytes { get; } = bytes;

    /// <summary>The region that holds it.</summary>
    internal Region Region { get; } = region;

    /// <summary>Offset within <see cref="Region"/>.</summary>
    internal long RegionOffset { get; } = regionOffset;

    /// <summary>Number drawn when the segment was last opened; grows through the pile's life and so tells age.</summary>
    internal long Sequence { get; set; }

    /// <summary>State; release on write, acquire on read, so that Sealed brings WrittenBytes.</summary>
    internal SegmentState State
    {
        get => (SegmentState)Volatile.Read(ref _state);
        set => Volatile.Write(ref _state, (int)value);
    }

    /// <summary>Bytes appended since it was opened, exact once sealed.</summary>
    internal int WrittenBytes
    {
        get => Volatile.Read(ref _writtenBytes);
        set => Volatile.Write(ref _writtenBytes, value);
    }

    /// <summary>Pins held on it. Taken only inside an epoch in which an entry still referred to the segment.</summary>
    internal int Pins => Volatile.Read(ref _pins);

    /// <summary>Adds a pin. Any thread, inside an epoch; the reclaimer reads the count after that epoch has passed.</summary>
    internal void Pin() => Interlocked.Increment(ref _pins);

    /// <summary>Removes a pin. Any thread; release, so that the holder's reads come first.</summary>
    internal void Unpin() => Interlocked.Decrement(ref _pins);
}
