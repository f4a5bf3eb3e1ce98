// Maps extents (64 MiB each, or several in one region) into the pile's flat space and unmaps them all at the end.
// An extent's residency is its owner's business (SegmentPool, LargeRuns); here only address space is held.
using System;
using System.Collections.Generic;
using System.Threading;
using Pile.Primitives;

namespace Pile.Memory;

/// <summary>Owner of the extents of one pile. Mapping is serialised by a lock; lookups by <see cref="Space"/> need none.</summary>
internal sealed unsafe class ExtentMap : IDisposable
{
    private readonly Lock _gate = new();
    private readonly RegionProvider _provider;
    private readonly Region _rowsRegion;
    private readonly List<Region> _regions = [];
    private int _next = 1;

    internal ExtentMap(RegionProvider provider)
    {
        _provider = provider;
        long bytes = (long)Limits.ExtentsMax * sizeof(ExtentRow);
        if (!provider.TryMap(bytes, Limits.OsPageBytes, out _rowsRegion))
        {
            Throw.OutOfAddressSpace(bytes);
        }

        Space = new FlatSpace(_rowsRegion.Address);
    }

    /// <summary>Access by location. Extent 0 is never mapped, so that location 0 means none.</summary>
    internal FlatSpace Space { get; }

    /// <summary>Bytes of address space mapped for extents.</summary>
    internal long MappedBytes { get; private set; }

    /// <summary>Maps <paramref name="extents"/> consecutive extents in one region.</summary>
    /// <param name="extents">How many, at least 1.</param>
    /// <param name="firstSegment">Index of the first segment, for <see cref="FlatSpace.SegmentIndex"/>.</param>
    /// <param name="segmentShiftWords">log2 of the segment size in words.</param>
    /// <param name="region">The region that holds them.</param>
    /// <returns>The first extent's index, or 0 when the operating system or the location width refuses.</returns>
    internal int TryMap(int extents, int firstSegment, int segmentShiftWords, out Region region)
    {
        lock (_gate)
        {
            long bytes = (long)extents * Limits.ExtentBytes;
            if (_next + extents > Limits.ExtentsMax || !_provider.TryMap(bytes, Limits.HugePageBytes, out region))
            {
                region = default;
                return 0;
            }

            _regions.Add(region);
            MappedBytes += bytes;
            int first = _next;
            _next += extents;
            for (int index = 0; index < extents; index++)
            {
                // SAFETY: first + index < ExtentsMax, checked above; the rows region holds ExtentsMax rows.
                // The row is complete before any location inside it is published through an entry.
                ref ExtentRow row = ref ((ExtentRow*)_rowsRegion.Address)[first + index];
                row.FirstSegment = firstSegment;
                row.SegmentShiftWords = segmentShiftWords;
                row.BiasedBase = region.Address - (nint)((long)first * Limits.ExtentBytes);
            }

            return first;
        }
    }

    /// <summary>The first location of an extent.</summary>
    internal static long FirstLocation(int extent) => (long)extent << Limits.ExtentShiftWords;

    /// <summary>Unmaps everything. The caller guarantees that no reader is left.</summary>
    public void Dispose()
    {
        foreach (Region region in _regions)
        {
            _provider.Unmap(region);
        }

        _regions.Clear();
        _provider.Unmap(_rowsRegion);
    }
}
