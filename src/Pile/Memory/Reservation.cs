// Reserves address space, taking less where the operating system has less: half as much at each refusal.
// Reserved is not used: nothing is resident or counted until it is touched, and nothing stored until it is opened.
using Pile.Primitives;

namespace Pile.Memory;

/// <summary>Reservation of address space.</summary>
internal static class Reservation
{
    /// <summary>Reserves up to <paramref name="bytesMax"/>, at least <paramref name="bytesMin"/>.</summary>
    /// <exception cref="PileException">Not even the least can be had.</exception>
    internal static Region Take(RegionProvider provider, long bytesMax, long bytesMin)
    {
        long least = Align.Up(bytesMin, Limits.OsPageBytes);
        long bytes = Align.Up(bytesMax, Limits.OsPageBytes);
        Region region;
        while (!provider.TryReserve(bytes, Limits.HugePageBytes, out region))
        {
            if (bytes <= least)
            {
                Throw.OutOfAddressSpace(least);
            }

            bytes = Align.Up(long.Max(bytes / 2, least), Limits.OsPageBytes);
        }

        return region;
    }
}
