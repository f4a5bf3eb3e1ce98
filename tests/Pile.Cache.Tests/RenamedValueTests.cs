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

    private static void AssertFound<TOld, TNew>(TOld value, System.Func<TNew, int> number)
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
