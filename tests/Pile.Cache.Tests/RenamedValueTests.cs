using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Text.RegularExpressions;
using Pile.Cache.Files;
using Pile.Cache.Tests.Model;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>Durable tables whose values, or plain keys, are of a type that was renamed since, or are made of such: they are found as the pile's own objects are.</summary>
public sealed class RenamedValueTests
{
    [Fact]
    public void ATableOfARenamedClassIsFound() => AssertFound<ItemOld, Item>(new ItemOld { Number = 7 }, static item => item.Number);

    [Fact]
    public void ATableOfListsOfARenamedClassIsFound() => AssertFound<List<ItemOld>, List<Item>>([new ItemOld { Number = 7 }], static items => items[0].Number);

    [Fact]
    public void ATableOfArraysOfARenamedClassIsFound() => AssertFound<ItemOld[][], Item[][]>([[new ItemOld { Number = 7 }]], static items => items[0][0].Number);

    [Fact]
    public void ATableOfARenamedGenericClassOfARenamedOneIsFound() =>
        AssertFound<Dictionary<string, BoxOld<ItemOld>>, Dictionary<string, Box<Item>>>(new() { ["key"] = new BoxOld<ItemOld> { Held = new ItemOld { Number = 7 } } }, static items => items["key"].Held!.Number);

    [Fact]
    public void ATableOfListsOfAnotherClassIsRefused()
    {
        using var files = new SimulatedFiles();
        using var cache = new MappedCache(files);
        _ = cache.Cache.GetOrCreateTable<int, List<ItemOld>>("table", new PileTableOptions { Kind = PileTableKind.Durable });
        _ = Assert.Throws<PileTypeMismatchException>(() => cache.Cache.GetOrCreateTable<int, List<int>>("table"));
    }

    [Fact]
    public void ATableOfArraysOfARenamedStructIsFound() => AssertFound<TickOld[], Tick[]>([new TickOld(7, 1)], static ticks => (int)ticks[0].Time);

    [Fact]
    public void ATableOfStructsWhoseFieldHasAnotherNameIsFound() => AssertFound<TickOld, TickOfMoments>(new TickOld(7, 1), static tick => (int)tick.Moment);

    [Fact]
    public void AKeyWhoseFieldHasAnotherNameIsFound() => AssertKeyFound(new TickOld(7, 1), new TickOfMoments(7, 1));

    /// <summary>What was stored would be cut anew: two of the former ones are one of today's.</summary>
    [Fact]
    public void ATableOfArraysOfAStructThatGrewIsRefused()
    {
        string message = AssertRefused<int, TickOld[], int, TickGrown[]>(1, [new TickOld(7, 1), new TickOld(8, 2)]);
        Assert.Matches($@"values of {Regex.Escape(typeof(TickOld).ToString())}\[\] \(16 bytes each, layout [0-9A-F]{{8}}\), compared by 'ordinal'; asked for were Durable, keys of System.Int32 and values of {Regex.Escape(typeof(TickGrown).ToString())}\[\] \(32 bytes each, layout ", message);
        Assert.EndsWith("drop the table first; structs are kept as their bytes, which have no versions: give the fields the places and types of then, [PileName] to those that have another name now, or keep such values in a class.", message, StringComparison.Ordinal);
    }

    /// <summary>Each field would be read from where another stood, or a key be found as another one.</summary>
    [Fact]
    public void TablesOfStructsWhoseFieldsLieOtherwiseAreRefused()
    {
        AssertRefused<int, TickOld, int, TickTurned>(1, new TickOld(7, 1));
        AssertRefused<int, TickOld[], int, TickTurned[]>(1, [new TickOld(7, 1)]);
        AssertRefused<TickOld, int, TickTurned, int>(new TickOld(7, 1), 1);
        AssertRefused<(TickOld, int), int, (TickTurned, int), int>((new TickOld(7, 1), 2), 1);
        AssertRefused<Pair<TickOld>, int, Pair<TickTurned>, int>(new Pair<TickOld>(new TickOld(7, 1), 2), 1);
    }

