using Pile.Memory;

namespace Pile.Tests.Memory;

/// <summary>The platform's regions on a machine without memory to spare: what may take much of it must do without.</summary>
internal sealed class SmallMachine : RegionProvider
{
    internal override long MachineMemoryBytes => 0;

    internal override bool ReservesFreely => Default.ReservesFreely;

    internal override bool TryMap(long bytes, long alignmentBytes, out Region region) => Default.TryMap(bytes, alignmentBytes, out region);

    internal override void Unmap(in Region region) => Default.Unmap(region);

    internal override bool TryPopulate(in Region region, long offset, long bytes) => Default.TryPopulate(region, offset, bytes);

    internal override void PreferHugePages(in Region region, long offset, long bytes) => Default.PreferHugePages(region, offset, bytes);

    internal override bool TryGiveBack(in Region region, long offset, long bytes) => Default.TryGiveBack(region, offset, bytes);
}
