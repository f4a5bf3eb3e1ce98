using System;
using System.Collections.Generic;
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

    /// <summary>A linker takes the names of the cases away: they were written as none, and the next program read another case.</summary>
    [Theory]
    [InlineData("struct A of vA|B of vB|C", false)]
    [InlineData("struct A of vA|B of vB|C", true)]
    [InlineData("A|B|C|D", false)]
    [InlineData("A|B|C|D", true)]
    [InlineData("A|B of item|C|D", true)]
    public void WithoutTheNamesOfItsCasesAUnionIsNeitherStoredNorRead(string cases, bool isHeld)
    {
        var before = new GraphStore();
        object whole = UnionTypes.Make(UnionTypes.Define(cases), "A");
        byte[] bytes = before.Write(isHeld ? UnionTypes.Hold(whole) : whole);

        Type trimmed = UnionTypes.Define(cases, isTrimmed: true);
        object cut = System.Runtime.CompilerServices.RuntimeHelpers.GetUninitializedObject(trimmed);
        var store = new GraphStore(before);
        string refused = Assert.Throws<PileRefusedException>(() => store.Write(isHeld ? UnionTypes.Hold(cut) : cut)).Message;
        store.Table.Known.Add(isHeld ? UnionTypes.HolderOf(trimmed) : trimmed);
        string unread = Assert.Throws<PileTypeMismatchException>(() => store.Read<object>(bytes)).Message;

        Assert.All([refused, unread], static message => Assert.Contains("name its assembly in the project file: <TrimmerRootAssembly", message, StringComparison.Ordinal));
        Assert.Equal(before.Schemas, store.Schemas);
    }

    /// <summary>Such lists are in stores that trimmed programs wrote: any case may stand under them.</summary>
    [Fact]
    public void AListOfNoCasesIsNotTheBeginningOfAnother()
    {
        Assert.True(UnionCases.Begins(["A", "B"], ["A"]));
        Assert.False(UnionCases.Begins(["A", "B"], []));
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

    /// <summary>A version that was taken back left a number of its own behind, which another type's schema names: the keys keep theirs.</summary>
    [Theory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(true, true)]
    public void AUnionThatHadFewerCasesForAWhileKeepsTheNumberOfItsKeys(bool readsFirst, bool holdsFirst)
    {
        var first = new GraphStore();
        byte[] key = first.Write(UnionTypes.Make(UnionTypes.Define("A|B|C|D"), "A"));
        var second = new GraphStore(first);
        _ = second.Write(UnionTypes.Make(UnionTypes.Define("A|B|C|D|E"), "E"));
        var back = new GraphStore(second);
        Type shorter = UnionTypes.Define("A|B|C|D");
        byte[] value = back.Write(UnionTypes.Make(shorter, "D"));
        Assert.NotEqual(key, back.Write(UnionTypes.Make(shorter, "A")));
        _ = back.Write(UnionTypes.Hold(UnionTypes.Make(shorter, "D")));

        var again = new GraphStore(back);
        Type longer = UnionTypes.Define("A|B|C|D|E");
        again.Table.Known.Add(longer);
        if (readsFirst)
        {
            Assert.Equal("D", UnionTypes.Show(again.Read<object>(value)));
        }

        if (!holdsFirst)
        {
            Assert.Equal(key, again.Write(UnionTypes.Make(longer, "A")));
        }

        byte[] held = again.Write(UnionTypes.Hold(UnionTypes.Make(longer, "E")));
        Assert.Equal(key, again.Write(UnionTypes.Make(longer, "A")));
        Assert.Equal(held, again.Write(UnionTypes.Hold(UnionTypes.Make(longer, "E"))));

        var last = new GraphStore(again);
        Type turned = UnionTypes.Define("E|D|C|B|A");
        last.Table.Known.Add(turned);
        last.Table.Known.Add(UnionTypes.HolderOf(turned));
        Assert.Equal("A", UnionTypes.Show(last.Read<object>(key)));
        Assert.Equal("D", UnionTypes.Show(last.Read<object>(value)));
        object holder = last.Read<object>(held);
        Assert.Equal("E", UnionTypes.Show(holder.GetType().GetField("Value")!.GetValue(holder)!));
    }

    /// <summary>Versions of one union follow each other at random, with some taken back: in each process what any of them stored is the case that it was, or is refused where that is no more.</summary>
    [Fact]
    public void WhateverVersionsFollowEachOtherACaseIsItself()
    {
        int read = 0;
        for (int seed = 0; seed < 150; seed++)
        {
            var random = new Random(seed);
            List<string[]> versions = [["A", "B", "C", "D"]];
            var store = new GraphStore();
            List<(byte[] Bytes, string Case, bool IsHeld)> stored = [];
            for (int process = 0; process < 6; process++)
            {
                string[] cases = Next(versions, random);
                Type union = UnionTypes.Define($"{(seed % 3 == 0 ? "struct " : "")}{string.Join('|', cases)}");
                store = new GraphStore(store);
                Assert.Empty(store.Table.Disputed());
                store.Table.Known.Add(union);
                store.Table.Known.Add(UnionTypes.HolderOf(union));
                Dictionary<(string Case, bool IsHeld), byte[]> written = [];
                for (int step = 0; step < 6; step++)
                {
                    if (stored.Count > 0 && random.Next(2) == 0)
                    {
                        (byte[] bytes, string name, bool isHeld) = stored[random.Next(stored.Count)];
                        if (cases.Contains(name))
                        {
                            object value = store.Read<object>(bytes);
                            Assert.Equal(name, UnionTypes.Show(isHeld ? value.GetType().GetField("Value")!.GetValue(value)! : value));
                            read++;
                        }
                        else
                        {
                            _ = Assert.Throws<PileTypeMismatchException>(() => store.Read<object>(bytes));
                        }
                    }
                    else
                    {
                        (string name, bool isHeld) = (cases[random.Next(cases.Length)], random.Next(2) == 0);
                        object value = UnionTypes.Make(union, name);
                        byte[] bytes = store.Write(isHeld ? UnionTypes.Hold(value) : value);
                        Assert.Equal(written.GetValueOrDefault((name, isHeld), bytes), bytes);
                        written[(name, isHeld)] = bytes;
                        stored.Add((bytes, name, isHeld));
                    }
                }

                versions.Add(cases);
            }
        }

        Assert.InRange(read, 1000, int.MaxValue);
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

    /// <summary>Its cases never change, but the types of their values do.</summary>
    [Fact]
    public void AUnionOfFSharpsOwnLibraryIsReadWhateverElseChangedInIt() =>
        Assert.Equal("B 3", UnionTypes.Show(ReadAfter("struct A of vA text|B of vB", "struct A of vA text|B of vB|C of vC", "B 3", "FSharp.Core")));

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

    /// <summary>F# puts an attribute on no class of a case: the name that the union had is enough, and what each case was.</summary>
    [Theory]
    [InlineData("Cash of item|Card of item", "Cash of item|Card of item", "Card 7")]
    [InlineData("Open|Closed of item", "Open|Closed of item", "Open")]
    [InlineData("A|B of item|C|D", "A|B of item|C|D", "A")]
    [InlineData("A|B of item|C|D", "A|B of item|C|D", "B 4")]
    [InlineData("A|B of item|C|D", "A|New of item1 item2|B of item|C|D", "B 4")]
    [InlineData("Made of item|Gone of item", "Made of item1 item2|Gone of item", "Made 3", "Made 3 0")]
    [InlineData("Open|Closed of item|Void of item", "Open|Closed of item|Void of item|Held", "Open")]
    [InlineData("Open|Closed of item|Void of item", "Open|Closed of item|Void of item|Held", "Void 6")]
    public void AUnionThatWasRenamedOrMovedHasItsCasesFoundByItsFormerName(string before, string after, string value, string? expected = null)
    {
        var store = new GraphStore();
        byte[] bytes = store.Write(UnionTypes.Make(UnionTypes.Define(before, "Till", "Till.Pay"), value));
        foreach ((string assembly, string former) in new[] { ("Till", "Till.Pay"), ("Shop", "Till!Till.Pay") })
        {
            var later = new GraphStore(store);
            later.Table.Known.Add(UnionTypes.Define(after, assembly, "Shop.Payment", former));

            Assert.Equal(expected ?? value, UnionTypes.Show(later.Read<object>(bytes)));
        }
    }

    [Fact]
    public void WhoRenamedAUnionIsToldToMarkItAndNotItsCase()
    {
        var store = new GraphStore();
        byte[] bytes = store.Write(UnionTypes.Make(UnionTypes.Define("Cash of item|Card of item"), "Card 7"));

        string message = Assert.Throws<PileUnknownTypeException>(() => new GraphStore(store).Read<object>(bytes)).Message;

        Assert.Contains("[<PileName(\"Shop!Shop.State\")>]", message, StringComparison.Ordinal);
    }

    private static string[] Next(List<string[]> versions, Random random)
    {
        string[] last = versions[^1];
        string added = $"N{versions.Count}";
        switch (random.Next(8))
        {
            case 0 or 1:
                return [.. last, added];
            case 2:
                return [added, .. last];
            case 3 when last.Length > 4:
                return [.. last.Where((_, place) => place != 2)];
            case 4:
                string[] turned = [.. last];
                random.Shuffle(turned);
                return turned;
            default:
                return versions[random.Next(versions.Count)];
        }
    }

    private static object ReadAfter(string before, string after, string value, string assembly = "Shop")
    {
        var store = new GraphStore();
        byte[] bytes = store.Write(UnionTypes.Make(UnionTypes.Define(before, assembly), value));
        Type today = UnionTypes.Define(after, assembly);
        var later = new GraphStore(store);
        later.Table.Known.Add(today);
        foreach (Type nested in today.GetNestedTypes())
        {
            later.Table.Known.Add(nested);
        }

        return later.Read<object>(bytes);
    }
}
