using System;
using System.Linq;
using System.Reflection;
using Pile.Codecs;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>F#'s unions whose cases are others today: a value is the case that it was, or it is refused.</summary>
public sealed class UnionTests
{
    [Theory]

    // A case before it, behind it, and another order.
    [InlineData("A|B|C|D", "A|New|B|C|D", "B")]
    [InlineData("A|B|C|D", "A|New|B|C|D", "D")]
    [InlineData("A|B|C|D", "A|B|C|D|New", "D")]
    [InlineData("A|B|C|D", "D|C|B|A", "B")]
    [InlineData("Red|Green|Blue", "Red|Amber|Green|Blue", "Blue")]
    [InlineData("A|B of item|C of _w _h|D", "A|New of _x|B of item|C of _w _h|D", "C 2 3")]
    [InlineData("A|B of item|C of _w _h|D", "A|New|B of item|C of _w _h|D", "D")]

    // The fourth comes, and goes: from classes to numbers and back.
    [InlineData("Open|Closed of item|Void of item", "Open|Closed of item|Void of item|Held", "Open")]
    [InlineData("Open|Closed of item|Void of item", "New|Open|Closed of item|Void of item", "Open")]
    [InlineData("Open|Closed of item|Void of item", "Open|Closed of item|Void of item|Held", "Closed 5")]
    [InlineData("Open|Closed of item|Void of item", "Open|Closed of item|Void of item|Held", "Void 6")]
    [InlineData("Open|Closed of item|Void of item|Held", "Open|Closed of item|Void of item", "Void 6")]
    [InlineData("Cash of item|Card of item", "Gift of item|Cash of item|Card of item", "Card 7")]

    // Structs.
    [InlineData("struct A of vA|B of vB", "struct New|A of vA|B of vB", "B 3")]
    [InlineData("struct A of vA|B of vB", "struct A of vA|B of vB|New", "B 3")]
    [InlineData("struct A|B of vB|C", "struct C|B of vB|A", "A")]

    // The only value of a case is called otherwise once another follows it.
    [InlineData("Made of item|Gone of item", "Made of item1 item2|Gone of item", "Made 3", "Made 3 0")]
    [InlineData("Made of item1 item2|Gone of item", "Made of item|Gone of item", "Made 3 4", "Made 3")]
    public void ACaseIsTheSameWhateverItsNumberIs(string before, string after, string value, string? expected = null) =>
        Assert.Equal(expected ?? value, UnionTypes.Show(ReadAfter(before, after, value)));

    [Theory]
    [InlineData("A|B|C|D", "A|B|New|D", "C")]
    [InlineData("A|B|C|D", "A|B|C", "D")]
    [InlineData("A|B|C|D", "A|B of item|C|D", "B")]
    [InlineData("Red|Green|Blue", "Red|Green|Custom of item", "Green")]
    [InlineData("Open|Closed of item|Void of item|Held", "Open|Closed of item|Void of item", "Open")]
    [InlineData("One of item", "One of item|Two|Three|Four", "One 7")]
    [InlineData("One of item", "One of item|Two of item", "One 7")]
    [InlineData("One of item|Two|Three|Four", "One of item", "Two")]
    [InlineData("struct A of vA|B of vB", "struct A of vA|New of vNew", "B 3")]
    [InlineData("struct A of vA", "struct A of vA|B of vB", "A 3")]
    [InlineData("struct A of vA|B of vB", "struct A of vA", "B 3")]
    public void ACaseThatIsNoMoreIsRefusedWithTheWayOut(string before, string after, string value)
    {
        string message = Assert.Throws<PileTypeMismatchException>(() => ReadAfter(before, after, value)).Message;

        Assert.Contains("Shop.State was stored as", message, StringComparison.Ordinal);
        Assert.Contains("Give the union the cases", message, StringComparison.Ordinal);
    }

    /// <summary>The type of keys keeps its number, so that they are found; the names of what was added are kept under it before anything is stored.</summary>
    [Theory]
    [InlineData("A|B|C", "New", false)]
    [InlineData("A|B|C", "New", true)]
    [InlineData("struct A|B|C", "New", false)]
    [InlineData("struct A|B|C", "New", true)]
    public void ACaseAddedBehindTheOthersKeepsTheNumberOfTheTypeAndIsNoOtherLater(string cases, string added, bool isHeld)
    {
        Type first = UnionTypes.Define(cases);
        var before = new GraphStore();
        byte[] bytes = before.Write(ValueOf(first, "C"));

        Type second = UnionTypes.Define($"{cases}|{added}");
        var between = new GraphStore(before);
        Assert.Equal(bytes, between.Write(ValueOf(second, "C")));
        byte[] addedBytes = between.Write(ValueOf(second, added));

        var same = new GraphStore(between);
        Assert.Equal(addedBytes, same.Write(ValueOf(second, added)));
        Assert.Equal(between.Schemas, same.Schemas);

        Type third = UnionTypes.Define($"{cases}|Other");
        var after = new GraphStore(between);
        Assert.NotEqual(bytes, after.Write(ValueOf(third, "C")));
        Assert.Equal("C", ShowHeld(after.Read<object>(bytes)));
        Assert.Contains($"case 3 ({added})", Assert.Throws<PileTypeMismatchException>(() => after.Read<object>(addedBytes)).Message, StringComparison.Ordinal);

        object ValueOf(Type union, string text) => isHeld ? UnionTypes.Hold(UnionTypes.Make(union, text)) : UnionTypes.Make(union, text);

        string ShowHeld(object read) => UnionTypes.Show(isHeld ? read.GetType().GetField("Value")!.GetValue(read)! : read);
    }

