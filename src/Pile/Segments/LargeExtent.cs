// Pages of one region that holds large objects: which are used, which are resident. First fit, lowest first, so that
// runs just freed are used again while their pages are still there.
using System.Collections.Generic;
using System.Numerics;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Segments;

/// <summary>Page allocator of one large-object extent. Not thread-safe.</summary>
internal sealed class LargeExtent(long location, in Region region)
{
    private readonly ulong[] _used = new ulong[region.Bytes / Limits.OsPageBytes / 64];
    private readonly ulong[] _resident = new ulong[region.Bytes / Limits.OsPageBytes / 64];
    private int _firstFree;

    // No run of free pages is longer: what did not find one is not searched for again before enough is free beside what is freed.
    private int _freeRunAtMost = (int)(region.Bytes / Limits.OsPageBytes);

    /// <summary>First location.</summary>
    internal long Location { get; } = location;

    /// <summary>The region.</summary>
    internal Region Region { get; } = region;

    /// <summary>Pages in all.</summary>
    internal int Pages => _used.Length * 64;

    /// <summary>Pages in use.</summary>
    internal int UsedPages { get; private set; }

    /// <summary>Whether two runs that entries refer to were found to overlap, so that one holds bytes of the other, or entries were lost that may
    /// refer to what seems free: no page may be taken, given back or used again, until an open finds them apart.</summary>
    internal bool IsDisputed { get; set; }

    /// <summary>The page of a location in this extent.</summary>
    internal int PageOf(long runLocation) => (int)((runLocation - Location) * Limits.WordBytes / Limits.OsPageBytes);

    /// <summary>Whether the location lies in this extent.</summary>
    internal bool Contains(long runLocation) =>
        runLocation >= Location && runLocation < Location + (Region.Bytes / Limits.WordBytes);

    /// <summary>The extent in which a run for a payload would lie, or null.</summary>
    /// <param name="extents">The extents.</param>
    /// <param name="runLocation">Where the run would begin.</param>
    /// <param name="payloadBytes">Bytes of the payload.</param>
    /// <param name="first">Its first page.</param>
    /// <param name="pages">Its pages.</param>
    internal static LargeExtent? Find(List<LargeExtent> extents, long runLocation, int payloadBytes, out int first, out int pages)
    {
        pages = (int)(LargeRuns.RunBytes(payloadBytes) / Limits.OsPageBytes);
        foreach (LargeExtent extent in extents)
        {
            if (extent.Contains(runLocation))
            {
                first = extent.PageOf(runLocation);
                return first + pages <= extent.Pages ? extent : null;
            }
        }

        first = 0;
        return null;
    }

    /// <summary>The first page of a run of free pages, or -1.</summary>
    internal int FindFree(int pages)
    {
        if (IsDisputed || pages > _freeRunAtMost)
        {
            return -1;
        }

        int longest = 0;
        int end;
        for (int first = First(PageKind.Free, isOther: false, _firstFree, Pages); first < Pages; first = First(PageKind.Free, isOther: false, end, Pages))
        {
            end = First(PageKind.Free, isOther: true, first, int.Min(first + pages, Pages));
            if (end - first >= pages)
            {
                return first;
            }

            longest = int.Max(longest, end - first);
        }

        _freeRunAtMost = longest;
        return -1;
    }

    /// <summary>Pages of a run that are not resident.</summary>
    internal int CountAbsent(int first, int pages)
    {
        int absent = 0;
        for (int page = first; page < first + pages; page++)
        {
            absent += (_resident[page / 64] & (1UL << (page & 63))) == 0 ? 1 : 0;
        }

        return absent;
    }

    /// <summary>Marks a run as used and resident.</summary>
    internal void Use(int first, int pages)
    {
        for (int page = first; page < first + pages; page++)
        {
            Check.That((_used[page / 64] & (1UL << (page & 63))) == 0);
            _used[page / 64] |= 1UL << (page & 63);
            _resident[page / 64] |= 1UL << (page & 63);
        }

        UsedPages += pages;
        if (first == _firstFree)
        {
            _firstFree = first + pages;
        }
    }

    /// <summary>Marks a run as free, still resident.</summary>
    internal void Unuse(int first, int pages)
    {
        for (int page = first; page < first + pages; page++)
        {
            Check.That((_used[page / 64] & (1UL << (page & 63))) != 0);
            _used[page / 64] &= ~(1UL << (page & 63));
        }

        UsedPages -= pages;
        _firstFree = int.Min(_firstFree, first);
        _freeRunAtMost = int.Max(_freeRunAtMost, First(PageKind.Free, isOther: true, first + pages, Pages) - FirstFreeBefore(first));
    }

    /// <summary>Marks a run as no longer resident.</summary>
    internal void Drop(int first, int pages)
    {
        for (int page = first; page < first + pages; page++)
        {
            _resident[page / 64] &= ~(1UL << (page & 63));
        }
    }

    /// <summary>Finds the next free run that is resident, or that is not, from a page on. Length 0: none.</summary>
    internal (int First, int Pages) NextFree(int from, bool isResident)
    {
        int first = IsDisputed ? Pages : First(isResident ? PageKind.FreeResident : PageKind.FreeAbsent, isOther: false, from, Pages);
        return (first, First(isResident ? PageKind.FreeResident : PageKind.FreeAbsent, isOther: true, first, Pages) - first);
    }

    /// <summary>Whether all pages of a run are in use. For Verify.</summary>
    internal bool IsUsed(int first, int pages)
    {
        int used = 0;
        for (int page = first; page < first + pages; page++)
        {
            used += (_used[page / 64] & (1UL << (page & 63))) != 0 ? 1 : 0;
        }

        return used == pages;
    }

    /// <summary>Whether no page of a run is in use.</summary>
    internal bool IsFree(int first, int pages)
    {
        for (int page = first; page < first + pages; page++)
        {
            if ((_used[page / 64] & (1UL << (page & 63))) != 0)
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>Pages resident, by counting. For Verify.</summary>
    internal int CountResident()
    {
        int resident = 0;
        foreach (ulong word in _resident)
        {
            resident += BitOperations.PopCount(word);
        }

        return resident;
    }

    /// <summary>The first page of a kind, or of no such kind, from a page on; the end where there is none before it.</summary>
    private int First(PageKind kind, bool isOther, int page, int end)
    {
        for (; page < end; page = (page | 63) + 1)
        {
            ulong word = ~_used[page / 64] & (kind switch { PageKind.FreeResident => _resident[page / 64], PageKind.FreeAbsent => ~_resident[page / 64], _ => ulong.MaxValue });
            ulong found = (isOther ? ~word : word) >> (page & 63);
            if (found != 0)
            {
                return int.Min(page + BitOperations.TrailingZeroCount(found), end);
            }
        }

        return end;
    }

    /// <summary>The first page of the free run that ends before a page, which is that page where there is none.</summary>
    private int FirstFreeBefore(int page)
    {
        for (; page > 0; page = (page - 1) & ~63)
        {
            ulong used = _used[(page - 1) / 64] << (63 - ((page - 1) & 63));
            if (used != 0)
            {
                return page - BitOperations.LeadingZeroCount(used);
            }
        }

        return 0;
    }

    private enum PageKind
    {
        Free,
        FreeResident,
        FreeAbsent,
    }
}
