using System;
using System.Collections.Generic;
using Pile.Segments;
using Xunit;

namespace Pile.Tests.Segments;

public sealed class IndexSetTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void RandomAdditionsAndTakingsAgreeWithASortedSet(int seed)
    {
        var random = new Random(seed);
        var model = new SortedSet<int>();
        var set = new IndexSet();
        for (int step = 0; step < 20_000; step++)
        {
            int index = random.Next(1000);
            if (random.Next(2) == 0 && model.Add(index))
            {
                set.Add(index);
            }
            else if (model.Count > 0)
            {
                bool lowest = random.Next(2) == 0;
                int expected = lowest ? model.Min : model.Max;
                Assert.Equal(expected, lowest ? set.TakeLowest() : set.TakeHighest());
                model.Remove(expected);
            }

            Assert.Equal(model.Count, set.Count);
        }
    }
}
