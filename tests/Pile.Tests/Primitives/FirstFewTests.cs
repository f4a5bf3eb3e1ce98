using System.Linq;
using Pile.Primitives;
using Xunit;

namespace Pile.Tests.Primitives;

/// <summary>What is kept of many, and that all are counted.</summary>
public sealed class FirstFewTests
{
    [Fact]
    public void TheFirstByTheOrderAreKeptHoweverManyComeInAnyOrder()
    {
        var few = new FirstFew<int>(3, static (one, other) => one.CompareTo(other));
        foreach (int item in Enumerable.Range(0, 100).Select(static index => index * 37 % 100))
        {
            few.Add(item);
        }

        Assert.Equal([0, 1, 2], few.Kept);
        Assert.Equal(100, few.Count);
        few.Clear();
        Assert.Empty(few.Kept);
        Assert.Equal(0, few.Count);
    }

    [Fact]
    public void WithoutAnOrderThoseThatCameFirstAreKept()
    {
        var few = new FirstFew<int>(2);
        foreach (int item in new[] { 9, 5, 7, 1, 3 })
        {
            few.Add(item);
        }

        few.AddUnkept(4);
        Assert.Equal([9, 5], few.Kept);
        Assert.Equal(9, few.Count);
    }
}
