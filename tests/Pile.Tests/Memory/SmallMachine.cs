using System.Collections.Generic;
using Pile.Memory;

namespace Pile.Tests.Memory;

/// <summary>The platform's regions on a machine without memory to spare: what may take much of it must do without. It keeps what was advised.</summary>
internal sealed class SmallMachine(long memoryBytes = 0) : RegionProvider
{
    internal override long MachineMemoryBytes => memoryBytes;

    /// <summary>Stretches by address, in their order, and whether huge pages were wished for there.</summary>
    internal List<(nint Address, long Bytes, bool Wanted)> Advice { get; } = [];

    /// <summary>Stretches that were populated, by offset into their region.</summary>
    internal List<(long Offset, long Bytes)> Populated { get; } = [];

    internal override bool ReservesFreely => Default.ReservesFreely;

    internal override bool TryMap(long bytes, long alignmentBytes, out Region region) => Default.TryMap(bytes, alignmentBytes, out region);

    internal override void Unmap(in Region region) => Default.Unmap(region);

    internal override bool TryPopulate(in Region region, long offset, long bytes)
    {
        lock (Populated)
        {
            Populated.Add((offset, bytes));
        }

        return Default.TryPopulate(region, offset, bytes);
    }

    internal override void PreferHugePages(in Region region, long offset, long bytes)
    {
        Advice.Add((region.Address + (nint)offset, bytes, true));
        Default.PreferHugePages(region, offset, bytes);
    }

    internal override void AvoidHugePages(in Region region, long offset, long bytes)
    {
        Advice.Add((region.Address + (nint)offset, bytes, false));
        Default.AvoidHugePages(region, offset, bytes);
    }

    internal override bool TryGiveBack(in Region region, long offset, long bytes) => Default.TryGiveBack(region, offset, bytes);
}
