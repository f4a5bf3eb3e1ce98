using System;
using System.Collections.Generic;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Text;
using Pile.Cache.Keys;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>What is known of the bytes of a key: a program that is compiled whole ahead of time hides fields, and takes no key of which a byte may be one.</summary>
public sealed class KeyPaddingTests
{
    [Fact]
    public void AByteThatNoFieldReachesMayBeAFieldThatIsHidden()
    {
        Assert.True(Hides<(byte, int)>());
        Assert.True(Hides<KeyValuePair<long, byte>>());
        Assert.True(Hides<DateTimeOffset>());
        Assert.True(Hides<((byte, short), int)>());
        Assert.False(KeyPadding.Hides(KeyPadding.MaskOf(typeof((byte, int)), Unsafe.SizeOf<(byte, int)>()), isWhole: false));
    }

    [Fact]
    public void KeysOfWhichEachByteIsKnownAreTaken()
    {
        Assert.False(Hides<int>());
        Assert.False(Hides<DayOfWeek>());
        Assert.False(Hides<decimal>());
        Assert.False(Hides<Pair>());
        Assert.False(Hides<(Guid, Pair, (int, int))>());
    }

    /// <summary>Of them nothing is asked but the name.</summary>
    [Fact]
    public void TypesThatAreSaidToHaveNoPaddingHaveNone()
    {
        AssertFull<Guid>(16);
        AssertFull<DateTime>(8);
        AssertFull<DateOnly>(4);
        AssertFull<TimeOnly>(8);
        AssertFull<TimeSpan>(8);
        AssertFull<Int128>(16);
        AssertFull<UInt128>(16);
        AssertFull<Half>(2);
        AssertFull<Rune>(4);
        AssertFull<System.Index>(4);
        AssertFull<Range>(8);
    }

    /// <summary>What its arguments say is nothing of where its fields stand: equal keys were two, by what their padding held.</summary>
    [Fact]
    public void AProgramsOwnTupleIsLookedAtFieldByField() => Assert.Equal([0xff, 0, 0, 0, 0xff, 0xff, 0xff, 0xff], KeyPadding.MaskOf(typeof(Own<long>), Unsafe.SizeOf<Own<long>>()));

    /// <summary>It shows two fields of eight bytes, whatever its length: keys that differed behind those were one.</summary>
    [Fact]
    public void EachByteOfAVectorIsOne() => Assert.Null(KeyPadding.MaskOf(typeof(Vector<byte>), Vector<byte>.Count));

    private static bool Hides<T>() => KeyPadding.Hides(KeyPadding.MaskOf(typeof(T), Unsafe.SizeOf<T>()), isWhole: true);

    private static void AssertFull<T>(int bytes)
    {
        Assert.False(Hides<T>());
        Assert.Equal(bytes, Unsafe.SizeOf<T>());
    }

    private readonly record struct Pair(int First, int Second);

    private readonly record struct Own<T>(byte First, int Second) : ITuple
    {
        public int Length => 2;

        public object? this[int index] => index == 0 ? First : Second;
    }
}
