// Hands out extents (64 MiB each, or several in a row) of the pile's flat space, in rising order, and unmaps it at the end.
// An extent's residency is its owner's business (SegmentPool, LargeRuns); here only address space is held.
using System;
using System.Threading;
using Pile.Primitives;

namespace Pile.Memory;

/// <summary>Owner of the flat space of one pile. Extents are taken under a lock; lookups by <see cref="Space"/> need none.</summary>
// SAFETY: the rows region holds ExtentsMax rows, and every index used is below _end, which is at most that.
internal sealed unsafe class ExtentMap : IDisposable
{
    private readonly Lock _gate = new();
    private readonly RegionProvider _provider;
    private readonly Region _rowsRegion;
    private readonly Region _region;
    private readonly nint _start;
    private readonly int _end;
    private int _next = 1;

    /// <summary>Reserves the flat space.</summary>
    /// <param name="provider">Source of regions.</param>
    /// <param name="bytesMax">Bytes of address space wanted, up to 4 TiB.</param>
    /// <param name="bytesMin">Bytes without which the pile is of no use.</param>
    /// <param name="frontBytes">Bytes wanted in front of it, in the same reservation.</param>
    internal ExtentMap(RegionProvider provider, long bytesMax, long bytesMin, long frontBytes = 0)
    {
        _provider = provider;
        long rowBytes = (long)Limits.ExtentsMax * sizeof(ExtentRow);
        if (!provider.TryMap(rowBytes, Limits.OsPageBytes, out _rowsRegion))
        {
            Throw.OutOfAddressSpace(rowBytes);
        }

        try
        {
            int skewBytes = provider.ExtentSkewBytes;
            long whole = bytesMax + Limits.ExtentBytes + skewBytes;
            if (frontBytes > 0 && provider.TryMap(Align.Up(frontBytes + whole, Limits.OsPageBytes), Limits.HugePageBytes, out _region))
            {
                Front = new Region(_region.Address, frontBytes, 0);
            }
            else
            {
                _region = Reservation.Take(provider, whole, bytesMin + Limits.ExtentBytes + skewBytes);
            }

            _start = _region.Address + (nint)Front.Bytes + skewBytes;
        }
        catch
        {
            provider.Unmap(_rowsRegion);
            throw;
        }

        _end = (int)((_region.Bytes - (_start - _region.Address)) / Limits.ExtentBytes);
        Space = new FlatSpace(_start, _rowsRegion.Address);
    }

    /// <summary>Access by location. Extent 0 is never used, so that location 0 means none.</summary>
    internal FlatSpace Space { get; }

    /// <summary>What is reserved in front of the flat space; default when it was not asked for, or the operating system has not that much.</summary>
    internal Region Front { get; }

    /// <summary>Bytes of all extents taken.</summary>
    internal long Bytes => (Volatile.Read(ref _next) - 1) * (long)Limits.ExtentBytes;

    /// <summary>Takes <paramref name="extents"/> consecutive extents.</summary>
    /// <param name="extents">How many, at least 1.</param>
    /// <param name="firstSegment">Index of the first segment, for <see cref="FlatSpace.SegmentIndex"/>.</param>
    /// <param name="segmentShiftWords">log2 of the segment size in words.</param>
    /// <param name="region">The stretch that holds them.</param>
    /// <returns>The first extent's index, or 0 when the flat space is used up.</returns>
    internal int TryMap(int extents, int firstSegment, int segmentShiftWords, out Region region)
    {
        // SAFETY: see the type. A row is complete before any location inside it is published through an entry.
        using (_gate.EnterAnyhow())
        {
            if (_next + extents > _end)
            {
                region = default;
                return 0;
            }

            int first = _next;
            region = new Region(_start + (nint)((long)first * Limits.ExtentBytes), (long)extents * Limits.ExtentBytes, 0);
            int segmentBytes = segmentShiftWords == Limits.ExtentShiftWords ? 0 : Limits.WordBytes << segmentShiftWords;
            if (!_provider.TryBack(first, extents, segmentBytes, region))
            {
                region = default;
                return 0;
            }

            _next += extents;
            for (int index = first; index < _next; index++)
            {
                ref ExtentRow row = ref ((ExtentRow*)_rowsRegion.Address)[index];
                row.FirstSegment = firstSegment;
                row.SegmentShiftWords = segmentShiftWords;
                row.IsMapped = 1;
            }

            return first;
        }
    }

    /// <summary>Whether a stretch of locations lies in mapped extents: for locations that were read from files.</summary>
    internal bool Contains(long location, long bytes)
    {
        // SAFETY: both rows are below ExtentsMax.
        long first = location >> Limits.ExtentShiftWords;
        long last = (location + ((bytes - 1) / Limits.WordBytes)) >> Limits.ExtentShiftWords;
        return location > 0 && bytes > 0 && first <= last && last < Volatile.Read(ref _next)
            && ((ExtentRow*)_rowsRegion.Address)[first].IsMapped != 0 && ((ExtentRow*)_rowsRegion.Address)[last].IsMapped != 0;
    }

    /// <summary>The first location of an extent.</summary>
    internal static long FirstLocation(int extent) => (long)extent << Limits.ExtentShiftWords;

    /// <summary>Unmaps everything. The caller guarantees that no reader is left.</summary>
    public void Dispose()
    {
        _provider.Unmap(_region);
        _provider.Unmap(_rowsRegion);
    }
}