    [Fact]
    public void AMarkIsTheSameUnderEachCulture()
    {
        CultureInfo before = CultureInfo.CurrentCulture;
        string name = TypeMarks.NameOf<Wide[]>();
        try
        {
            CultureInfo.CurrentCulture = CultureInfo.GetCultureInfo("de-DE");
            Assert.Equal(name, TypeMarks.NameOf<Wide[]>());
            Assert.Contains("(1024 bytes each, layout ", name, StringComparison.Ordinal);
        }
        finally
        {
            CultureInfo.CurrentCulture = before;
        }
    }

    /// <summary>It stands in files: worked out by a program in another language, and the same for ever.</summary>
    [Fact]
    public void AMarkIsTheSameForEver()
    {
        Assert.Equal($"{typeof(Tick)}[] (16 bytes each, layout 4D50F6C8)", TypeMarks.NameOf<Tick[]>());
        Assert.Equal($"{typeof(Wide)} (1024 bytes, layout 99C03376)", TypeMarks.NameOf<Wide>());
        Assert.Equal($"{typeof(Color)}[] (4 bytes each)", TypeMarks.NameOf<Color[]>());
        Assert.Equal($"{typeof(Color)}", TypeMarks.NameOf<Color>());
        Assert.Equal("System.Int64[]", TypeMarks.NameOf<long[]>());
        Assert.Equal("System.Guid[]", TypeMarks.NameOf<Guid[]>());
        Assert.Equal("System.Collections.Generic.KeyValuePair`2[System.Int32,System.Int32][]", TypeMarks.NameOf<KeyValuePair<int, int>[]>());
        Assert.Equal($"{typeof(Item)}", TypeMarks.NameOf<Item>());
    }

    /// <summary>As versions before this one wrote it; and as a program has it that is compiled whole ahead of time.</summary>
    [Fact]
    public void ATableThatDoesNotSayHowItsFieldsLieIsFound()
    {
        PileTableOptions made = new() { Name = "table", KeyType = TypeMarks.NameOf<Tick>(), ValueType = TypeMarks.NameOf<Tick[]>() };
        PileTableOptions unmarked = TypeMarks.Woken(made, made, isGiven: true, isFormer: true);
        Assert.Equal($"{typeof(Tick)}", unmarked.KeyType);
        TableAgreement.RefuseOther<Tick, Tick[]>(unmarked, made, isGiven: true);
        TableAgreement.RefuseOther<Tick, Tick[]>(unmarked with { ValueType = typeof(TickOld[]).ToString() }, made, isGiven: true);
        TableAgreement.RefuseOther<Tick, Tick[]>(made with { ValueType = $"{typeof(Tick[])} (16 bytes each)" }, made, isGiven: true);
        TableAgreement.RefuseOther<Tick, Tick[]>(made with { KeyType = $"{typeof(Tick)} (8 bytes, layout 00000000)" }, made, isGiven: true);
        Assert.Throws<PileTypeMismatchException>(() => TableAgreement.RefuseOther<Tick, Tick[]>(made with { ValueType = $"{typeof(Tick[])} (8 bytes each)" }, made, isGiven: true));
        Assert.Throws<PileTypeMismatchException>(() => TableAgreement.RefuseOther<Tick, Tick[]>(made with { KeyType = $"{typeof(Tick)} (16 bytes, layout 00000000)" }, made, isGiven: true));
    }

