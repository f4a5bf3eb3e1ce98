using System;
using System.Collections.Generic;
using Pile.Memory;
using Xunit;

namespace Pile.Tests.Memory;

public sealed class RegionProviderTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void WhicheverCallFailsEveryFailureIsTypedAndNothingLeaks(bool forEver)
    {
        int failAt = 1;
        FailingRegions regions;
        do
        {
            regions = new FailingRegions(failAt++, forEver);
            Run(regions);
            Assert.Equal(0, regions.MappedBytes);
        }
        while (regions.Calls >= failAt - 1);

        Assert.True(failAt > 10, $"only {failAt} calls");
    }

    [Fact]
    public void ThePortableRegionsHoldAPileToo()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { Regions = new PortableRegions(), SlotsMax = 100_000 });
        Use(pile.It);
        Assert.Equal(0, pile.Statistics.Refusals);
    }

    [Fact]
    public void APileThatCouldNotBeCreatedKeepsNoTag()
    {
        // Far more failures than there are tags: each must give its tag back, so that two good piles still differ.
        for (int failure = 0; failure < 1000; failure++)
        {
            Assert.Throws<PileException>(static () => ObjectPile.Create(
                PileOptions.Tiny with { Regions = new FailingRegions(1, forEver: true) }));
        }

        using var one = new CheckedPile();
        using var two = new CheckedPile();
        Assert.NotEqual(one.It.Tag, two.It.Tag);
    }

    private static void Run(FailingRegions regions)
    {
        CheckedPile pile;
        try
        {
            pile = new CheckedPile(PileOptions.Tiny with { Regions = regions, MemoryLimitBytes = 4 << 20, SlotsMax = 100_000, WritersMax = 1 });
        }
        catch (PileException failure)
        {
            Assert.Equal(PileStatus.Full, failure.Status);
            return;
        }

        using (pile)
        {
            Use(pile.It);
        }
    }

    private static void Use(ObjectPile pile)
    {
        List<(PilePointer Pointer, int Length)> live = [];
        for (int round = 0; round < 4; round++)
        {
            for (int index = 0; index < 1500; index++)
            {
                int length = index % 300 == 299 ? 300_000 : 700;
                byte[] bytes = new byte[length];
                bytes.AsSpan().Fill((byte)length);
                try
                {
                    live.Add((pile.PutBytes(bytes), length));
                }
                catch (PileFullException failure)
                {
                    Assert.Equal(PileStatus.Full, failure.Status);
                }
            }

            for (int index = live.Count - 1; index >= 0; index -= 2)
            {
                (PilePointer pointer, int length) = live[index];
                using (PileLease lease = pile.Lease(pointer))
                {
                    Assert.Equal(length, lease.Length);
                    Assert.False(lease.Bytes.ContainsAnyExcept((byte)length));
                }

                Assert.True(pile.Delete(pointer));
                live.RemoveAt(index);
            }

            _ = pile.Compact(cancellationToken: TestContext.Current.CancellationToken);
        }

        pile.Clear();
        Assert.Equal(0, pile.GetStatistics().Objects);
    }
}
