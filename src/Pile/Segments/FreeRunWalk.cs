// The free runs of large objects' extents whose pages are still resident, one by one: from the last extent on, for places are looked for in the first ones
// first. Between two steps anything may be taken and freed: what comes to be behind the walk is left to the next one.
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using Pile.Primitives;

namespace Pile.Segments;

/// <summary>A walk over free resident runs. Not thread-safe: each step is under the lock of the extents.</summary>
internal struct FreeRunWalk
{
    private int _passed;
    private int _page;

    /// <summary>Finds the next run.</summary>
    /// <param name="extents">The extents.</param>
    /// <param name="wantedBytes">How much is wanted of it; of a longer one the end is given.</param>
    /// <param name="extent">Where it is.</param>
    /// <param name="first">Its first page.</param>
    /// <param name="pages">Its pages.</param>
    /// <returns>False when there is none, or nothing is wanted.</returns>
    internal bool TryNext(List<LargeExtent> extents, long wantedBytes, [NotNullWhen(true)] out LargeExtent? extent, out int first, out int pages)
    {
        (extent, first, pages) = (null, 0, 0);
        for (; wantedBytes > 0 && _passed < extents.Count; _passed++)
        {
            extent = extents[extents.Count - 1 - _passed];
            (first, pages) = extent.NextFree(_page, isResident: true);
            _page = first + pages;
            if (pages > 0)
            {
                int wanted = (int)long.Min(pages, Align.Up(wantedBytes, Limits.OsPageBytes) / Limits.OsPageBytes);
                (first, pages) = (first + pages - wanted, wanted);
                return true;
            }

            _page = 0;
        }

        return false;
    }
}
