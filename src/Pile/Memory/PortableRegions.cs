// Regions from the C runtime's allocator alone, for platforms without an implementation of their own.
// It can't populate ahead and can't give single pages back: memory once used stays until the region ends.
using System.Runtime.InteropServices;

namespace Pile.Memory;

/// <summary>The portable implementation of the seam.</summary>
// SAFETY: the pointers here are only computed and handed to the allocator; the callers of RegionProvider hold the ranges
// and touch them within the bytes they asked for.
internal sealed unsafe class PortableRegions : RegionProvider
{
    internal override bool ReservesFreely => false;

    internal override bool TryMap(long bytes, long alignmentBytes, out Region region)
    {
        // SAFETY: only addresses are computed here; the allocation holds bytes + alignmentBytes, so the aligned run fits.
        void* start;
        try
        {
            start = NativeMemory.AllocZeroed((nuint)(bytes + alignmentBytes));
        }
        catch (System.OutOfMemoryException)
        {
            region = default;
            return false;
        }

        nint aligned = (nint)(((long)start + alignmentBytes - 1) & -alignmentBytes);
        region = new Region(aligned, bytes, (nint)start);
        return true;
    }

    // SAFETY: Token is the very pointer that AllocZeroed returned; the caller ends a region once.
    internal override void Unmap(in Region region) => NativeMemory.Free((void*)region.Token);

    internal override bool TryPopulate(in Region region, long offset, long bytes) => false;

    internal override void PreferHugePages(in Region region, long offset, long bytes)
    {
    }

    internal override bool TryGiveBack(in Region region, long offset, long bytes) => false;
}