    /// <summary>The schemas of one number may be loaded in any order.</summary>
    [Fact]
    public void TheLongerOfTwoListsOfCasesCountsWhicheverIsLoadedFirst()
    {
        var before = new GraphStore();
        _ = before.Write(UnionTypes.Make(UnionTypes.Define("A|B|C"), "A"));
        var between = new GraphStore(before);
        byte[] bytes = between.Write(UnionTypes.Make(UnionTypes.Define("A|B|C|D"), "D"));
        Assert.Equal(2, between.Schemas.Count);
        between.Schemas.Reverse();

        var after = new GraphStore(between);
        after.Table.Known.Add(UnionTypes.Define("D|C|B|A"));

        Assert.Equal("D", UnionTypes.Show(after.Read<object>(bytes)));
        Assert.Empty(after.Table.Disputed());
    }

    /// <summary>A schema in parts is not kept twice under one number.</summary>
    [Fact]
    public void ATypeWhoseCasesTakeSeveralRecordsGetsANumberForThoseThatCame()
    {
        string cases = string.Join('|', Enumerable.Range(0, 400).Select(static number => $"ACaseOfAVeryLongUnion{number}"));
        var before = new GraphStore();
        byte[] bytes = before.Write(UnionTypes.Make(UnionTypes.Define(cases), "ACaseOfAVeryLongUnion7"));

        Type today = UnionTypes.Define($"{cases}|New");
        var after = new GraphStore(before);
        byte[] added = after.Write(UnionTypes.Make(today, "New"));

        Assert.NotEqual(bytes, after.Write(UnionTypes.Make(today, "ACaseOfAVeryLongUnion7")));
        var last = new GraphStore(after);
        last.Table.Known.Add(UnionTypes.Define($"New|{cases}"));
        Assert.Equal("ACaseOfAVeryLongUnion7", UnionTypes.Show(last.Read<object>(bytes)));
        Assert.Equal("New", UnionTypes.Show(last.Read<object>(added)));
    }

    /// <summary>Two schemas of one number that say different things of the same case are no union's that grew.</summary>
    [Fact]
    public void TwoListsThatDifferLeaveTheNumberToNeither()
    {
        var first = new GraphStore();
        byte[] bytes = first.Write(UnionTypes.Make(UnionTypes.Define("A|B|C"), "C"));
        var second = new GraphStore();
        _ = second.Write(UnionTypes.Make(UnionTypes.Define("A|B|Other"), "Other"));
        first.Schemas.AddRange(second.Schemas);

        var after = new GraphStore(first);
        after.Table.Known.Add(UnionTypes.Define("A|B|C"));

        _ = Assert.Single(after.Table.Disputed());
        _ = Assert.Throws<PileCorruptedException>(() => after.Read<object>(bytes));
    }

    /// <summary>The bytes of an unmanaged value have no version. Those of F#'s own library never get cases.</summary>
    [Theory]
    [InlineData("Shop", false)]
    [InlineData("FSharp.Core", true)]
    public void AStructOfTheProgramsIsNoUnmanagedValue(string assembly, bool isUnmanaged)
    {
        Lane expected = isUnmanaged ? Lane.Value : Lane.Codec;
        Type union = UnionTypes.Define("struct A|B of vB", assembly);

        Assert.Equal(expected, LaneIn(union));
        Assert.Equal(expected, LaneIn(typeof(ValueTuple<,>).MakeGenericType(typeof(int), union)));
        Assert.Equal(isUnmanaged ? Lane.Array : Lane.Codec, LaneIn(union.MakeArrayType()));
        Assert.Equal(Lane.Value, LaneIn(typeof(ValueTuple<int, long>)));

        static object? LaneIn(Type type) => typeof(LaneOf<>).MakeGenericType(type).GetProperty("Lane", BindingFlags.Static | BindingFlags.NonPublic)!.GetValue(null);
    }

    private static object ReadAfter(string before, string after, string value)
    {
        var store = new GraphStore();
        byte[] bytes = store.Write(UnionTypes.Make(UnionTypes.Define(before), value));
        Type today = UnionTypes.Define(after);
        var later = new GraphStore(store);
        later.Table.Known.Add(today);
        foreach (Type nested in today.GetNestedTypes())
        {
            later.Table.Known.Add(nested);
        }

        return later.Read<object>(bytes);
    }
}
