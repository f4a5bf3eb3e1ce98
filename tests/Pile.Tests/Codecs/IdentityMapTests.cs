using System;
using Pile.Codecs;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>Objects by identity, through growth and collections.</summary>
public sealed class IdentityMapTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(CodecLimits.IdentityRebuildsMax * 3)]
    public void EveryObjectIsFoundAgainHoweverOftenObjectsMove(int collections)
    {
        const int Count = 20_000;
        var map = new IdentityMap();
        object[] values = new object[Count];
        for (int index = 0; index < Count; index++)
        {
            values[index] = new object();
            _ = new byte[index % 64];
            Assert.Equal(-1, map.FindOrAdd(values[index], index));
            if (collections > 0 && index % (Count / collections) == 7)
            {
                GC.Collect(0, GCCollectionMode.Forced, blocking: true, compacting: true);
                Assert.Equal(index / 2, map.FindOrAdd(values[index / 2], -5));
            }
        }

        for (int index = 0; index < Count; index++)
        {
            Assert.Equal(index, map.FindOrAdd(values[index], -5));
        }

        Assert.Equal(Count, map.Count);
    }

    [Fact]
    public void AfterClearNothingIsKnown()
    {
        var map = new IdentityMap();
        object[] values = new object[CodecLimits.IdentitiesInRow * 5];
        for (int round = 0; round < 3; round++)
        {
            for (int index = 0; index < values.Length; index++)
            {
                Assert.Equal(-1, map.FindOrAdd(values[index] ??= new object(), index));
            }

            map.Clear();
            Assert.Equal(0, map.Count);
        }
    }

    [Fact]
    public void ObjectsAtLargeStridesAreFoundToo()
    {
        var map = new IdentityMap();
        byte[][] values = new byte[2000][];
        for (int index = 0; index < values.Length; index++)
        {
            values[index] = new byte[8168];
            Assert.Equal(-1, map.FindOrAdd(values[index], index));
        }

        for (int index = 0; index < values.Length; index++)
        {
            Assert.Equal(index, map.FindOrAdd(values[index], -5));
        }
    }
}
