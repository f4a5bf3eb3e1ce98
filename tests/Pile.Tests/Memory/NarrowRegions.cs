using Pile.Memory;

namespace Pile.Tests.Memory;

/// <summary>The platform's regions for a process with little address space: no region is longer than it has.</summary>
internal sealed class NarrowRegions(long bytesMax) : RegionProvider
{
    internal override bool ReservesFreely => Default.ReservesFreely;

    internal override bool TryMap(long bytes, long alignmentBytes, out Region region)
    {
        region = default;
        return bytes <= bytesMax && Default.TryMap(bytes, alignmentBytes, out region);
    }

    internal override void Unmap(in Region region) => Default.Unmap(region);

    internal override bool TryPopulate(in Region region, long offset, long bytes) => Default.TryPopulate(region, offset, bytes);

    internal override void PreferHugePages(in Region region, long offset, long bytes) => Default.PreferHugePages(region, offset, bytes);

    internal override bool TryGiveBack(in Region region, long offset, long bytes) => Default.TryGiveBack(region, offset, bytes);
}
