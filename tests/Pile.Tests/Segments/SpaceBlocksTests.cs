using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;
using Xunit;

namespace Pile.Tests.Segments;

/// <summary>Where the system may hold a block of an extent by one page, its space goes back whole: of a hole in a part of it, beside one that is stored into, a full device
/// makes the end of the process (decision 59).</summary>
public sealed class SpaceBlocksTests
{
    // Of an extent whose file begins with something else: no segment begins where a block does.
    private static readonly SpaceBlocks _blocks = new((4 << 20) - (36 << 10), 2 << 20);

    [Theory]
    [InlineData(0, 0, 0)]
    [InlineData(1, 1, 1)]
    [InlineData((4 << 20) - (36 << 10), (4 << 20) - (36 << 10), (4 << 20) - (36 << 10))]
    [InlineData(4 << 20, (4 << 20) - (36 << 10), (6 << 20) - (36 << 10))]
    [InlineData((6 << 20) - (36 << 10), (6 << 20) - (36 << 10), (6 << 20) - (36 << 10))]
    public void ABlockIsAroundWhatLiesWithinIt(long offset, long floor, long ceiling)
    {
        Assert.Equal((floor, ceiling), (_blocks.Floor(offset), _blocks.Ceiling(offset)));
        Assert.Equal((offset, offset), (default(SpaceBlocks).Floor(offset), default(SpaceBlocks).Ceiling(offset)));
    }

    /// <summary>Segments are taken, freed and given back, and the device refuses some: each that is not absent has its space, a block of absent ones has none, and no hole begins
    /// or ends within a block.</summary>
    [Theory]
    [InlineData(1, 64 << 10)]
    [InlineData(2, 512 << 10)]
    [InlineData(3, 4 << 20)]
    public void SpaceGoesBackByWholeBlocksAndAllOfThem(int seed, int segmentBytes)
    {
        var random = new Random(seed);
        var regions = new PagedRegions(random);
        using var extents = new ExtentMap(regions, 4L * Limits.ExtentBytes, Limits.ExtentBytes);
        var directory = new SegmentDirectory(extents, regions, identity: 0, segmentBytes, segmentBytes);
        var policy = new GrowthPolicy(RoomLimits.UsedOverLiveDefault, keptBytes: 0);
        policy.Follow(static () => new PileVolume(1 << 30, 0, 0, 0, 1));
        var pool = new SegmentPool(regions, directory, new MemoryBudget(96 << 20), policy, hugePages: false, static () => { });
        List<Segment> taken = [];
        for (int round = 0; round < 40; round++)
        {
            // Now it grows, now it shrinks.
            int takes = random.Next(1, 10);
            for (int step = 0; step < (64 << 20) / segmentBytes; step++)
            {
                if (random.Next(10) < takes)
                {
                    if (pool.TryTake(overRatio: true, recordBytes: 64) is { } segment)
                    {
                        taken.Add(segment);
                    }
                }
                else if (taken.Count > 0)
                {
                    int index = random.Next(taken.Count);
                    pool.Opened.NoteSealed(taken[index]);
                    pool.Free(taken[index]);
                    taken[index] = taken[^1];
                    taken.RemoveAt(taken.Count - 1);
                }

                _ = random.Next(3) == 0 && pool.TryGiveBack(keepFree: random.Next(4));
            }

            regions.Check(directory);
        }

        Assert.True(regions.Holes > 100, $"{regions.Holes} holes");
    }

