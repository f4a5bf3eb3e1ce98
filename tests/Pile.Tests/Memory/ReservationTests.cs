using Pile.Memory;
using Xunit;

namespace Pile.Tests.Memory;

/// <summary>How much of a process's address space a pile takes.</summary>
public sealed class ReservationTests
{
    /// <summary>Halves of what is wanted came so near to what there was that the pile's next reservation failed, or whatever the process needed next.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void APileLeavesTheProcessAddressSpaceWhateverThereIs(bool isInFiles)
    {
        Assert.SkipUnless(RegionProvider.Default.ReservesFreely, "address space is charged for");
        for (long bytes = 2L << 30; bytes < 200L << 30; bytes += bytes / 7)
        {
            var regions = new ScarceRegions(bytes);
            using var files = new Simulation.SimulatedFiles();
            PileOptions options = PileOptions.Tiny with { Regions = regions, MemoryLimitBytes = isInFiles ? null : 8 << 20, SlotsMax = new PileOptions().SlotsMax, Files = files };
            using (ObjectPile pile = isInFiles ? ObjectPile.Open("/pile", options) : ObjectPile.Create(options))
            {
                Assert.Equal("text", pile.Get<string>(pile.Put("text")));
                Assert.True(regions.LeftBytes > long.Min(bytes / 8, 2L << 30), $"{regions.LeftBytes:N0} of {bytes:N0} are left");
            }

            Assert.Equal(bytes, regions.LeftBytes);
        }
    }
}
