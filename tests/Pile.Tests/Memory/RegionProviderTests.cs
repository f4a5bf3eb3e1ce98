using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using Pile.Memory;
using Pile.Primitives;
using Xunit;

namespace Pile.Tests.Memory;

public sealed class RegionProviderTests
{
    /// <summary>Of larger pages than ours the kernel would drop a neighbour's bytes with what is given back.</summary>
    [Theory]
    [InlineData(0, 20480, 4096, true)]
    [InlineData(0, 20480, 16384, false)]
    [InlineData(16384, 32768, 16384, true)]
    [InlineData(4096, 16384, 16384, false)]
    [InlineData(0, 32768, 65536, false)]
    public void OnlyWholePagesOfTheSystemAreGivenBack(long address, long bytes, int pageBytes, bool isGiven) =>
        Assert.Equal(isGiven, LinuxRegions.AreWholePages((nint)address, bytes, pageBytes));

    [Fact]
    public void WhatIsReservedIsReadUntilItIsOpened()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "reads /proc/self/maps");
        const int Page = Limits.OsPageBytes;
        var regions = new LinuxRegions();
        Assert.True(regions.TryReserve(64 * Page, Page, out Region region));
        try
        {
            Assert.Equal("r--p", RightsAt(region.Address));
            Assert.Equal(0ul, new WordArray(region.Address).Read(63));

            Assert.True(regions.TryOpen(region, (8 * Page) + 8, Page));
            nint opened = region.Address + (8 * Page);
            Assert.Equal(["r--p", "rw-p", "rw-p", "r--p"], [RightsAt(opened - 1), RightsAt(opened), RightsAt(opened + (2 * Page) - 1), RightsAt(opened + (2 * Page))]);
            new WordArray(opened).WriteRelease(0, 7);
            Assert.Equal(7ul, new WordArray(opened).Read(0));
        }
        finally
        {
            regions.Unmap(region);
        }
    }

    /// <summary>A dump of the heap is what can be written: it must be as large as what is used, not as what is reserved.</summary>
    [Fact]
    public void APileReservesMuchAndOpensWhatItUses()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "reads /proc/self/maps");
        using var pile = ObjectPile.Create();
        PilePointer pointer = pile.Put("a");
        Assert.Equal("a", pile.Get<string>(pointer));
        foreach ((nint start, nint end, string rights) in Mapped())
        {
            Assert.True(!rights.StartsWith("rw", StringComparison.Ordinal) || (long)(end - start) < 16L << 30, $"{start:X}-{end:X} {rights}");
        }
    }

    private static string RightsAt(nint address) => Mapped().Single(mapped => address >= mapped.Start && address < mapped.End).Rights;

    private static IEnumerable<(nint Start, nint End, string Rights)> Mapped()
    {
        foreach (string line in File.ReadLines("/proc/self/maps"))
        {
            // 7f0000000000-7f0000001000 r--p and more
            string[] parts = line.Split(' ', 3);
            nint[] ends = [.. parts[0].Split('-').Select(static end => nint.Parse(end, NumberStyles.HexNumber, CultureInfo.InvariantCulture))];
            yield return (ends[0], ends[1], parts[1]);
        }
    }

    [Fact]
    public void ALowRegionBeginsWhereAnInstructionReachesItAndTakesNobodysPlace()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "regions begin low on Linux alone");
        const long Bytes = 1L << 20;
        var regions = new LinuxRegions();

        // The lines of threads take all room there is, where they are made before.
        bool isTaken = ThreadLines.AreLow;
        bool isFirst = regions.TryReserveLow(Bytes, out Region first);
        bool isSecond = regions.TryReserveLow(Bytes, out Region second);
        bool isTooLarge = regions.TryReserveLow(1L << 62, out Region none);

        Assert.Equal((false, default(Region)), (isTooLarge, none));
        Assert.NotEqual(isTaken, isFirst);
        Assert.Equal((isFirst ? Bytes : 0, isSecond ? Bytes : 0), (first.Bytes, second.Bytes));
        Assert.True(!isFirst || first.Address is > 0 and < int.MaxValue, $"{first.Address:X}");
        Assert.True(!isSecond || second.Address - first.Address >= Bytes, $"{second.Address:X}");
        foreach (Region region in (Region[])[first, second])
        {
            regions.Unmap(in region);
        }
    }

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

        Assert.True(failAt > 20, $"The run that nothing failed in made {regions.Calls} calls.");
    }

    [Fact]
    public void ThePortableRegionsHoldAPileToo()
    {
        using var pile = new CheckedPile(PileOptions.Tiny with { Regions = new PortableRegions(), SlotsMax = 100_000 });
        Use(pile.It);
        Assert.Equal(0, pile.Statistics.Refusals);
    }

    [Fact]
    public void WhereReservedMemoryIsChargedForAPileReservesWhatItsLimitCanUse()
    {
        const long Limit = 200 << 20;
        var regions = new FailingRegions(int.MaxValue, forEver: false, new PortableRegions());
        using (var pile = new CheckedPile(new PileOptions { MemoryLimitBytes = Limit, Regions = regions, BackgroundCleaning = false }))
        {
            // Flat space twice the limit, half the limit of entries; an extent and a mebibyte of fixed cost.
            Assert.InRange(regions.MappedBytes, Limit, (Limit * 5 / 2) + (64 << 20) + (6 << 20));
            Use(pile.It);
        }

        Assert.Equal(0, regions.MappedBytes);
    }

    private static void Run(FailingRegions regions)
    {
        CheckedPile pile;
        try
        {
            pile = new CheckedPile(PileOptions.Tiny with { Regions = regions, MemoryLimitBytes = 8 << 20, SlotsMax = 100_000, WritersMax = 1 });
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
        for (int round = 0; round < 2; round++)
        {
            for (int index = 0; index < 1000; index++)
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