    /// <summary>Entries of each size may be there: each has its layout, whoever used the table last, and whether or not options were given.</summary>
    [Theory]
    [InlineData(PileTableKind.Durable, false)]
    [InlineData(PileTableKind.Durable, true)]
    [InlineData(PileTableKind.Speculative, false)]
    [InlineData(PileTableKind.Speculative, true)]
    public void ATableKnowsTheLayoutOfEachSizeThatItsEntriesMayHave(PileTableKind kind, bool isGiven)
    {
        PileTableOptions? options = isGiven ? new PileTableOptions { Kind = kind } : null;
        using var files = new SimulatedFiles();
        using (var first = new MappedCache(files))
        {
            Assert.True(first.Cache.GetOrCreateTable<int, Narrow>("table", new PileTableOptions { Kind = kind }).Set(1, new Narrow(7, 2)).IsStored);
        }

        using (var second = new MappedCache(files))
        {
            PileTable<int, Middle> table = second.Cache.GetOrCreateTable<int, Middle>("table", options);
            Assert.Throws<PileTypeMismatchException>(() => table.TryGet(1, out _));
            Assert.True(table.Set(2, new Middle(7, 1, 3)).IsStored);
        }

        using (var third = new MappedCache(files))
        {
            Assert.Throws<PileTypeMismatchException>(() => third.Cache.GetOrCreateTable<int, MiddleTurned>("table", options));
            Assert.Throws<PileTypeMismatchException>(() => third.Cache.GetOrCreateTable<int, NarrowTurned>("table", options));
            Assert.True(third.Cache.GetOrCreateTable<int, Middle>("table", options).TryGet(2, out Middle found));
            Assert.Equal(new Middle(7, 1, 3), found);
        }

        if (kind == PileTableKind.Durable)
        {
            // The program of before, which is taken back.
            using var fourth = new MappedCache(files);
            Assert.True(fourth.Cache.GetOrCreateTable<int, Narrow>("table", options).TryGet(1, out Narrow found));
            Assert.Equal(new Narrow(7, 2), found);
        }
    }

    /// <summary>A table may have been made at any of the names that its fields have had.</summary>
    [Fact]
    public void FieldsAreFoundByEachOfTheirFormerNames()
    {
        AssertFound<TickOld, TickTwice>(new TickOld(7, 1), static tick => (int)tick.At);
        AssertFound<TickOfMomentsOnce, TickTwice>(new TickOfMomentsOnce(7, 1), static tick => (int)tick.At);
        AssertFound<Primary, PrimaryNow>(new Primary(7), static value => (int)value.Number);
    }

    /// <summary>A program that is taken back knows the names of then alone, and has not written.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void TheProgramOfBeforeFindsADurableTableOfWhichAFieldHadAnotherNameMeanwhile(bool isGiven)
    {
        PileTableOptions? options = isGiven ? DurableTests.Durable : null;
        using var files = new SimulatedFiles();
        using (var before = new MappedCache(files))
        {
            Assert.True(before.Cache.GetOrCreateTable<TickOld, TickOld[]>("table", DurableTests.Durable).Set(new TickOld(7, 1), [new TickOld(8, 2)]).IsStored);
        }

        using (var after = new MappedCache(files))
        {
            Assert.True(after.Cache.GetOrCreateTable<TickOfMoments, TickOfMoments[]>("table", options).ContainsKey(new TickOfMoments(7, 1)));
        }

        using (var back = new MappedCache(files))
        {
            Assert.True(back.Cache.GetOrCreateTable<TickOld, TickOld[]>("table", options).TryGet(new TickOld(7, 1), out TickOld[]? found));
            Assert.Equal([new TickOld(8, 2)], found);
        }

        using var last = new MappedCache(files);
        Assert.Throws<PileTypeMismatchException>(() => last.Cache.GetOrCreateTable<TickTurned, TickOld[]>("table", options));
    }

    /// <summary>A program that is compiled whole ahead of time knows sizes alone.</summary>
    [Theory]
    [InlineData(PileTableKind.Durable)]
    [InlineData(PileTableKind.Speculative)]
    public void ALayoutThatIsKnownStaysWhereAProgramSeesTheSizeAlone(PileTableKind kind)
    {
        PileTableOptions seen = new() { Name = "table", Kind = kind, KeyType = TypeMarks.NameOf<Tick>(), ValueType = TypeMarks.NameOf<Tick[]>() };
        PileTableOptions unseen = seen with { KeyType = $"{typeof(Tick)} (16 bytes)", ValueType = $"{typeof(Tick[])} (16 bytes each)" };
        Assert.Equal(seen, TypeMarks.Woken(seen, unseen, isGiven: true, isFormer: false));
        Assert.Equal(seen, TypeMarks.Woken(unseen, seen, isGiven: true, isFormer: false));
    }

