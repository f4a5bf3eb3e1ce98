using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Reflection.Emit;
using System.Text;
using Pile.Codecs;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>What was stored of collection expressions, read by a program whose compiler made no such class: its last expression of the kind is gone.</summary>
public sealed class CompilersListsTests
{
    private const string Here = "Pile.Tests!<>z__";
    private const string Gone = "Pile.Other!<>z__";

    public static TheoryData<string, Func<IReadOnlyList<string?>>> Kinds => new()
    {
        { "some", static () => ["a", null, "b", "a"] },
        { "one", static () => ["a"] },
        { "one that is null", static () => [null] },
        { "spread", static () => [.. Sequence()] },
        { "spread of none", static () => [.. Sequence().Take(0)] },
    };

    [Fact]
    public void AListWhoseClassIsGoneIsReadAndReadAgainOncePutAnew()
    {
        Bag bag = Filled();
        (GraphStore before, byte[] bytes) = Stored(bag);
        GraphStore after = Without(before);

        Bag read = after.Read<Bag>(bytes);
        Same(bag, read);
        Assert.Equal(typeof(ReadOnlyItems<int>.OfArray), read.Numbers!.GetType());
        Assert.Equal(typeof(ReadOnlyItems<Line>.OfOne), read.One!.GetType());
        Assert.Equal(typeof(ReadOnlyItems<string>.OfList), read.Spread!.GetType());

        byte[] anew = after.Write(read);
        Same(bag, new GraphStore(after).Read<Bag>(anew));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void AListWhoseClassIsGoneIsReadByItself(string kind, Func<IReadOnlyList<string?>> make)
    {
        (GraphStore before, byte[] bytes) = Stored(make());
        IReadOnlyList<string?> read = Without(before).Read<IReadOnlyList<string?>>(bytes);
        Assert.True(make().SequenceEqual(read), kind);
        Assert.Equal(typeof(ObjectPile).Assembly, read.GetType().Assembly);
    }

    [Fact]
    public void AClosedSetReadsAndTakesIt()
    {
        Bag bag = Filled();
        (GraphStore before, byte[] bytes) = Stored(bag);
        GraphStore after = Without(before);
        after.Table.Known.Add(typeof(Bag));
        after.Table.Known.Close();

        Same(bag, after.Read<Bag>(after.Write(after.Read<Bag>(bytes))));
    }

    [Fact]
    public void TheCompilersOwnClassGoesBefore()
    {
        Bag bag = Filled();
        (GraphStore before, byte[] bytes) = Stored(bag);
        Bag read = new GraphStore(before).Read<Bag>(bytes);
        Same(bag, read);
        Assert.Equal(bag.Numbers!.GetType(), read.Numbers!.GetType());

        // Not shown, but there: who asks is told so.
        (before, bytes) = Stored(bag.Numbers!);
        Assert.Contains("z__ReadOnlyArray", Assert.Throws<PileUnknownTypeException>(() => new GraphStore(before).Read<object>(bytes)).TypeName, StringComparison.Ordinal);
    }

    [Fact]
    public void TheCompilersOwnClassGoesBeforeUnderTheFormerNameOfItsAssembly()
    {
        const string Name = "<>z__ReadOnlySingleElementList`1";
        var marked = new CustomAttributeBuilder(typeof(PileNameAttribute).GetConstructor([typeof(string)])!, ["Pile.Moved"]);
        ModuleBuilder module = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("Renamed"), AssemblyBuilderAccess.Run, [marked]).DefineDynamicModule("Renamed");
        var known = new KnownTypes();
        string stored = $"Pile.Moved!{Name}<System.Int32>";
        Assert.Equal(typeof(ReadOnlyItems<int>.OfOne), known.Find(stored));

        TypeBuilder list = module.DefineType(Name);
        _ = list.DefineGenericParameters("T");
        Type made = list.CreateType();
        Assert.Null(known.Find(stored));
        known.Add(made);
        Assert.Equal(made.MakeGenericType(typeof(int)), known.Find(stored));
    }

    [Theory]
    [InlineData("Gone!<>z__ReadOnlyArray`2<System.Int32|System.Int32>")]
    [InlineData("Gone!<>z__ReadOnlyArray`1<Gone!Shop.Line>")]
    [InlineData("Gone!Shop.<>z__ReadOnlyArray`1<System.Int32>")]
    [InlineData("<>z__ReadOnlyArray`1<System.Int32>")]
    [InlineData("!<>z__ReadOnlyArray`1<System.Int32>")]
    public void NoOtherNameIsTakenForOneOfThese(string name) => Assert.Null(new KnownTypes().Find(name));

    [Theory]
    [MemberData(nameof(Kinds))]
    public void ItAnswersAsTheCompilersOwnDoes(string kind, Func<IReadOnlyList<string?>> make)
    {
        IReadOnlyList<string?> theirs = make();
        (GraphStore before, byte[] bytes) = Stored(theirs);
        IReadOnlyList<string?> ours = Without(before).Read<IReadOnlyList<string?>>(bytes);

        Assert.True(theirs.GetType().GetInterfaces().ToHashSet().SetEquals(ours.GetType().GetInterfaces()), kind);
        foreach ((int index, Func<IReadOnlyList<string?>, object?> ask) in Questions().Index())
        {
            Assert.True(Equals(Answer(theirs, ask), Answer(ours, ask)), $"{kind}, question {index}: {Answer(theirs, ask)}, but {Answer(ours, ask)}");
        }
    }