    /// <summary>What a block keeps for one of its segments is there for the others, where the device has no more.</summary>
    [Theory]
    [InlineData(64 << 10)]
    [InlineData(512 << 10)]
    public void SegmentsThatKeepTheirSpaceAreTakenWhereTheDeviceIsFull(int segmentBytes)
    {
        var regions = new PagedRegions(random: null);
        using var extents = new ExtentMap(regions, 4L * Limits.ExtentBytes, Limits.ExtentBytes);
        var directory = new SegmentDirectory(extents, regions, identity: 0, segmentBytes, segmentBytes);
        var policy = new GrowthPolicy(RoomLimits.UsedOverLiveDefault, keptBytes: 0);
        policy.Follow(static () => new PileVolume(1 << 30, 0, 0, 0, 1));
        var pool = new SegmentPool(regions, directory, new MemoryBudget(96 << 20), policy, hugePages: false, static () => { });
        List<Segment> taken = [];
        while (taken.Count < (48 << 20) / segmentBytes)
        {
            taken.Add(Assert.IsType<Segment>(pool.TryTake(overRatio: true, recordBytes: 64)));
        }

        // Of some blocks all goes, of the others all but one segment.
        int inBlock = (2 << 20) / segmentBytes;
        foreach (Segment segment in taken)
        {
            if (segment.Index < taken.Count / 2 || segment.Index % inBlock != 1)
            {
                pool.Opened.NoteSealed(segment);
                pool.Free(segment);
            }
        }

        while (pool.TryGiveBack(keepFree: 0))
        {
        }

        regions.Check(directory);
        regions.IsFull = true;
        int keeping = taken.FindAll(regions.HasSpace).Count;
        Assert.InRange(keeping, (taken.Count / 2) - inBlock, taken.Count / 2);
        int again = 0;
        while (pool.TryTake(overRatio: true, recordBytes: 64) is { } segment)
        {
            Assert.True(regions.HasSpace(segment));
            again++;
        }

        Assert.Equal(keeping, again + (taken.Count / 2 / inBlock));
        regions.Check(directory);
    }

    /// <summary>Memory whose pages have space or not, as those of a file.</summary>
    private sealed class PagedRegions(Random? random) : RegionProvider
    {
        private readonly HashSet<long> _pages = [];

        internal int Holes { get; private set; }

        /// <summary>Whether nothing gets space that has none.</summary>
        internal bool IsFull { get; set; }

        internal override bool ReservesFreely => Default.ReservesFreely;

        internal override SpaceBlocks Blocks => _blocks;

        internal override bool TryMap(long bytes, long alignmentBytes, out Region region) => Default.TryMap(bytes, alignmentBytes, out region);

        internal override void Unmap(in Region region) => Default.Unmap(region);

        internal override bool TryPopulate(in Region region, long offset, long bytes) => true;

        internal override void PreferHugePages(in Region region, long offset, long bytes)
        {
        }

        internal override bool TryAllocate(in Region region, long offset, long bytes, bool isForCleaner)
        {
            if (random?.Next(20) == 0 || (IsFull && !Pages(region, offset, bytes).All(_pages.Contains)))
            {
                return false;
            }

            foreach (long page in Pages(region, offset, bytes))
            {
                _ = _pages.Add(page);
            }

            return true;
        }

        internal override bool TryGiveBack(in Region region, long offset, long bytes)
        {
            Assert.Equal(offset, _blocks.Floor(offset));
            Assert.True(offset + bytes == region.Bytes || _blocks.Floor(offset + bytes) == offset + bytes, $"a hole ends within a block, at {offset + bytes}");
            foreach (long page in Pages(region, offset, bytes))
            {
                _ = _pages.Remove(page);
            }

            Holes++;
            return true;
        }

        internal bool HasSpace(Segment segment) => Pages(segment.Region, segment.RegionOffset, segment.Bytes).All(_pages.Contains);

        internal void Check(SegmentDirectory directory)
        {
            var used = new HashSet<(Region Region, long Block)>();
            for (int index = 0; index < directory.Count; index++)
            {
                Segment segment = directory[index];
                if (segment.State != SegmentState.Absent)
                {
                    foreach (long page in Pages(segment.Region, segment.RegionOffset, segment.Bytes))
                    {
                        Assert.Contains(page, _pages);
                        _ = used.Add((segment.Region, _blocks.Floor((page * Limits.OsPageBytes) - segment.Region.Address)));
                    }
                }
            }

            for (int index = 0; index < directory.Count; index++)
            {
                Segment segment = directory[index];
                foreach (long page in Pages(segment.Region, segment.RegionOffset, segment.Bytes))
                {
                    Assert.True(
                        !_pages.Contains(page) || used.Contains((segment.Region, _blocks.Floor((page * Limits.OsPageBytes) - segment.Region.Address))),
                        $"nobody has anything of the block around byte {(page * Limits.OsPageBytes) - segment.Region.Address}, and it has space");
                }
            }
        }

        private static IEnumerable<long> Pages(Region region, long offset, long bytes)
        {
            for (long at = offset; at < offset + bytes; at += Limits.OsPageBytes)
            {
                yield return (region.Address + at) / Limits.OsPageBytes;
            }
        }
    }
}