    [Fact]
    public void EightSizesOfATypeAreRemembered()
    {
        string[] former = [.. Enumerable.Range(1, 8).Select(static bytes => $" ({bytes} bytes, layout 0000000{bytes})")];
        PileTableOptions asked = new() { Name = "table", KeyType = TypeMarks.NameOf<Tick>(), ValueType = "System.Int32" };
        PileTableOptions woken = TypeMarks.Woken(asked with { KeyType = typeof(Tick) + string.Concat(former) }, asked, isGiven: true, isFormer: false);
        Assert.Equal(asked.KeyType + string.Concat(former[..7]), woken.KeyType);
    }

    /// <summary>What stands behind the name of a type that has no room for it whole would count as a part of the name.</summary>
    [Theory]
    [InlineData(853, true)]
    [InlineData(854, false)]
    [InlineData(860, false)]
    [InlineData(880, false)]
    public void ATypeWhoseNameHasNoRoomForAMarkHasNoneAndIsFoundWhenItGrows(int chars, bool hasMark)
    {
        string name = new('L', chars);
        (Type then, Type today) = (Define(name, "X"), Define(name, "X", "Y"));
        Assert.Equal(hasMark, NameOf(then) != name);
        Assert.Equal(name, TypeMarks.WithoutMark(NameOf(then)));
        using var files = new SimulatedFiles();
        foreach (Type type in (Type[])[then, today, then])
        {
            using var cache = new MappedCache(files);
            Assert.NotNull(typeof(PileCache).GetMethod(nameof(PileCache.GetOrCreateTable))!.MakeGenericMethod(typeof(int), type).Invoke(cache.Cache, ["table", DurableTests.Durable]));
        }

        static string NameOf(Type type) => (string)typeof(TypeMarks).GetMethod(nameof(TypeMarks.NameOf), BindingFlags.Static | BindingFlags.NonPublic)!.MakeGenericMethod(type).Invoke(null, null)!;
    }

    private static Type Define(string name, params string[] fields)
    {
        TypeBuilder type = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName("Shop"), AssemblyBuilderAccess.RunAndCollect).DefineDynamicModule("Shop").DefineType(name, TypeAttributes.Public | TypeAttributes.SequentialLayout, typeof(ValueType));
        foreach (string field in fields)
        {
            _ = type.DefineField(field, typeof(int), FieldAttributes.Public);
        }