    private static IEnumerable<Func<IReadOnlyList<string?>, object?>> Questions() =>
    [
        static list => list.Count,
        static list => list[0],
        static list => list[7],
        static list => ((IList)list)[0],
        static list => ((IList)list)[-1],
        static list => string.Join('|', list),
        static list => string.Join('|', ((IList)list).Cast<string?>()),
        static list => Copied(copy => ((ICollection<string?>)list).CopyTo(copy, 1)),
        static list => Copied(copy => ((ICollection)list).CopyTo(copy, 1)),
        static list => Copied(copy => ((ICollection)list).CopyTo(copy, 5)),
        static list => ((ICollection<string?>)list).Contains("a"),
        static list => ((ICollection<string?>)list).Contains(null),
        static list => ((IList<string?>)list).IndexOf("a"),
        static list => ((IList<string?>)list).IndexOf("c"),
        static list => ((IList)list).Contains("a"),
        static list => ((IList)list).Contains("c"),
        static list => ((IList)list).IndexOf(null),
        static list => ((ICollection<string?>)list).IsReadOnly,
        static list => ((IList)list).IsReadOnly,
        static list => ((IList)list).IsFixedSize,
        static list => ((ICollection)list).IsSynchronized,
        static list => ReferenceEquals(((ICollection)list).SyncRoot, list),
        static list => ((IList<string?>)list)[0] = "c",
        static list => ((IList)list)[0] = "c",
        static list => Done(() => ((IList<string?>)list).Add("c")),
        static list => Done(() => ((IList<string?>)list).Insert(0, "c")),
        static list => ((IList<string?>)list).Remove("a"),
        static list => Done(() => ((IList<string?>)list).RemoveAt(0)),
        static list => Done(() => ((IList<string?>)list).Clear()),
        static list => ((IList)list).Add("c"),
        static list => Done(() => ((IList)list).Insert(0, "c")),
        static list => Done(() => ((IList)list).Remove("a")),
        static list => Done(() => ((IList)list).RemoveAt(0)),
        static list => Done(() => ((IList)list).Clear()),
    ];

    private static object? Answer(IReadOnlyList<string?> list, Func<IReadOnlyList<string?>, object?> ask)
    {
        try
        {
            return ask(list);
        }
        catch (Exception failure) when (failure is NotSupportedException or ArgumentException or IndexOutOfRangeException)
        {
            return failure.GetType();
        }
    }

    private static string Copied(Action<string?[]> copy)
    {
        string?[] array = new string?[6];
        copy(array);
        return string.Join('|', array);
    }

    private static object? Done(Action change)
    {
        change();
        return null;
    }

    private static Bag Filled()
    {
        IReadOnlyList<Line> lines = [new() { Text = "kept" }, new() { Text = "too" }];
        IReadOnlyList<double> numbers = [1.5, 2.5];
        return new Bag
        {
            Numbers = [1, 2, 3],
            Lines = lines,
            Again = lines,
            One = [new Line { Text = "one" }],
            Spread = [.. Sequence(), "last"],
            None = [],
            Changed = (ICollection<double>)numbers,
            List = (IList<double>)numbers,
        };
    }

    private static void Same(Bag expected, Bag read)
    {
        Assert.Equal(expected.Numbers, read.Numbers);
        Assert.Equal(expected.Lines!.Select(static line => line.Text), read.Lines!.Select(static line => line.Text));
        Assert.Same(read.Lines, read.Again);
        Assert.Equal("one", Assert.Single(read.One!).Text);
        Assert.Equal(expected.Spread, read.Spread);
        Assert.Empty(read.None!);
        Assert.Null(read.Missing);
        Assert.Equal(expected.Changed, read.Changed);
        Assert.Same(read.Changed, read.List);
    }

    private static IEnumerable<string> Sequence()
    {
        yield return "a";
        yield return "b";
    }

    private static (GraphStore Store, byte[] Bytes) Stored(object value)
    {
        var store = new GraphStore();
        byte[] bytes = store.Write(value);
        return (store, bytes);
    }

    /// <summary>The store as a program finds it whose assemblies do not have the classes.</summary>
    private static GraphStore Without(GraphStore before)
    {
        var forged = new GraphStore();
        foreach (byte[] schema in before.Schemas)
        {
            string text = Encoding.Latin1.GetString(schema).Replace(Here, Gone, StringComparison.Ordinal);
            forged.Schemas.Add(Encoding.Latin1.GetBytes(text));
        }

        return new GraphStore(forged);
    }

    internal sealed class Line
    {
        public string? Text { get; set; }
    }

    internal sealed class Bag
    {
        public IEnumerable<int>? Numbers { get; set; }

        public IReadOnlyList<Line>? Lines { get; set; }

        public object? Again { get; set; }

        public IReadOnlyCollection<Line>? One { get; set; }

        public IReadOnlyList<string>? Spread { get; set; }

        public IEnumerable<int>? None { get; set; }

        public IEnumerable<int>? Missing { get; set; }

        public ICollection<double>? Changed { get; set; }

        public IList<double>? List { get; set; }
    }
}
