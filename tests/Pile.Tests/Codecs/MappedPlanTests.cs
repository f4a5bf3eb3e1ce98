using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Runtime.Serialization;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>Old values of types that changed in ways that only some plans know.</summary>
public sealed class MappedPlanTests
{
    [Fact]
    public void AClassThatBecameISerializableIsATypedError()
    {
        var before = new GraphStore();
        byte[] bytes = before.Write(new FieldsThen { X = 5, Y = "six" });
        Exception failure = Assert.Throws<PileTypeMismatchException>(() => new GraphStore(before).Read<ProtocolNow>(bytes));
        Assert.Contains("Fields", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void ABoxedEnumOfAnotherWidthComesBackWhereItFits()
    {
        var before = new GraphStore();
        byte[] bytes = before.Write(new object[] { ByteThen.High, LongThen.One });
        byte[] tooLarge = before.Write(new object[] { LongThen.Beyond });
        var after = new GraphStore(before);
        after.Table.Known.Add(typeof(IntOfByte));
        after.Table.Known.Add(typeof(IntOfLong));
        Assert.Equal(new object[] { IntOfByte.High, IntOfLong.One }, after.Read<object[]>(bytes));
        Assert.Throws<PileTypeMismatchException>(() => after.Read<object[]>(tooLarge));
        Assert.Equal(IntOfByte.High, after.Read<object[]>(after.Write(new object[] { IntOfByte.High }))[0]);
    }

    [Fact]
    public void AnInlineArrayOfAClassThatChangedIsRead()
    {
        var before = new GraphStore();
        FourThen four = default;
        four[0] = new LineThen { X = 1 };
        four[3] = new LineThen { X = 4 };
        byte[] alone = before.Write(four);
        byte[] boxed = before.Write(new object[] { four, "text" });
        byte[] inside = before.Write(new OfFourThen { Four = four, Text = "text" });
        var after = new GraphStore(before);
        AssertFour(after.Read<FourNow>(alone));
        AssertFour((FourNow)after.Read<object[]>(boxed)[0]);
        OfFourNow got = after.Read<OfFourNow>(inside);
        AssertFour(got.Four);
        Assert.Equal("text", got.Text);
        AssertFour(after.Read<FourNow>(after.Write(got.Four)));

        static void AssertFour(FourNow four)
        {
            Assert.Equal((1, 0, 4), (four[0]!.X, four[0]!.Y, four[3]!.X));
            Assert.Null(four[1]);
        }
    }

    [Fact]
    public void AnItemThatDoesNotFitIsATypedError()
    {
        var before = new GraphStore();
        byte[] fits = before.Write(new List<LongThen> { LongThen.One });
        byte[] list = before.Write(new List<LongThen> { LongThen.Beyond });
        byte[] array = before.Write(new LongThen?[] { null, LongThen.Beyond });
        byte[] map = before.Write(new Dictionary<string, LongThen> { ["a"] = LongThen.Beyond });
        var after = new GraphStore(before);
        Assert.Equal(IntOfLong.One, Assert.Single(after.Read<List<IntOfLong>>(fits)));
        Exception failure = Assert.Throws<PileTypeMismatchException>(() => after.Read<List<IntOfLong>>(list));
        Assert.Contains("item was stored as Int64", failure.Message, StringComparison.Ordinal);
        Assert.Contains("5000000000", failure.Message, StringComparison.Ordinal);
        Assert.Throws<PileTypeMismatchException>(() => after.Read<IntOfLong?[]>(array));
        Assert.Throws<PileTypeMismatchException>(() => after.Read<Dictionary<string, IntOfLong>>(map));
    }

    [Fact]
    public void WhatACallbackThrowsIsNoFieldThatDoesNotFit()
    {
        var before = new GraphStore();
        byte[] bytes = before.Write(new OfCalledThen { Part = new Called { Text = "t" }, Gone = 1 });
        Assert.Equal("not ours", Assert.Throws<OverflowException>(() => new GraphStore(before).Read<OfCalledNow>(bytes)).Message);
    }

    [Fact]
    public void AListOfSmallObjectsWhoseTypeGrewIsRead()
    {
        const int Items = 20_000;
        var before = new GraphStore();
        byte[] list = before.Write(Enumerable.Range(0, Items).Select(static number => new SmallThen(number & 63)).ToList());
        byte[] map = before.Write(Enumerable.Range(0, Items).ToDictionary(static number => number, static number => new SmallThen(number & 63)));
        List<GrownNow> got = new GraphStore(before).Read<List<GrownNow>>(list);
        Assert.Equal((Items, 63, null), (got.Count, got[63].X, got[63].A));
        Assert.Equal(63, new GraphStore(before).Read<Dictionary<int, GrownNow>>(map)[63].X);
    }

    /// <summary>The base's field of that name stands first among the old ones, and no field of today has it.</summary>
    [Fact]
    public void ARenamedFieldHasTheValueOfItsOwnTypesAndNotThatOfAFieldThatTheBaseHadByThatName()
    {
        var before = new GraphStore();
        var then = new DerivedThen { Name = "own", Id = 1 };
        ((BaseThen)then).Name = "the base's";
        ((BaseThen)then).Id = 2;
        byte[] bytes = before.Write(then);
        DerivedNow got = new GraphStore(before).Read<DerivedNow>(bytes);
        Assert.Equal(("own", 1, 2), (got.Title, got.Number, ((BaseNow)got).Id));
    }

    internal class BaseThen
    {
        public string? Name { get; set; }

        public int Id { get; set; }
    }

    internal sealed class DerivedThen : BaseThen
    {
        public new string? Name { get; set; }

        public new int Id { get; set; }
    }

    [PileName("Pile.Tests.Codecs.MappedPlanTests+BaseThen")]
    internal class BaseNow
    {
        public int Id { get; set; }
    }

    [PileName("Pile.Tests.Codecs.MappedPlanTests+DerivedThen")]
    internal sealed class DerivedNow : BaseNow
    {
        [PileName("Name")]
        public string? Title { get; set; }

        [PileName("Id")]
        public int Number { get; set; }
    }

    internal sealed class FieldsThen
    {
        public int X { get; set; }

        public string? Y { get; set; }
    }

    [PileName("Pile.Tests.Codecs.MappedPlanTests+FieldsThen")]
    internal sealed class ProtocolNow : ISerializable
    {
        internal ProtocolNow(int number) => X = number;

        private ProtocolNow(SerializationInfo info, StreamingContext context) => X = info.MemberCount;

        public int X { get; }

        public void GetObjectData(SerializationInfo info, StreamingContext context) => info.AddValue("x", X);
    }

    internal enum ByteThen : byte
    {
        None,
        High = 200,
    }

    [PileName("Pile.Tests.Codecs.MappedPlanTests+ByteThen")]
    internal enum IntOfByte
    {
        None,
        High = 200,
    }

    internal sealed class LineThen
    {
        public int X { get; set; }
    }

    [PileName("Pile.Tests.Codecs.MappedPlanTests+LineThen")]
    internal sealed class LineNow
    {
        public int Y { get; set; }

        public int X { get; set; }
    }

    [InlineArray(4)]
    internal struct FourThen
    {
        private LineThen? _first;
    }

    [InlineArray(4)]
    [PileName("Pile.Tests.Codecs.MappedPlanTests+FourThen")]
    internal struct FourNow
    {
        private LineNow? _first;
    }

    internal sealed class OfFourThen
    {
        public FourThen Four { get; set; }

        public string? Text { get; set; }
    }

    [PileName("Pile.Tests.Codecs.MappedPlanTests+OfFourThen")]
    internal sealed class OfFourNow
    {
        public FourNow Four { get; set; }

        public string? Text { get; set; }
    }

    internal enum LongThen : long
    {
        None,
        One,
        Beyond = 5_000_000_000,
    }

    [PileName("Pile.Tests.Codecs.MappedPlanTests+LongThen")]
    internal enum IntOfLong
    {
        None,
        One,
    }

    internal sealed class Called
    {
        public string? Text { get; set; }

        [OnDeserializing]
        private void Deserializing(StreamingContext context) => throw new OverflowException(Text ?? "not ours");
    }

    internal sealed class OfCalledThen
    {
        public Called? Part { get; set; }

        public int Gone { get; set; }
    }

    [PileName("Pile.Tests.Codecs.MappedPlanTests+OfCalledThen")]
    internal sealed class OfCalledNow
    {
        public Called? Part { get; set; }
    }

    internal sealed record SmallThen(int X);

    [PileName("Pile.Tests.Codecs.MappedPlanTests+SmallThen")]
    internal sealed record GrownNow(
        int X, string? A, string? B, string? C, string? D, string? E, string? F, string? G, string? H, string? I, string? J, string? K, string? L, string? M);
}
