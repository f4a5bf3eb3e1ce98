// Regions by mmap, mprotect and madvise (mmap(2), mprotect(2), madvise(2)): anonymous, private, reserved without commit charge.
// Deviation from the portable form: pages can be populated ahead, backed by huge pages, and given back singly.
using System;
using System.Globalization;
using System.IO;
using System.Runtime.InteropServices;
using Pile.Primitives;

namespace Pile.Memory;

/// <summary>The Linux implementation of the seam.</summary>
internal sealed partial class LinuxRegions : RegionProvider
{
    private const int ProtRead = 1;
    private const int ProtWrite = 2;
    private const int MapPrivate = 0x02;
    private const int MapAnonymous = 0x20;
    private const int MapNoReserve = 0x4000;
    private const int MapFixedNoReplace = 0x100000;

    /// <summary>Where a low region may begin: above the code and the heap of a program that is not position-independent, which stand near 4 MiB, and so that the lower
    /// half stays for who asks for room that 32 bits reach.</summary>
    private const nint LowestStart = 0x40000000;
    private const nint LowestStartMax = 0x78000000;
    private const nint LowestStartStep = 0x8000000;
    private const int AdviseDontNeed = 4;
    private const int AdviseDontDump = 16;
    private const int AdviseDump = 17;
    private const int AdviseHugePage = 14;
    private const int AdviseNoHugePage = 15;
    private const int AdvisePopulateWrite = 23;
    private const nint MapFailed = -1;

    internal override bool ReservesFreely => true;

    internal override bool IsCrowded
    {
        get
        {
            try
            {
                // The first number is that of the process's pages.
                string pages = File.ReadAllText("/proc/self/statm").Split(' ')[0];
                return long.TryParse(pages, CultureInfo.InvariantCulture, out long count) && count > Limits.AddressCrowdedBytes / Environment.SystemPageSize;
            }
            catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
            {
                return false;
            }
        }
    }

    internal override bool TryMap(long bytes, long alignmentBytes, out Region region) => TryMap(bytes, alignmentBytes, ProtRead | ProtWrite, out region);

    internal override bool TryReserve(long bytes, long alignmentBytes, out Region region)
    {
        if (!TryMap(bytes, alignmentBytes, ProtRead, out region))
        {
            return false;
        }

        _ = Advise(region.Address, (nuint)region.Bytes, AdviseDontDump);
        return true;
    }

    internal override bool TryOpen(in Region region, long offset, long bytes)
    {
        nint mask = -Environment.SystemPageSize;
        nint start = (region.Address + (nint)offset) & mask;
        nint end = (region.Address + (nint)(offset + bytes) - 1 - mask) & mask;
        if (Protect(start, (nuint)(end - start), ProtRead | ProtWrite) != 0)
        {
            return false;
        }

        _ = Advise(start, (nuint)(end - start), AdviseDump);
        return true;
    }

    internal override bool TryBack(int extent, int extents, int segmentBytes, in Region region) => TryOpen(region, 0, region.Bytes);

    private static bool TryMap(long bytes, long alignmentBytes, int protection, out Region region)
    {
        // What the system maps begins with a page of its own: nothing to trim where no more is asked for.
        long reserved = bytes + (alignmentBytes > Environment.SystemPageSize ? alignmentBytes : 0);
        nint start = Map(0, (nuint)reserved, protection, MapPrivate | MapAnonymous | MapNoReserve, -1, 0);
        if (start == MapFailed)
        {
            region = default;
            return false;
        }

        nint aligned = (nint)(((long)start + alignmentBytes - 1) & -alignmentBytes);
        Trim(start, aligned - start);
        Trim((nint)(aligned + bytes), start + (nint)reserved - (aligned + (nint)bytes));
        region = new Region(aligned, bytes, aligned);
        return true;
    }

    internal override bool TryReserveLow(long bytes, out Region region)
    {
        // A kernel before 4.17 takes the place for a hint, and may map elsewhere.
        for (nint wanted = LowestStart; wanted <= LowestStartMax; wanted += LowestStartStep)
        {
            nint start = Map(wanted, (nuint)bytes, ProtRead, MapPrivate | MapAnonymous | MapNoReserve | MapFixedNoReplace, -1, 0);
            if (start == wanted)
            {
                region = new Region(start, bytes, start);
                _ = Advise(start, (nuint)bytes, AdviseDontDump);
                return true;
            }

            Trim(start, start == MapFailed ? 0 : (nint)bytes);
        }

        region = default;
        return false;
    }

    internal override void Unmap(in Region region) => Trim(region.Address, (nint)region.Bytes);

    internal override bool TryPopulate(in Region region, long offset, long bytes) =>
        Advise(region.Address + (nint)offset, (nuint)bytes, AdvisePopulateWrite) == 0;

    internal override void PreferHugePages(in Region region, long offset, long bytes) =>
        _ = Advise(region.Address + (nint)offset, (nuint)bytes, AdviseHugePage);

    internal override void AvoidHugePages(in Region region, long offset, long bytes) =>
        _ = Advise(region.Address + (nint)offset, (nuint)bytes, AdviseNoHugePage);

    internal override bool TryGiveBack(in Region region, long offset, long bytes) =>
        AreWholePages(region.Address + (nint)offset, bytes, Environment.SystemPageSize)
        && Advise(region.Address + (nint)offset, (nuint)bytes, AdviseDontNeed) == 0;

    /// <summary>Whether a stretch ends with a page of the system. The kernel drops whole pages, and of one that is only partly free (pages of 16
    /// or 64 KiB, on arm64) the neighbour's bytes with it.</summary>
    internal static bool AreWholePages(nint address, long bytes, int pageBytes) => address % pageBytes == 0 && bytes % pageBytes == 0;

    private static void Trim(nint start, nint bytes)
    {
        if (bytes > 0)
        {
            _ = UnmapRange(start, (nuint)bytes);
        }
    }

    // SAFETY: the four imports take and return addresses as integers; no managed memory crosses them.
    // The ranges are those that TryMap returned, held by the callers of RegionProvider.
    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    private static partial nint Map(nint address, nuint bytes, int protection, int flags, int file, nint offset);

    // SAFETY: as for the import above.
    [LibraryImport("libc", EntryPoint = "munmap", SetLastError = true)]
    private static partial int UnmapRange(nint address, nuint bytes);

    // SAFETY: as for the import above.
    [LibraryImport("libc", EntryPoint = "mprotect", SetLastError = true)]
    private static partial int Protect(nint address, nuint bytes, int protection);

    // SAFETY: as for the import above.
    [LibraryImport("libc", EntryPoint = "madvise", SetLastError = true)]
    private static partial int Advise(nint address, nuint bytes, int advice);
}
