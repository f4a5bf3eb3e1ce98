// Hands out extents (64 MiB each, or several in a row) of the pile's flat space, in rising order, and unmaps it at the end.
// The object table of a pile in memory stands in a hole of it, 32 GiB from its beginning: from there one address leads to both.
// An extent's residency is its owner's business (SegmentPool, LargeRuns); here only address space is held.
using System;
using System.Threading;
using Pile.Primitives;

namespace Pile.Memory;

/// <summary>Owner of the flat space of one pile. Extents are taken under a lock; lookups by <see cref="Space"/> need none.</summary>
// SAFETY: the rows region holds ExtentsMax rows, and every index used is below _end, which is at most that.
internal sealed unsafe class ExtentMap : IDisposable
{
    // The extents in whose place the table stands: from the first, to before the second.
    private const int TableExtent = (int)(Limits.TableBytesWhole / Limits.ExtentBytes);
    private const int BehindTable = 2 * TableExtent;

    private readonly Lock _gate = new();
    private readonly RegionProvider _provider;
    private readonly Region _rowsRegion;
    private readonly Region _region;
    private readonly nint _start;
    private readonly int _end;
    private int _next = 1;
    private int _taken;
    private long _wantedBytes;
    private Action _goingFar = static () => { };

    /// <summary>Reserves the flat space.</summary>
    /// <param name="provider">Source of regions.</param>
    /// <param name="bytesMax">Bytes of address space wanted, up to 4 TiB.</param>
    /// <param name="bytesMin">Bytes without which the pile is of no use.</param>
    /// <param name="holdsTable">Whether the object table is wanted in it.</param>
    internal ExtentMap(RegionProvider provider, long bytesMax, long bytesMin, bool holdsTable = false)
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
            long wholeAround = Align.Up(long.Max(whole, Limits.TableBytesWhole) + Limits.TableBytesWhole, Limits.OsPageBytes);
            if (holdsTable && Reservation.TryTake(provider, wholeAround, out _region))
            {
                _start = _region.Address + skewBytes;
                Table = new Region((nint)(_start + Limits.TableBytesWhole), Limits.TableBytesWhole, 0);
                int extents = (int)((whole - skewBytes) / Limits.ExtentBytes);
                _end = extents <= TableExtent ? extents : int.Min(extents - TableExtent + BehindTable, Limits.ExtentsMax);
                provider.AvoidHugePages(_region, 0, Limits.HugePageBytes);
                if (!provider.TryOpen(_region, skewBytes, Limits.WordBytes))
                {
                    Throw.OutOfAddressSpace(Limits.WordBytes); // For what stands at location 0.
                }
            }
            else
            {
                _region = Reservation.Take(provider, whole, bytesMin + Limits.ExtentBytes + skewBytes);
                _start = _region.Address + skewBytes;
                _end = (int)((_region.Bytes - skewBytes) / Limits.ExtentBytes);
            }
        }
        catch
        {
            provider.Unmap(_region);
            provider.Unmap(_rowsRegion);
            throw;
        }

        Space = new FlatSpace(_start, _rowsRegion.Address);
    }

    /// <summary>Access by location. Extent 0 is never used, so that location 0 means none.</summary>
    internal FlatSpace Space { get; }

    /// <summary>What is reserved for the object table; default when it was not asked for, or the operating system has not that much. Then a word may be stored
    /// at location 0.</summary>
    internal Region Table { get; }

    /// <summary>Bytes of the last extents asked for, where the operating system refused them, or the space that was reserved has no such stretch left; else 0. For messages.</summary>
    internal long WantedBytes => Volatile.Read(ref _wantedBytes);

    /// <summary>Bytes of all extents taken.</summary>
    internal long Bytes => Volatile.Read(ref _taken) * (long)Limits.ExtentBytes;

    /// <summary>Calls before the first extent that lies as far as the table, or behind it, is handed out; now, if that has happened.</summary>
    /// <param name="call">What to call, once or more often. It stands before all that such an extent's locations are published by.</param>
    internal void WhenFar(Action call)
    {
        using (_gate.EnterAnyhow())
        {
            _goingFar = call;
            if (_next > TableExtent)
            {
                call();
            }
        }
    }

    /// <summary>How much flat space a pile in memory reserves.</summary>
    /// <param name="memoryBytes">What it may ever use.</param>
    /// <param name="limitBytes">Its limit, where what is reserved costs nothing: a stretch that objects of one size have had is of no use to all others. Else 0.</param>
    internal static long BytesFor(long memoryBytes, long limitBytes)
    {
        long bytes = long.Max(long.Min(memoryBytes, Limits.FlatSpaceBytesMax) * Limits.FlatSpaceFactor, 2 * Limits.ExtentBytes);
        long kindsBytes = long.Min(long.Min(limitBytes, Limits.FlatSpaceBytesMax) * Limits.FlatSpaceKinds, Limits.FlatSpaceKindsBytesMax);
        return long.Min(long.Max(bytes, kindsBytes), Limits.FlatSpaceBytesMax);
    }

    /// <summary>How much flat space a pile in files reserves, where nothing is charged for it: as one in memory by its limit, but it may hold more than this machine's memory, and
    /// what stands in its files is where it is.</summary>
    /// <param name="limitBytes">Its limit, or more than there may be.</param>
    /// <param name="takenBytes">The flat space that its files take.</param>
    internal static long BytesForFiles(long limitBytes, long takenBytes) =>
        long.Min(long.Max(long.Max(Limits.FlatSpaceFilesBytes, 2 * takenBytes), long.Min(limitBytes, Limits.FlatSpaceBytesMax) * Limits.FlatSpaceKinds), Limits.FlatSpaceBytesMax);

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
            bool isFar = _next + extents > TableExtent;
            int first = isFar && Table.Bytes > 0 ? int.Max(_next, BehindTable) : _next;
            long bytes = (long)extents * Limits.ExtentBytes;
            if (first + extents > _end)
            {
                Volatile.Write(ref _wantedBytes, bytes);
                region = default;
                return 0;
            }

            if (isFar)
            {
                _goingFar();
            }

            region = new Region(_start + (nint)((long)first * Limits.ExtentBytes), bytes, 0);
            int segmentBytes = segmentShiftWords == Limits.ExtentShiftWords ? 0 : Limits.WordBytes << segmentShiftWords;
            bool isBacked = _provider.TryBack(first, extents, segmentBytes, region);
            Volatile.Write(ref _wantedBytes, !isBacked && _provider.LacksSpace ? bytes : 0);
            if (!isBacked)
            {
                region = default;
                return 0;
            }

            _next = first + extents;
            _taken += extents;
            for (int index = first; index < _next; index++)
            {
                ref ExtentRow row = ref ((ExtentRow*)_rowsRegion.Address)[index];
                row.FirstSegment = firstSegment;
                row.SegmentShiftWords = segmentShiftWords;
                row.FirstRow = first;
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

    /// <summary>Whether a stretch lies within one extent of large objects, as every run of theirs does: for descriptors that were read from files.</summary>
    internal bool ContainsRun(long location, long bytes)
    {
        // SAFETY: both rows are below ExtentsMax, or the stretch would not be contained.
        if (!Contains(location, bytes))
        {
            return false;
        }

        ref ExtentRow first = ref ((ExtentRow*)_rowsRegion.Address)[location >> Limits.ExtentShiftWords];
        ref ExtentRow last = ref ((ExtentRow*)_rowsRegion.Address)[(location + ((bytes - 1) / Limits.WordBytes)) >> Limits.ExtentShiftWords];
        return first.SegmentShiftWords == Limits.ExtentShiftWords && first.FirstRow == last.FirstRow;
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
