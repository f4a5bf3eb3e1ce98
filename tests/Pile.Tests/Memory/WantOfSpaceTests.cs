using System;
using Pile.Memory;
using Pile.Primitives;
using Xunit;

namespace Pile.Tests.Memory;

/// <summary>A pile below its limit, to which the operating system gives no address space, or no mapping, says that.</summary>
public sealed class WantOfSpaceTests
{
    private static readonly byte[] _small = new byte[1000];
    private static readonly byte[] _large = new byte[50_000];

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void APutBeyondTheAddressSpaceThatAPileGotNamesTheLimitOfThat(bool isInFiles)
    {
        Assert.SkipUnless(RegionProvider.Default.ReservesFreely, "address space is charged for");
        using var files = new Simulation.SimulatedFiles();
        using ObjectPile pile = Open(files, new NarrowRegions((2L * Limits.ExtentBytes) + Limits.HugePageBytes), isInFiles);
        PilePointer kept = pile.Put("in the one extent that there is");
        AssertTold(Assert.Throws<PileFullException>(() => pile.PutBytes(_large)), "Put of 50,000 bytes");
        AssertTold(Assert.Throws<PileFullException>(() => pile.UpdateBytes(kept, _large)), "Update of 50,000 bytes");
        Assert.Equal("in the one extent that there is", pile.Get<string>(kept));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void APutWithoutAnotherMappingNamesTheLimitOfThoseAndGoesOnOnceThereIsOne(bool isInFiles)
    {
        using var files = new Simulation.SimulatedFiles();
        var regions = new RefusingRegions();
        using ObjectPile pile = Open(files, regions, isInFiles);
        regions.RefusesMaps = true;
        AssertTold(Assert.Throws<PileFullException>(() => pile.PutBytes(_small)), "Put of 1,000 bytes");
        regions.RefusesMaps = false;
        Assert.Equal(_small, pile.Get<byte[]>(pile.PutBytes(_small)));
        Assert.Equal(_large, pile.Get<byte[]>(pile.PutBytes(_large)));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void APutWhoseTableCanNotGrowNamesTheLimitOfMappingsAndGoesOnOnceItCan(bool isInFiles)
    {
        using var files = new Simulation.SimulatedFiles();
        var regions = new RefusingRegions();
        using ObjectPile pile = Open(files, regions, isInFiles);
        _ = pile.Put(0);
        regions.RefusesOpens = true;
        int puts = 1;
        Exception? failure = null;
        for (; failure is null && puts < 100_000; puts++)
        {
            failure = Record.Exception(() => pile.Put(puts));
        }

        AssertTold(Assert.IsType<PileFullException>(failure), "Put of 4 bytes");
        regions.RefusesOpens = false;
        Assert.Equal(puts, pile.Get<int>(pile.Put(puts)));
    }

    [Fact]
    public void APileAtItsLimitNamesThatWhateverWasRefusedBefore()
    {
        using var files = new Simulation.SimulatedFiles();
        var regions = new RefusingRegions();
        using ObjectPile pile = Open(files, regions, isInFiles: false);
        regions.RefusesMaps = true;
        AssertTold(Assert.Throws<PileFullException>(() => pile.PutBytes(_large)), "Put of 50,000 bytes");
        PileFullException full = Assert.Throws<PileFullException>(() => pile.PutBytes(new byte[9 << 20]));
        Assert.Contains("MemoryLimitBytes = 8,388,608", full.Message, StringComparison.Ordinal);
    }

    private static ObjectPile Open(Simulation.SimulatedFiles files, RegionProvider regions, bool isInFiles)
    {
        PileOptions options = PileOptions.Tiny with { Regions = regions, Files = files, BackgroundCleaning = false, MemoryLimitBytes = isInFiles ? null : 8 << 20 };
        return isInFiles ? ObjectPile.Open("/pile", options) : ObjectPile.Create(options);
    }

    private static void AssertTold(PileFullException full, string call)
    {
        Assert.Equal(PileStatus.Full, full.Status);
        Assert.StartsWith(call, full.Message, StringComparison.Ordinal);
        Assert.Contains("ulimit -v", full.Message, StringComparison.Ordinal);
        Assert.Contains("vm.max_map_count", full.Message, StringComparison.Ordinal);
    }
}
