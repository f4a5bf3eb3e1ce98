using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using Pile.Memory;

namespace Pile.Soak.Baselines;

/// <summary>The platform's regions, remembered, so that the resident pages of a pile's own mappings can be counted: the
/// process's resident memory holds the runtime and the scenario too.</summary>
// SAFETY: only asks the kernel about regions that are mapped; see ResidentBytes.
internal sealed unsafe partial class CountedRegions : RegionProvider
{
    private const int PageBytes = 4096;
    private readonly List<Region> _mapped = [];
    private readonly byte[] _pages = new byte[1 << 20];

    /// <summary>Bytes of the mappings that are resident now, by mincore(2); -1 where that can't be known.</summary>
    // SAFETY: the array is pinned during the call and holds a byte for each page asked about.
    internal long ResidentBytes()
    {
        long resident = 0;
        lock (_mapped)
        {
            foreach (Region region in _mapped)
            {
                for (long offset = 0; offset < region.Bytes; offset += (long)_pages.Length * PageBytes)
                {
                    int pages = (int)long.Min(_pages.Length, (region.Bytes - offset + PageBytes - 1) / PageBytes);
                    fixed (byte* target = _pages)
                    {
                        if (!OperatingSystem.IsLinux() || InCore(region.Address + (nint)offset, (nuint)pages * PageBytes, target) != 0)
                        {
                            return -1;
                        }
                    }

                    resident += (long)_pages.AsSpan(0, pages).Count((byte)1) * PageBytes;
                }
            }
        }

        return resident;
    }

    internal override bool ReservesFreely => Default.ReservesFreely;

    internal override bool TryMap(long bytes, long alignmentBytes, out Region region)
    {
        if (!Default.TryMap(bytes, alignmentBytes, out region))
        {
            return false;
        }

        lock (_mapped)
        {
            _mapped.Add(region);
        }

        return true;
    }

    internal override void Unmap(in Region region)
    {
        lock (_mapped)
        {
            _mapped.Remove(region);
        }

        Default.Unmap(region);
    }

    internal override bool TryPopulate(in Region region, long offset, long bytes) => Default.TryPopulate(region, offset, bytes);

    internal override void PreferHugePages(in Region region, long offset, long bytes) => Default.PreferHugePages(region, offset, bytes);

    internal override bool TryGiveBack(in Region region, long offset, long bytes) => Default.TryGiveBack(region, offset, bytes);

    // SAFETY: mincore(2); the caller passes an array of a byte for each page.
    [LibraryImport("libc", EntryPoint = "mincore")]
    private static partial int InCore(nint address, nuint bytes, byte* pages);
}
