using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Reflection.Emit;
using Pile.Cache.Tests.Model;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>Tables of files whose keys were stored by another version of their type: none would be found, so that they are not taken unless the program says so.</summary>
public sealed class FormerKeysTests
{
    private const string Name = "Shop.Key";
    private const int Keys = 100;

    public interface IVersion
    {
        void Store(PileCache cache);

        int Found(PileCache cache, bool takesFormer);

        List<string> Listed(PileCache cache);
    }

    [Theory]
    [InlineData("Sold", true)]
    [InlineData("Shop", true)]
    [InlineData("Sold", false)]
    public void ATableWhoseKeysAreOtherBytesNowIsRefusedUnlessItIsToBeListed(string assembly, bool hasMore)
    {
        using var files = new SimulatedFiles();
        using (var before = new MappedCache(files))
        {
            Of(Define("Shop", hasMore: false, mark: null)).Store(before.Cache);
        }

        IVersion now = Of(Define(assembly, hasMore, mark: "Shop"));
        using (var after = new MappedCache(files))
        {
            PileTypeMismatchException refused = Assert.Throws<PileTypeMismatchException>(() => now.Found(after.Cache, takesFormer: false));
            Assert.Contains("another version of Shop.Key", refused.Message, StringComparison.Ordinal);
            Assert.Contains("TakesFormerKeys", refused.Message, StringComparison.Ordinal);

            // Refused, it stays as it was.
            _ = Assert.Throws<PileTypeMismatchException>(() => now.Found(after.Cache, takesFormer: false));
        }

        using var last = new MappedCache(files);
        Assert.Equal(0, now.Found(last.Cache, takesFormer: true));
        Assert.Equal(Enumerable.Range(0, Keys).Select(static number => $"value {number}").Order(StringComparer.Ordinal), now.Listed(last.Cache).Order(StringComparer.Ordinal));
    }

    [Fact]
    public void ATableWithKeysOfTheSameVersionIsTaken()
    {
        using var files = new SimulatedFiles();
        using (var before = new MappedCache(files))
        {
            Of(Define("Shop", hasMore: false, mark: null)).Store(before.Cache);
        }

        using var after = new MappedCache(files);
        Assert.Equal(Keys, Of(Define("Shop", hasMore: false, mark: null)).Found(after.Cache, takesFormer: false));
    }

    [Fact]
    public void ATableWhoseTypeOfKeysHasMovedWithoutAWordIsRefused()
    {
        using var files = new SimulatedFiles();
        using (var before = new MappedCache(files))
        {
            Of(Define("Shop", hasMore: false, mark: null)).Store(before.Cache);
        }

        using var after = new MappedCache(files);
        _ = Assert.Throws<PileTypeMismatchException>(() => Of(Define("Sold", hasMore: false, mark: null)).Found(after.Cache, takesFormer: false));
    }

    /// <summary>Where there is no room for the version of today, no key is of it.</summary>
    [Fact]
    public void InAFullPileItIsRefusedAsWell()
    {
        const long Limit = 2 << 20;
        using var files = new SimulatedFiles();
        using (var before = new MappedCache(files, limitBytes: Limit))
        {
            Of(Define("Shop", hasMore: false, mark: null)).Store(before.Cache);
            PileTable<int, byte[]> full = before.Cache.GetOrCreateTable<int, byte[]>("full", DurableTests.Durable);
            for (int bytes = 2_000, entries = 0; bytes > 0; bytes /= 2)
            {
                while (full.Set(entries, new byte[bytes]).IsStored)
                {
                    entries++;
                }
            }
        }

        using var after = new MappedCache(files, limitBytes: Limit);
        _ = Assert.Throws<PileTypeMismatchException>(() => Of(Define("Shop", hasMore: true, mark: null)).Found(after.Cache, takesFormer: false));
    }

    /// <summary>A type that nobody has used yet may be anything's.</summary>
    [Fact]
    public void ATableWithKeysOfATypeThatIsNotUsedYetIsTaken()
    {
        using var files = new SimulatedFiles();
        var durable = new PileTableOptions { Kind = PileTableKind.Durable };
        object key = Activator.CreateInstance(Define("Shop", hasMore: false, mark: null))!;
        using (var before = new MappedCache(files))
        {
            Assert.True(before.Cache.GetOrCreateTable<object, string>("table", durable).Set(key, "there").IsStored);
        }

        using var after = new MappedCache(files);
        Assert.True(after.Cache.GetOrCreateTable<object, string>("table", durable).TryGet(key, out string? found));
        Assert.Equal("there", found);
    }

    /// <summary>To miss is its right.</summary>
    [Fact]
    public void ASpeculativeTableIsTaken()
    {
        using var files = new SimulatedFiles();
        using (var before = new MappedCache(files))
        {
            Assert.True(before.Cache.GetOrCreateTable<PlaceOld, string>("table").Set(new PlaceOld(1, 2), "there").IsStored);
        }

        using var after = new MappedCache(files);
        PileTable<PlaceOfThree, string> table = after.Cache.GetOrCreateTable<PlaceOfThree, string>("table");
        Assert.False(table.ContainsKey(new PlaceOfThree(1, 2, 0)));
        Assert.Equal(1, table.Count);
    }

