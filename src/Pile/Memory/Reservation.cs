// Reserves address space, taking less where the operating system has less: half as much at each refusal.
// Reserved is not used: nothing is resident or counted until it is touched, and nothing stored until it is opened.
// The rest of the process needs some too: what would leave it next to nothing is not taken (decision 6).
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
        while (!(bytes > least || provider.IsCrowded ? TryTake(provider, bytes, out region) : provider.TryReserve(bytes, Limits.HugePageBytes, out region)))
        {
            if (bytes <= least)
            {
                Throw.OutOfAddressSpace(least);
            }

            bytes = Align.Up(long.Max(bytes / 2, least), Limits.OsPageBytes);
        }

        return region;
    }

    /// <summary>Reserves so much where as much again, or <see cref="Limits.AddressRestBytes"/>, is left; these in any case where the process has taken most of
    /// what there is: pile after pile would leave it less and less, until a thread, or the runtime's own heap, finds nothing and the process ends.</summary>
    internal static bool TryTake(RegionProvider provider, long bytes, out Region region)
    {
        if (!provider.TryReserve(bytes, Limits.HugePageBytes, out region))
        {
            return false;
        }

        // Where it is charged for, it is memory, and another's limit.
        if (!provider.ReservesFreely)
        {
            return true;
        }

        bool isLeft = provider.TryReserve(provider.IsCrowded ? Limits.AddressRestBytes : long.Min(bytes, Limits.AddressRestBytes), Limits.OsPageBytes, out Region rest);
        provider.Unmap(isLeft ? rest : region);
        region = isLeft ? region : default;
        return isLeft;
    }
}