        return type.CreateType();
    }

    private static string AssertRefused<TKeyOld, TValueOld, TKey, TValue>(TKeyOld key, TValueOld value)
        where TKeyOld : notnull
        where TValueOld : notnull
        where TKey : notnull
        where TValue : notnull
    {
        using var files = new SimulatedFiles();
        using (var before = new MappedCache(files))
        {
            Assert.True(before.Cache.GetOrCreateTable<TKeyOld, TValueOld>("table", new PileTableOptions { Kind = PileTableKind.Durable }).Set(key, value).IsStored);
        }

        using var after = new MappedCache(files);
        PileTypeMismatchException refused = Assert.Throws<PileTypeMismatchException>(() => after.Cache.GetOrCreateTable<TKey, TValue>("table"));
        Assert.True(after.Cache.GetOrCreateTable<TKeyOld, TValueOld>("table").TryGet(key, out TValueOld? found));
        Assert.Equal(value, found);
        return refused.Message;
    }

    [Fact]
    public void ATableOfARenamedEnumeratedKeyIsFound() => AssertKeyFound(ColorOld.Blue, Color.Blue);

    [Fact]
    public void ATableOfARenamedPlainKeyIsFound() => AssertKeyFound((7, ColorOld.Blue), (7, Color.Blue));

    private static void AssertKeyFound<TOld, TNew>(TOld old, TNew key)
        where TOld : notnull
        where TNew : notnull
    {
        using var files = new SimulatedFiles();
        using (var before = new MappedCache(files))
        {
            Assert.True(before.Cache.GetOrCreateTable<TOld, int>("table", new PileTableOptions { Kind = PileTableKind.Durable }).Set(old, 7).IsStored);
        }

        using var after = new MappedCache(files);
        Assert.True(after.Cache.GetOrCreateTable<TNew, int>("table", new PileTableOptions { Kind = PileTableKind.Durable }).TryGet(key, out int found));
        Assert.Equal(7, found);
    }

    private static void AssertFound<TOld, TNew>(TOld value, Func<TNew, int> number)
        where TOld : notnull
        where TNew : notnull
    {
        using var files = new SimulatedFiles();
        using (var before = new MappedCache(files))
        {
            Assert.True(before.Cache.GetOrCreateTable<int, TOld>("table", new PileTableOptions { Kind = PileTableKind.Durable }).Set(1, value).IsStored);
        }

        using var after = new MappedCache(files);
        Assert.True(after.Cache.GetOrCreateTable<int, TNew>("table", new PileTableOptions { Kind = PileTableKind.Durable }).TryGet(1, out TNew? found));
        Assert.Equal(7, number(found));
    }

    internal readonly record struct TickOld(long Time, double Price);

    [PileName("Pile.Cache.Tests.RenamedValueTests+TickOld")]
    internal readonly record struct Tick(long Time, double Price);

    [PileName("Pile.Cache.Tests.RenamedValueTests+TickOld")]
    internal readonly record struct TickOfMoments([property: PileName("Time")] long Moment, double Price);

    [PileName("Pile.Cache.Tests.RenamedValueTests+TickOld")]
    internal readonly record struct TickTurned(double Price, long Time);

    internal readonly record struct Narrow(int Time, int Price);

    [PileName("Pile.Cache.Tests.RenamedValueTests+Narrow")]
    [PileName("Pile.Cache.Tests.RenamedValueTests+Middle")]
    internal readonly record struct NarrowTurned(int Price, int Time);

    [PileName("Pile.Cache.Tests.RenamedValueTests+Narrow")]
    internal readonly record struct Middle(int Time, int Price, int Volume);

    [PileName("Pile.Cache.Tests.RenamedValueTests+Narrow")]
    [PileName("Pile.Cache.Tests.RenamedValueTests+Middle")]
    internal readonly record struct MiddleTurned(int Price, int Time, int Volume);

    internal readonly record struct TickOfMomentsOnce(long Moment, double Price);

    [PileName("Pile.Cache.Tests.RenamedValueTests+TickOld")]
    [PileName("Pile.Cache.Tests.RenamedValueTests+TickOfMomentsOnce")]
    internal readonly record struct TickTwice([property: PileName("Time"), PileName("Moment")] long At, [property: PileName("Cost")] double Price);

    internal readonly struct Primary(long number)
    {
        public long Twice() => 2 * number;
    }

    [PileName("Pile.Cache.Tests.RenamedValueTests+Primary")]
    internal readonly struct PrimaryNow(long number)
    {
        [PileName("number")]
        public long Number { get; } = number;
    }

    internal readonly record struct Pair<T>(T First, long Second)
        where T : struct;

    internal readonly record struct Wide(Lanes Values, long Last);

    [InlineArray(127)]
    internal struct Lanes
    {
        public long First;
    }

    [PileName("Pile.Cache.Tests.RenamedValueTests+TickOld")]
    internal readonly record struct TickGrown(long Time, double Price, long Volume, long Venue);

    internal enum ColorOld
    {
        Red,
        Blue,
    }

    [PileName("Pile.Cache.Tests.RenamedValueTests+ColorOld")]
    internal enum Color
    {
        Red,
        Blue,
    }

    internal sealed class ItemOld
    {
        public int Number { get; set; }
    }

    [PileName("Pile.Cache.Tests.RenamedValueTests+ItemOld")]
    internal sealed class Item
    {
        public int Number { get; set; }
    }

    internal sealed class BoxOld<T>
    {
        public T? Held { get; set; }
    }

    [PileName("Pile.Cache.Tests.RenamedValueTests+BoxOld`1")]
    internal sealed class Box<T>
    {
        public T? Held { get; set; }
    }
}
