using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using Pile.Codecs;
using Xunit;

namespace Pile.Generators.Tests;

/// <summary>Generated, emitted and reflected plans write the same bytes, and each reads what the others wrote.</summary>
public sealed class SameBytesTests
{
    public static TheoryData<string> Values => [.. Made().Keys];

    [Theory]
    [MemberData(nameof(Values))]
    public void AllPlansWriteTheSameBytesAndReadThem(string name)
    {
        object value = Made()[name];
        byte[]? first = null;
        foreach (PlanMode mode in Enum.GetValues<PlanMode>())
        {
            using ObjectPile pile = Create(mode);
            PilePointer pointer = pile.Put(value);
            byte[] bytes = Bytes(pile, pointer);
            first ??= bytes;
            Assert.Equal(first, bytes);
            object back = pile.Get<object>(pointer);
            Assert.Equal(first, Bytes(pile, pile.Put(back)));
        }
    }

    [Theory]
    [InlineData(typeof(Marked.Base))]
    [InlineData(typeof(Marked.Everything))]
    [InlineData(typeof(Marked.Point))]
    [InlineData(typeof(Marked.Pair))]
    [InlineData(typeof(Marked.Line))]
    [InlineData(typeof(Marked.Mixed))]
    [InlineData(typeof(Marked.Contract))]
    [InlineData(typeof(Marked.Link))]
    [InlineData(typeof(Marked.CalledLink))]
    public void TheGeneratedPlanIsForExactlyTheFieldsOfTheType(Type type)
    {
        object? found = typeof(GeneratedFields<>).MakeGenericType(type)
            .GetMethod("For", BindingFlags.Static | BindingFlags.NonPublic)!.Invoke(null, [TypeFields.Of(type)]);

        Assert.NotNull(found);
    }

    [Fact]
    public void ReadonlyInheritedAndInitFieldsComeBack()
    {
        using ObjectPile pile = Create(PlanMode.Auto);
        var value = (Marked.Everything)Made()["everything"];

        Marked.Everything back = pile.Get<Marked.Everything>(pile.Put(value));

        Assert.Equal((41, 7, (byte)3, 0), (back.Secret, back.OwnSecret, back.Byte, back.Forgotten));
        Assert.Equal((value.Point.X, value.Point.Name), (back.Point.X, back.Point.Name));
        Assert.Same(back, back.Next!.Next);
        Assert.Equal(value.Pair, back.Pair);
        Assert.Equal((value.Day, value.Maybe, value.Tuple), (back.Day, back.Maybe, back.Tuple));
    }

    [Fact]
    public void AListIsReadByALoopAndItsObjectsAreCalledOnceEach()
    {
        using ObjectPile pile = Create(PlanMode.Auto);
        Marked.Link? link = pile.Get<Marked.Link>(pile.Put(Chain(1000)));
        for (int index = 0; index < 1000; index++, link = link!.Next)
        {
            Assert.Equal(index, link!.Value);
        }

        Assert.Null(link);
        Marked.CalledLink first = pile.Get<Marked.CalledLink>(pile.Put(new Marked.CalledLink { Next = new Marked.CalledLink() }));
        Assert.Equal((1, 1), (first.Calls, first.Next!.Calls));
    }

    [Fact]
    public void TextsOfAllKindsAndLengthsInsideARunAreTheSameBytes()
    {
        // Short, as long as a run has room for, longer, not ASCII, no UTF-16, tracked and met twice; each kind in each place.
        string?[] texts = [null, "", "a", new string('b', 31), new string('c', 32), "\u20ac", new string('\u00e9', 31), "\ud800", new string('d', 64), new string('e', 300), new string('f', 70_000)];
        const int Seed = 20261122;
        var random = new Random(Seed);
        List<Marked.Mixed> all = [];
        for (int index = 0; index < 400; index++)
        {
            all.Add(new Marked.Mixed(Next(), random.Next(int.MinValue, int.MaxValue), Next(), new Guid(index, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10), Next(), decimal.MaxValue / (index + 1), DateTimeOffset.MaxValue, long.MinValue, Next(), '\uffff'));
        }

        byte[][] bytes = [.. Enum.GetValues<PlanMode>().Select(mode =>
        {
            using ObjectPile pile = ObjectPile.Create(new PileOptions { Plans = mode });
            PilePointer pointer = pile.Put(all);
            Assert.Equal(all, pile.Get<List<Marked.Mixed>>(pointer));
            return Bytes(pile, pointer);
        })];

        Assert.All(bytes, each => Assert.Equal(bytes[0], each));

        string? Next() => texts[random.Next(texts.Length - (all.Count % 50 == 0 ? 0 : 1))];
    }

    private static Marked.Link Chain(int count, bool isRing = false)
    {
        var first = new Marked.Link(0);
        Marked.Link last = first;
        for (int index = 1; index < count; index++)
        {
            last = last.Next = new Marked.Link(index);
        }

        last.Next = isRing ? first : null;
        return first;
    }

    private static ObjectPile Create(PlanMode mode) => ObjectPile.Create(PileOptions.Tiny with { Plans = mode });

    private static byte[] Bytes(ObjectPile pile, PilePointer pointer)
    {
        using PileLease lease = pile.Lease(pointer);
        return lease.Bytes.ToArray();
    }

    private static Dictionary<string, object> Made()
    {
        var everything = new Marked.Everything(41)
        {
            Forgotten = 5,
            Bool = true,
            SByte = -3,
            Byte = 3,
            Int16 = -300,
            UInt16 = 40_000,
            UInt32 = 4_000_000_000,
            Int64 = long.MinValue,
            UInt64 = ulong.MaxValue,
            Char = '\u20ac',
            Single = -0.0f,
            Double = double.NaN,
            Decimal = 1.00m,
            Guid = new Guid("00112233-4455-6677-8899-aabbccddeeff"),
            DateTime = new DateTime(2026, 11, 21, 1, 2, 3, DateTimeKind.Utc),
            DateTimeOffset = new DateTimeOffset(2026, 11, 21, 1, 2, 3, TimeSpan.FromHours(-7)),
            TimeSpan = TimeSpan.FromDays(-2),
            Day = DayOfWeek.Saturday,
            Maybe = 5,
            Text = new string('x', 100) + "\u00e9",
            Numbers = [1, 2, 3],
            Points = [new(1, "a"), new(2, null)],
            Map = new() { ["a"] = 1, ["b"] = new Marked.Line("x", 2, 3.5m) },
            Any = 5.5,
            Point = new Marked.Point(-1, "p"),
            Pair = new Marked.Pair(1.5, Guid.Empty),
            Tuple = (8, "eight"),
        };
        everything.Next = new Marked.Everything(42) { Next = everything, Above = everything };
        return new()
        {
            ["everything"] = everything,
            ["empty"] = new Marked.Everything(0),
            ["record"] = new Marked.Line("article", 7, 12.50m),
            ["mixed"] = new Marked.Mixed("a", int.MinValue, null, Guid.Empty, new string('m', 40), 1.00m, default, long.MaxValue, "\u00e9", '\0'),
            ["struct"] = new Marked.Point(3, "three"),
            ["contract"] = new Marked.Contract { Number = 5, Text = "five" },
            ["chain"] = Chain(1000),
            ["ring"] = Chain(1000, isRing: true),
            ["called chain"] = new Marked.CalledLink { Next = new Marked.CalledLink() },
            ["list"] = new List<Marked.Point> { new(1, "x"), new(2, "y") },
        };
    }
}
