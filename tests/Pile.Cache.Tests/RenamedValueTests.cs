using System;
using System.Collections.Generic;
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

    /// <summary>What was stored would be cut anew: two of the former ones are one of today's.</summary>
    [Fact]
    public void ATableOfArraysOfAStructThatGrewIsRefused()
    {
        using var files = new SimulatedFiles();
        using (var before = new MappedCache(files))
        {
            Assert.True(before.Cache.GetOrCreateTable<int, TickOld[]>("table", new PileTableOptions { Kind = PileTableKind.Durable }).Set(1, [new TickOld(7, 1), new TickOld(8, 2)]).IsStored);
        }

        using var after = new MappedCache(files);
        PileTypeMismatchException refused = Assert.Throws<PileTypeMismatchException>(() => after.Cache.GetOrCreateTable<int, TickGrown[]>("table"));
        Assert.Contains($"values of {typeof(TickOld)}[] of 16 bytes each, compared by 'ordinal'; asked for were Durable, keys of System.Int32 and values of {typeof(TickGrown)}[] of 32 bytes each,", refused.Message, StringComparison.Ordinal);
        Assert.True(after.Cache.GetOrCreateTable<int, TickOld[]>("table").TryGet(1, out TickOld[]? ticks));
        Assert.Equal([new TickOld(7, 1), new TickOld(8, 2)], ticks);
    }

    /// <summary>As versions before this one wrote it.</summary>
    [Fact]
    public void ATableOfArraysThatDoesNotSayHowLargeTheirElementsWereIsFound()
    {
        PileTableOptions made = new() { Name = "table", KeyType = "System.Int32", ValueType = TableAgreement.NameOfValues<Tick[]>() };
        Assert.EndsWith("+Tick[] of 16 bytes each", made.ValueType, StringComparison.Ordinal);
        TableAgreement.RefuseOther<int, Tick[]>(made with { ValueType = typeof(Tick[]).ToString() }, made, isGiven: true);
        TableAgreement.RefuseOther<int, Tick[]>(made with { ValueType = typeof(TickOld[]).ToString() }, made, isGiven: true);
        PileTypeMismatchException refused = Assert.Throws<PileTypeMismatchException>(() =>
            TableAgreement.RefuseOther<int, Tick[]>(made with { ValueType = $"{typeof(Tick[])} of 8 bytes each" }, made, isGiven: true));
        Assert.EndsWith("drop the table first; arrays of such elements are kept as their bytes, which have no versions: in a class they have.", refused.Message, StringComparison.Ordinal);
        Assert.Equal("System.Int64[]", TableAgreement.NameOfValues<long[]>());
        Assert.Equal("System.Guid[]", TableAgreement.NameOfValues<Guid[]>());
        Assert.Equal("System.Collections.Generic.KeyValuePair`2[System.Int32,System.Int32][] of 8 bytes each", TableAgreement.NameOfValues<KeyValuePair<int, int>[]>());
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
