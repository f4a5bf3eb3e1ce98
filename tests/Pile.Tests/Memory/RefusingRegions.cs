using Pile.Memory;

namespace Pile.Tests.Memory;

/// <summary>The platform's regions for a process that may have no other mapping, while the test wants it so.</summary>
internal sealed class RefusingRegions : RegionProvider
{
    /// <summary>Whether other regions, and what extents stand in, are refused.</summary>
    internal bool RefusesMaps { get; set; }

    /// <summary>Whether what is reserved is not opened.</summary>
    internal bool RefusesOpens { get; set; }

    internal override bool ReservesFreely => Default.ReservesFreely;

    internal override bool TryMap(long bytes, long alignmentBytes, out Region region)
    {
        region = default;
        return !RefusesMaps && Default.TryMap(bytes, alignmentBytes, out region);
    }

    internal override bool TryOpen(in Region region, long offset, long bytes) => !RefusesOpens;

    internal override bool TryBack(int extent, int extents, int segmentBytes, in Region region) => !RefusesMaps;

    internal override void Unmap(in Region region) => Default.Unmap(region);

    internal override bool TryPopulate(in Region region, long offset, long bytes) => Default.TryPopulate(region, offset, bytes);

    internal override void PreferHugePages(in Region region, long offset, long bytes) => Default.PreferHugePages(region, offset, bytes);

    internal override bool TryGiveBack(in Region region, long offset, long bytes) => Default.TryGiveBack(region, offset, bytes);
}