    [Fact]
    public void UnmanagedKeysOfARenamedTypeAreFoundAndLongerOnesRefused()
    {
        using var files = new SimulatedFiles();
        var durable = new PileTableOptions { Kind = PileTableKind.Durable };
        using (var before = new MappedCache(files))
        {
            Assert.True(before.Cache.GetOrCreateTable<PlaceOld, string>("table", durable).Set(new PlaceOld(1, 2), "there").IsStored);
        }

        using var after = new MappedCache(files);
        _ = Assert.Throws<PileTypeMismatchException>(() => after.Cache.GetOrCreateTable<PlaceOfThree, string>("table", durable));
        Assert.True(after.Cache.GetOrCreateTable<Place, string>("table", durable).TryGet(new Place(1, 2), out string? found));
        Assert.Equal("there", found);
    }

    /// <summary>Each time the program runs it may use its types in another order: the number of a type's version stays what it was.</summary>
    [Theory]
    [InlineData(PileTableKind.Durable)]
    [InlineData(PileTableKind.Speculative)]
    public void KeysWhoseTypeStandsInANewTypeThatIsStoredFirstAreFound(PileTableKind kind)
    {
        using var files = new SimulatedFiles();
        var options = new PileTableOptions { Kind = kind };
        using (var before = new MappedCache(files))
        {
            PileTable<Article, int> table = before.Cache.GetOrCreateTable<Article, int>("table", options);
            Assert.All(Enumerable.Range(0, Keys), number => Assert.True(table.Set(new Article($"key {number}", number), number).IsStored));
        }

        using var after = new MappedCache(files);
        Assert.True(after.Cache.GetOrCreateTable<int, OrderLine>("lines", options).Set(1, new OrderLine(new Article("other", 0), 3)).IsStored);
        PileTable<Article, int> found = after.Cache.GetOrCreateTable<Article, int>("table", options);
        Assert.All(Enumerable.Range(0, Keys), number => Assert.True(found.ContainsKey(new Article($"key {number}", number))));
        Assert.Equal(PileSetOutcome.Replaced, found.Set(new Article("key 0", 0), 5).Outcome);
        Assert.Equal(Keys, found.Count);
    }

    /// <summary>Of a class of keys the table may have been taken before the one is met that stands in another type.</summary>
    [Fact]
    public void KeysOfADerivedClassThatStandsInANewTypeAreFound()
    {
        using var files = new SimulatedFiles();
        var durable = new PileTableOptions { Kind = PileTableKind.Durable };
        using (var before = new MappedCache(files))
        {
            PileTable<Product, int> table = before.Cache.GetOrCreateTable<Product, int>("table", durable);
            Assert.True(table.Set(new Product("plain"), 1).IsStored);
            Assert.True(table.Set(new Fruit("apple", 7), 2).IsStored);
        }

        using var after = new MappedCache(files);
        PileTable<int, Basket> baskets = after.Cache.GetOrCreateTable<int, Basket>("baskets", durable);
        Assert.True(baskets.Set(1, new Basket(new Fruit("pear", 1))).IsStored);
        PileTable<Product, int> found = after.Cache.GetOrCreateTable<Product, int>("table", durable);
        Assert.True(found.TryGet(new Fruit("apple", 7), out int value));
        Assert.Equal(2, value);
    }

    private static IVersion Of(Type key) => (IVersion)Activator.CreateInstance(typeof(Version<>).MakeGenericType(key))!;

    private static Type Define(string assembly, bool hasMore, string? mark)
    {
        var builder = AssemblyBuilder.DefineDynamicAssembly(new AssemblyName(assembly), AssemblyBuilderAccess.RunAndCollect);
        TypeBuilder type = builder.DefineDynamicModule(assembly).DefineType(Name, TypeAttributes.Public);
        _ = type.DefineField("Text", typeof(string), FieldAttributes.Public);
        if (hasMore)
        {
            _ = type.DefineField("More", typeof(string), FieldAttributes.Public);
        }

        if (mark is not null)
        {
            builder.SetCustomAttribute(new CustomAttributeBuilder(typeof(PileNameAttribute).GetConstructor([typeof(string)])!, [mark]));
        }

        return type.CreateType();
    }

    public sealed class Version<TKey> : IVersion
        where TKey : notnull
    {
        public void Store(PileCache cache)
        {
            PileTable<TKey, string> table = cache.GetOrCreateTable<TKey, string>("table", new PileTableOptions { Kind = PileTableKind.Durable });
            Assert.All(Enumerable.Range(0, Keys), number => Assert.True(table.Set(Make(number), $"value {number}").IsStored));
        }

        public int Found(PileCache cache, bool takesFormer)
        {
            PileTable<TKey, string> table = cache.GetOrCreateTable<TKey, string>("table", new PileTableOptions { Kind = PileTableKind.Durable, TakesFormerKeys = takesFormer });
            return Enumerable.Range(0, Keys).Count(number => table.TryGet(Make(number), out _));
        }

        public List<string> Listed(PileCache cache) => [.. cache.GetOrCreateTable<TKey, string>("table").Enumerate().Select(static item => item.Value)];

        private static TKey Make(int number)
        {
            TKey key = Activator.CreateInstance<TKey>();
            typeof(TKey).GetField("Text")!.SetValue(key, $"key {number}");
            return key;
        }
    }

    internal record struct PlaceOld(int X, int Y);

    internal sealed record Article(string Name, int Number);

    internal sealed record OrderLine(Article Article, int Count);

    internal record Product(string Name);

    internal sealed record Fruit(string Name, int Weight) : Product(Name);

    internal sealed record Basket(Fruit Fruit);

    [PileName("Pile.Cache.Tests.FormerKeysTests+PlaceOld")]
    internal record struct Place(int X, int Y);

    [PileName("Pile.Cache.Tests.FormerKeysTests+PlaceOld")]
    internal record struct PlaceOfThree(int X, int Y, int Z);
}
