using System;
using System.Collections.Generic;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;
using Xunit;

namespace Pile.Tests.Segments;

public sealed class LargeExtentTests
{
    private const int Pages = 256;
    private readonly LargeExtent _extent = new(1000, new Region(0, Pages * (long)Limits.OsPageBytes, 0));

    [Fact]
    public void RunsAreFoundLowestFirstAndTheWholeExtentFits()
    {
        Assert.Equal(Pages, _extent.Pages);
        Assert.Equal(0, _extent.FindFree(Pages));
        _extent.Use(0, 10);
        Assert.Equal(10, _extent.FindFree(Pages - 10));
        Assert.Equal(-1, _extent.FindFree(Pages - 9));
        _extent.Use(10, Pages - 10);
        Assert.Equal(-1, _extent.FindFree(1));
        _extent.Unuse(63, 2);
        Assert.Equal(63, _extent.FindFree(2));
        Assert.Equal(-1, _extent.FindFree(3));
    }

    [Fact]
    public void AFreedRunStaysResidentUntilItIsDropped()
    {
        _extent.Use(5, 4);
        Assert.Equal(0, _extent.CountAbsent(5, 4));
        Assert.Equal((Pages, 0), _extent.NextFree(0, isResident: true));
        _extent.Unuse(5, 4);
        Assert.Equal((5, 4), _extent.NextFree(0, isResident: true));
        Assert.Equal(4, _extent.CountResident());
        _extent.Drop(5, 4);
        Assert.Equal(4, _extent.CountAbsent(5, 4));
        Assert.Equal(0, _extent.CountResident());
    }

    [Fact]
    public void ContainsKnowsTheFirstAndTheLastLocation()
    {
        long words = Pages * (long)Limits.OsPageBytes / Limits.WordBytes;

        Assert.False(_extent.Contains(999));
        Assert.True(_extent.Contains(1000));
        Assert.True(_extent.Contains(1000 + words - 1));
        Assert.False(_extent.Contains(1000 + words));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    public void RandomRunsNeverOverlapAndAreFoundWheneverTheyFit(int seed)
    {
        var random = new Random(seed);
        bool[] used = new bool[Pages];
        var runs = new List<(int First, int Pages)>();
        for (int step = 0; step < 5000; step++)
        {
            int pages = random.Next(1, random.Next(4) == 0 ? Pages / 2 : 40);
            if (random.Next(5) < 3)
            {
                int first = _extent.FindFree(pages);
                Assert.Equal(FirstFit(used, pages), first);
                if (first >= 0)
                {
                    _extent.Use(first, pages);
                    used.AsSpan(first, pages).Fill(true);
                    runs.Add((first, pages));
                }
            }
            else if (runs.Count > 0)
            {
                int index = random.Next(runs.Count);
                (int first, int count) = runs[index];
                Assert.True(_extent.IsUsed(first, count));
                _extent.Unuse(first, count);
                used.AsSpan(first, count).Clear();
                runs.RemoveAt(index);
            }

            Assert.Equal(used.AsSpan().Count(true), _extent.UsedPages);
        }
    }

    private static int FirstFit(bool[] used, int pages)
    {
        for (int first = 0; first + pages <= used.Length; first++)
        {
            if (!used.AsSpan(first, pages).Contains(true))
            {
                return first;
            }
        }

        return -1;
    }
}
