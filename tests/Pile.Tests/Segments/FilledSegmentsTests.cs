using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;
using Xunit;

namespace Pile.Tests.Segments;

/// <summary>Segments whose pages are filled before they are stored into, as files have them (decision 49).</summary>
public sealed class FilledSegmentsTests
{
    private const int SegmentBytes = 4 * FileLimits.FillBytes;
    private readonly FilledRegions _regions = new();

    [Fact]
    public void WritersStoreIntoWhatWasFilledAndNothingIsFilledBehindThem()
    {
        using CheckedPile pile = Open();
        _regions.OnFill = (address, bytes) =>
        {
            Segment segment = At(pile, address);
            long written = pile.Core.Writers.WrittenOf(segment);
            Assert.True(address - segment.Region.Address - segment.RegionOffset >= written, $"{bytes} bytes are filled of which some were stored before byte {written}");
        };
        var random = new Random(50);
        for (int number = 0; number < 200; number++)
        {
            _ = pile.It.PutBytes(new byte[random.Next(1, (SegmentBytes / Limits.LargeObjectFraction) - 64)]);
        }

        for (int index = 0; index < pile.Core.Directory.Count; index++)
        {
            Segment segment = pile.Core.Directory[index];
            (nint Address, long Bytes)[] fills = [.. _regions.Fills.Where(fill => At(pile, fill.Address) == segment)];
            Assert.Equal(fills.Length == 0 ? 0 : segment.FilledBytes, fills.Sum(static fill => fill.Bytes));
            long end = segment.Region.Address + segment.RegionOffset;
            foreach ((nint address, long bytes) in fills)
            {
                Assert.Equal(end, address);
                Assert.Equal(0, bytes % FileLimits.FillBytes);
                end += bytes;
            }

            Assert.True(segment.State != SegmentState.Open || segment.FilledBytes >= pile.Core.Writers.WrittenOf(segment));
        }

        Assert.True(_regions.Fills.Count > pile.Core.Directory.Count);
    }

    [Fact]
    public void ASegmentThatIsUsedAgainIsNotFilledAgain()
    {
        using CheckedPile pile = Open();
        for (int round = 0; round < 20; round++)
        {
            for (int number = 0; number < 100; number++)
            {
                _ = pile.It.PutBytes(new byte[10_000]);
            }

            pile.It.Clear();
        }

        long resident = pile.Core.Pool.ResidentBytes;
        long filled = _regions.Fills.Sum(static fill => fill.Bytes);
        Assert.True(filled > 0 && filled <= resident, $"{filled} bytes were filled of {resident}");
    }

    private CheckedPile Open() => new(PileOptions.Tiny with
    {
        Regions = _regions,
        SegmentBytesMin = SegmentBytes,
        SegmentBytesMax = SegmentBytes,
        WritersMax = 1,
        BackgroundCleaning = false,
    });

    private static Segment At(CheckedPile pile, nint address) => Enumerable.Range(0, pile.Core.Directory.Count).Select(index => pile.Core.Directory[index])
        .First(segment => address - segment.Region.Address - segment.RegionOffset is >= 0 and var offset && offset < segment.Bytes);

    private sealed class FilledRegions : RegionProvider
    {
        internal List<(nint Address, long Bytes)> Fills { get; } = [];

        internal Action<nint, long> OnFill { get; set; } = static (_, _) => { };

        internal override bool ReservesFreely => Default.ReservesFreely;

        internal override bool FillsBeforeUse => true;

        internal override void Fill(in Region region, long offset, long bytes)
        {
            Fills.Add((region.Address + (nint)offset, bytes));
            OnFill(region.Address + (nint)offset, bytes);
        }

        internal override bool TryMap(long bytes, long alignmentBytes, out Region region) => Default.TryMap(bytes, alignmentBytes, out region);

        internal override void Unmap(in Region region) => Default.Unmap(region);

        internal override bool TryPopulate(in Region region, long offset, long bytes) => Default.TryPopulate(region, offset, bytes);

        internal override void PreferHugePages(in Region region, long offset, long bytes) => Default.PreferHugePages(region, offset, bytes);

        internal override bool TryGiveBack(in Region region, long offset, long bytes) => Default.TryGiveBack(region, offset, bytes);
    }
}
