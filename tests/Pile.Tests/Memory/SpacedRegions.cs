using System;
using Pile.Memory;

namespace Pile.Tests.Memory;

/// <summary>The platform's regions, whose space is asked for as a file's is: <see cref="OnAllocate"/> says whether there is any.</summary>
internal sealed class SpacedRegions : RegionProvider
{
    /// <summary>Called for each stretch, given whether it is for the cleaner.</summary>
    internal Func<bool, bool> OnAllocate { get; set; } = static _ => true;

    /// <summary>Runs before pages are made resident.</summary>
    internal Action OnPopulate { get; set; } = static () => { };

    internal override bool ReservesFreely => Default.ReservesFreely;

    internal override bool TryAllocate(in Region region, long offset, long bytes, bool isForCleaner) => OnAllocate(isForCleaner);

    internal override bool TryMap(long bytes, long alignmentBytes, out Region region) => Default.TryMap(bytes, alignmentBytes, out region);

    internal override void Unmap(in Region region) => Default.Unmap(region);

    internal override bool TryPopulate(in Region region, long offset, long bytes)
    {
        OnPopulate();
        return Default.TryPopulate(region, offset, bytes);
    }

    internal override void PreferHugePages(in Region region, long offset, long bytes) => Default.PreferHugePages(region, offset, bytes);

    internal override bool TryGiveBack(in Region region, long offset, long bytes) => Default.TryGiveBack(region, offset, bytes);
}
