using System.Threading;
using Pile.Memory;

namespace Pile.Tests.Memory;

/// <summary>The platform's regions for a process that has so much address space in all.</summary>
internal sealed class ScarceRegions(long bytes) : RegionProvider
{
    private long _leftBytes = bytes;

    /// <summary>What nobody has.</summary>
    internal long LeftBytes => Volatile.Read(ref _leftBytes);

    internal override bool ReservesFreely => Default.ReservesFreely;

    internal override bool IsCrowded => CrowdedFromLeftBytes > LeftBytes;

    /// <summary>Below what is left most counts as reserved.</summary>
    internal long CrowdedFromLeftBytes { get; init; }

    internal override bool TryMap(long bytes, long alignmentBytes, out Region region)
    {
        region = default;
        bool isThere = Interlocked.Add(ref _leftBytes, -bytes) >= 0 && Default.TryMap(bytes, alignmentBytes, out region);
        if (!isThere)
        {
            _ = Interlocked.Add(ref _leftBytes, bytes);
        }

        return isThere;
    }

    internal override void Unmap(in Region region)
    {
        _ = Interlocked.Add(ref _leftBytes, region.Bytes);
        Default.Unmap(region);
    }

    internal override bool TryPopulate(in Region region, long offset, long bytes) => Default.TryPopulate(region, offset, bytes);

    internal override void PreferHugePages(in Region region, long offset, long bytes) => Default.PreferHugePages(region, offset, bytes);

    internal override bool TryGiveBack(in Region region, long offset, long bytes) => Default.TryGiveBack(region, offset, bytes);
}
