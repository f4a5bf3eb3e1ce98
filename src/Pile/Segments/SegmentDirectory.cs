// All segments of a pile by index. Extents are cut into equal segments when they are mapped, larger ones the larger
// the pile already is; a segment's index, and the descriptor under it, never change.
using System;
using System.Numerics;
using System.Threading;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Segments;

/// <summary>Directory of segments. Growth is serialised by the caller; lookups need no lock.</summary>
internal sealed class SegmentDirectory(ExtentMap extents, int segmentBytesMin, int segmentBytesMax)
{
    private Segment[] _segments = [];
    private int _count;

    /// <summary>Number of segments, resident or not.</summary>
    internal int Count => Volatile.Read(ref _count);

    /// <summary>Access to the stored bytes.</summary>
    internal FlatSpace Space { get; } = extents.Space;

    /// <summary>The segment of an index below <see cref="Count"/>.</summary>
    internal Segment this[int index] => Volatile.Read(ref _segments)[index];

    /// <summary>The segment that holds a location.</summary>
    internal Segment At(long location) => this[Space.SegmentIndex(location)];

    /// <summary>The size that a new extent would be cut to, for a pile whose segments hold <paramref name="residentBytes"/>.</summary>
    internal int SegmentBytesFor(long residentBytes)
    {
        long wanted = long.Clamp(residentBytes / Limits.SegmentsPerPile, segmentBytesMin, segmentBytesMax);
        return 1 << BitOperations.Log2((ulong)wanted);
    }

    /// <summary>Maps one more extent and cuts it; the new segments are Absent.</summary>
    /// <param name="residentBytes">Bytes that the pile's segments hold now.</param>
    /// <param name="provider">Whom to ask for huge pages.</param>
    /// <param name="wantHugePages">Whether to ask for huge pages where a segment is as large as one.</param>
    /// <returns>Segments added, at the end of the directory; 0 when the operating system refuses.</returns>
    internal int TryAddExtent(long residentBytes, RegionProvider provider, bool wantHugePages)
    {
        int segmentBytes = SegmentBytesFor(residentBytes);
        int shiftWords = BitOperations.Log2((uint)segmentBytes) - 3;
        int first = _count;
        int extent = extents.TryMap(1, first, shiftWords, out Region region);
        if (extent == 0)
        {
            return 0;
        }

        if (wantHugePages && segmentBytes >= Limits.HugePageBytes)
        {
            provider.PreferHugePages(region, 0, region.Bytes);
        }

        int count = Limits.ExtentBytes / segmentBytes;
        Segment[] segments = _segments;
        if (first + count > segments.Length)
        {
            Array.Resize(ref segments, int.Max(first + count, segments.Length * 2));
        }

        long location = ExtentMap.FirstLocation(extent);
        for (int index = 0; index < count; index++)
        {
            long offset = (long)index * segmentBytes;
            segments[first + index] = new Segment(first + index, location + (offset / Limits.WordBytes), segmentBytes, region, offset);
        }

        // Release: whoever sees the larger count finds the array and the descriptors.
        Volatile.Write(ref _segments, segments);
        Volatile.Write(ref _count, first + count);
        return count;
    }
}
