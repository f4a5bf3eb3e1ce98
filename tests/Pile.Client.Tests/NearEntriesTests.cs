using System;
using Pile.Cache;
using Pile.Client.Near;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>The order of reads and changes in a near table, step by step.</summary>
public sealed class NearEntriesTests : IDisposable
{
    private static readonly byte[] _value = [1];
    private readonly PileCache _cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = 4 << 20 });
    private readonly NearEntries _entries;

    public NearEntriesTests() => _entries = new NearEntries(_cache.GetOrCreateTable<byte[], byte[]>("t"));

    public void Dispose() => _cache.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void WhatWasReadBeforeAChangeIsNotKeptAfterIt(bool isClear)
    {
        NearFlight flight = _entries.Join("a", 0, 0, out bool isNew);
        Assert.True(isNew);
        if (isClear)
        {
            _entries.Clear();
        }
        else
        {
            _entries.Drop("a"u8.ToArray());
        }

        Assert.False(_entries.End(flight, _value, default));
        Assert.False(IsHere());
    }

    [Fact]
    public void AChangeOfAnotherKeyLeavesARead()
    {
        NearFlight flight = _entries.Join("a", 0, 0, out _);
        for (int other = 0; other < 1000; other++)
        {
            _entries.Drop($"{other}");
        }

        Assert.True(_entries.End(flight, _value, default));
        Assert.True(IsHere());
        _entries.Drop("a");
        Assert.False(IsHere());
    }

    [Fact]
    public void WhoComesAfterAChangeReadsAnew()
    {
        NearFlight first = _entries.Join("a", 0, 0, out _);
        Assert.Same(first, _entries.Join("a"u8.ToArray(), 0, 0, out bool isNew));
        Assert.False(isNew);
        _entries.Drop("a");
        NearFlight second = _entries.Join("a", 0, 0, out isNew);
        Assert.True(isNew);
        Assert.False(_entries.End(first, [2], default));
        Assert.True(_entries.End(second, _value, default));
        Assert.True(IsHere());
    }

    [Fact]
    public void AReadThatBeganTooLongAgoIsNotJoined()
    {
        NearFlight first = _entries.Join("a", 5, 0, out _);
        Assert.Same(first, _entries.Join("a", 9, 5, out _));
        Assert.NotSame(first, _entries.Join("a", 9, 6, out bool isNew));
        Assert.True(isNew);
        Assert.False(_entries.End(first, _value, default));
    }

    [Fact]
    public void AReadThatBringsNothingTakesAwayWhatIsThere()
    {
        Assert.True(_entries.End(_entries.Join("a", 0, 0, out _), _value, default));
        Assert.True(_entries.End(_entries.Join("a", 0, 0, out _), null, default));
        Assert.False(IsHere());
    }

    [Fact]
    public void WhatFindsNoRoomTakesAwayWhatIsThere()
    {
        Assert.True(_entries.End(_entries.Join("a", 0, 0, out _), _value, default));
        Assert.True(_entries.End(_entries.Join("a", 0, 0, out _), new byte[8 << 20], default));
        Assert.False(IsHere());
    }

    [Fact]
    public void BytesOfAKeyMayChangeWhileItIsRead()
    {
        byte[] key = "a"u8.ToArray();
        NearFlight flight = _entries.Join(key, 0, 0, out _);
        key[0] = (byte)'b';
        Assert.True(_entries.End(flight, _value, default));
        Assert.True(IsHere());
    }

    private bool IsHere() => _entries.Copy("a"u8, new byte[1]) == 1;
}
