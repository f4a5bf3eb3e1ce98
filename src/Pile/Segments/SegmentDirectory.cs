// All segments of a pile by index. An extent is cut into equal segments, larger ones the larger the pile already is when it
// is mapped; their descriptors are made a few at a time. A segment's index, and the descriptor under it, never change.
using System;
using System.Numerics;
using System.Threading;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Segments;

/// <summary>Directory of segments. Growth is serialised by the caller; lookups need no lock.</summary>
internal sealed class SegmentDirectory(ExtentMap extents, RegionProvider provider, ulong identity, int segmentBytesMin, int segmentBytesMax)
{
    private Segment[] _segments = [];
    private int _count;

    /// <summary>The last extent: where it is, how it is cut, and how far that has been done.</summary>
    private Region _region;
    private long _location;
    private int _segmentBytes;
    private long _cutBytes;

    /// <summary>Number of segments, resident or not.</summary>
    internal int Count => Volatile.Read(ref _count);

    /// <summary>Access to the stored bytes.</summary>
    internal FlatSpace Space { get; } = extents.Space;

    /// <summary>The segment of an index below <see cref="Count"/>.</summary>
    internal Segment this[int index] => Volatile.Read(ref _segments)[index];

    /// <summary>The segment that holds a location.</summary>
    internal Segment At(long location) => this[Space.SegmentIndex(location)];

    /// <summary>The smallest segment of this pile.</summary>
    internal int SegmentBytesMin { get; } = segmentBytesMin;

    /// <summary>The smallest size of segment that a record fits into, with its segment's header.</summary>
    internal int SegmentBytesForRecord(int recordBytes) =>
        (int)BitOperations.RoundUpToPowerOf2((uint)int.Max(SegmentBytesMin, recordBytes + SegmentHeader.Bytes));

    /// <summary>The size that a new extent would be cut to, for a pile whose segments hold <paramref name="residentBytes"/>.</summary>
    internal int SegmentBytesFor(long residentBytes)
    {
        long wanted = long.Clamp(residentBytes / Limits.SegmentsPerPile, SegmentBytesMin, segmentBytesMax);
        return 1 << BitOperations.Log2((ulong)wanted);
    }

    /// <summary>Adds a few more segments, Absent: of the last extent while it has any, else of a new one.</summary>
    /// <param name="residentBytes">Bytes that the pile's segments hold now.</param>
    /// <param name="wantHugePages">Whether to ask for huge pages where a segment is as large as one.</param>
    /// <param name="bytesMin">How large one of them is to be at the least: where those of the last extent are smaller, all that is left
    /// of it is added as well.</param>
    /// <returns>Segments added, at the end of the directory; 0 when the operating system refuses.</returns>
    internal int TryAdd(long residentBytes, bool wantHugePages, int bytesMin = 0)
    {
        int left = _segmentBytes < bytesMin && _segmentBytes > 0 ? Cut((int)((_region.Bytes - _cutBytes) / _segmentBytes)) : 0;
        if (_cutBytes == _region.Bytes && !TryMapExtent(residentBytes, wantHugePages, bytesMin))
        {
            return left;
        }

        return left + Cut(int.Min(Limits.SegmentsAddedAtOnce, (int)((_region.Bytes - _cutBytes) / _segmentBytes)));
    }

    /// <summary>Adds the segments of an extent that was opened again.</summary>
    /// <param name="extent">Its index.</param>
    /// <param name="region">Where it lies.</param>
    /// <param name="segmentBytes">Size of its segments.</param>
    /// <param name="count">How many to add now; the rest follow as the pile grows, if this is the last extent.</param>
    internal void Restore(int extent, in Region region, int segmentBytes, int count)
    {
        (_region, _location, _segmentBytes, _cutBytes) = (region, ExtentMap.FirstLocation(extent), segmentBytes, 0);
        _ = Cut(count);
    }

    private int Cut(int count)
    {
        int first = _count;
        Segment[] segments = _segments;
        if (first + count > segments.Length)
        {
            Array.Resize(ref segments, int.Max(first + count, segments.Length * 2));
        }

        bool hasRows = provider.KeepsSegmentRows;
        for (int index = first; index < first + count; index++)
        {
            long location = _location + (_cutBytes / Limits.WordBytes);
            var row = new SegmentRowCell(hasRows ? provider : null, _region, (int)(_cutBytes / _segmentBytes), identity, location);
            segments[index] = new Segment(index, location, _segmentBytes, _region, _cutBytes, row);
            _cutBytes += _segmentBytes;
        }

        // Release: whoever sees the larger count finds the array and the descriptors.
        Volatile.Write(ref _segments, segments);
        Volatile.Write(ref _count, first + count);
        return count;
    }

    private bool TryMapExtent(long residentBytes, bool wantHugePages, int bytesMin)
    {
        int segmentBytes = int.Max(bytesMin, SegmentBytesFor(residentBytes));
        int extent = extents.TryMap(1, _count, BitOperations.Log2((uint)segmentBytes) - 3, out Region region);
        if (extent == 0)
        {
            return false;
        }

        if (wantHugePages && segmentBytes >= Limits.HugePageBytes)
        {
            provider.PreferHugePages(region, 0, region.Bytes);
        }

        (_region, _location, _segmentBytes, _cutBytes) = (region, ExtentMap.FirstLocation(extent), segmentBytes, 0);
        return true;
    }
}
