using Pile.Memory;
using Pile.Primitives;
using Xunit;

namespace Pile.Tests.Memory;

/// <summary>What a process may reserve here.</summary>
internal static class AddressSpace
{
    /// <summary>Skips a test of a table in a hole of the flat space where the two can't be reserved together.</summary>
    internal static void SkipWithoutRoom()
    {
        Assert.SkipUnless(RegionProvider.Default.ReservesFreely, "memory is charged for where it is reserved");
        bool hasRoom = RegionProvider.Default.TryMap(4 * Limits.TableBytesWhole, Limits.OsPageBytes, out Region region);
        Assert.SkipUnless(hasRoom, "the process may not reserve as much address space");
        RegionProvider.Default.Unmap(region);
    }
}
