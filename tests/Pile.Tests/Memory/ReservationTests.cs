using System;
using System.Collections.Generic;
using Pile.Memory;
using Pile.Primitives;
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

    /// <summary>Each took 4 TiB, and what was left when that was not there any more, by halves, down to nothing: then a thread, or the runtime's own heap, found none.</summary>
    [Fact]
    public void ManyPilesInFilesWithALimitShareTheAddressSpaceOfAProcess()
    {
        const int Piles = 64;
        Assert.SkipUnless(RegionProvider.Default.ReservesFreely, "address space is charged for");
        List<IDisposable> open = [];
        try
        {
            for (int index = 0; index < Piles; index++)
            {
                var files = new Simulation.SimulatedFiles();
                open.Add(files);
                ObjectPile pile = ObjectPile.Open("/pile", new PileOptions { Files = files, DiskLimitBytes = 16 << 20, BackgroundCleaning = false });
                open.Insert(0, pile);
                Assert.Equal("text", pile.Get<string>(pile.Put("text")));
            }

            Assert.False(RegionProvider.Default.IsCrowded);
        }
        finally
        {
            open.ForEach(static one => one.Dispose());
        }
    }

    /// <summary>It took 4 TiB as one that grows: some thirty readers of a directory were too many for a process.</summary>
    [Fact]
    public void APileThatIsOpenForReadingAloneReservesForWhatItsFilesTake()
    {
        Assert.SkipUnless(RegionProvider.Default.ReservesFreely, "address space is charged for");
        using var files = new Simulation.SimulatedFiles();
        PilePointer pointer;
        using (ObjectPile pile = ObjectPile.Open("/pile", PileOptions.Tiny with { Files = files, MemoryLimitBytes = null }))
        {
            pointer = pile.Put("text");
        }

        var regions = new ScarceRegions(8L << 40);
        using ObjectPile read = ObjectPile.Open("/pile", new PileOptions { Files = files, Regions = regions, OpenMode = PileOpenMode.ReadOnly });
        Assert.Equal("text", read.Get<string>(pointer));
        Assert.InRange((8L << 40) - regions.LeftBytes, Limits.FlatSpaceFilesBytes, 2 * Limits.FlatSpaceFilesBytes);
    }

    [Theory]
    [InlineData(4L << 20, 0, 64L << 30)]
    [InlineData(100L << 30, 0, 800L << 30)]
    [InlineData(4L << 20, 50L << 30, 100L << 30)]
    [InlineData(4L << 20, 3L << 40, Limits.FlatSpaceBytesMax)]
    [InlineData(long.MaxValue, 0, Limits.FlatSpaceBytesMax)]
    public void APileInFilesReservesByItsLimitAndWhatItsFilesTake(long limitBytes, long takenBytes, long reservedBytes) =>
        Assert.Equal(reservedBytes, ExtentMap.BytesForFiles(limitBytes, takenBytes));

    [Fact]
    public void InACrowdedProcessAPileLeavesSomethingOrIsRefused()
    {
        Assert.SkipUnless(RegionProvider.Default.ReservesFreely, "address space is charged for");
        var regions = new ScarceRegions(200L << 30) { CrowdedFromLeftBytes = 100L << 30 };
        List<ObjectPile> open = [];
        PileException? refused = null;
        while (refused is null)
        {
            refused = (PileException?)Record.Exception(() => open.Add(ObjectPile.Create(PileOptions.Tiny with { Regions = regions, MemoryLimitBytes = 8 << 20 })));
            Assert.True(regions.LeftBytes >= Limits.AddressRestBytes, $"{regions.LeftBytes:N0} are left with {open.Count} piles");
        }

        Assert.Contains("how many piles are open: one in files reserves 8 times its limit, at least 64 GiB, and 4 TiB without a limit", refused.Message, StringComparison.Ordinal);
        Assert.NotEmpty(open);
        open.ForEach(static pile => pile.Dispose());
        Assert.Equal(200L << 30, regions.LeftBytes);
    }
}
