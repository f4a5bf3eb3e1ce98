using System;
using System.Linq;
using Pile.Cache.Tests.Model;
using Pile.Tests.Codecs;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>F#'s unions as keys: one finds its own value or none, whatever cases there are today.</summary>
public sealed class UnionKeysTests
{
    public interface IKeys
    {
        void Store(PileCache cache, string[] keys);

        string[] Found(PileCache cache, string[] keys);
    }

    [Theory]
    [InlineData("Red|Green|Blue", "Red|Green|Blue|Black", "Red,Green,Blue", "Black")]
    [InlineData("A of item|B of item|C|D", "A of item|B of item|C|D|E", "A 1,B 2,C,D", "E")]
    [InlineData("struct A of vA|B of vB", "struct A of vA|B of vB", "A 5,B 5", "B 6")]
    public void KeysAreFoundWhenACaseCameBehindTheOthers(string before, string after, string keys, string added)
    {
        using var files = new SimulatedFiles();
        Store(files, before, keys.Split(','));

        IKeys now = Of(UnionTypes.Define(after));
        using (var later = new MappedCache(files))
        {
            Assert.Equal(keys.Split(','), now.Found(later.Cache, keys.Split(',')));
            Assert.Equal([""], now.Found(later.Cache, [added]));
            now.Store(later.Cache, [added]);
        }

        using var last = new MappedCache(files);
        Assert.Equal(keys.Split(',').Append(added), Of(UnionTypes.Define(after)).Found(last.Cache, [.. keys.Split(','), added]));
    }

    [Theory]
    [InlineData("Red|Green|Blue", "Red|Amber|Green|Blue", "Red,Green,Blue")]
    [InlineData("A of item|B of item|C|D", "A of item|New|B of item|C|D", "A 1,B 2,C,D")]
    [InlineData("struct A of vA|B of vB", "struct New|A of vA|B of vB", "A 5,B 5")]
    [InlineData("struct A of vA|B of vB", "struct B of vB|A of vA", "A 5,B 5")]
    public void ATableWhoseKeysAreOfOtherCasesIsRefused(string before, string after, string keys)
    {
        using var files = new SimulatedFiles();
        Store(files, before, keys.Split(','));

        using var later = new MappedCache(files);
        Type today = UnionTypes.Define(after);
        later.Cache.Pile.Types.Add(today);
        foreach (Type nested in today.GetNestedTypes().Where(today.IsAssignableFrom))
        {
            later.Cache.Pile.Types.Add(nested);
        }

        Assert.Contains("another version of Shop.State", Assert.Throws<PileTypeMismatchException>(() => Of(today).Found(later.Cache, keys.Split(','))).Message, StringComparison.Ordinal);
    }

    private static void Store(SimulatedFiles files, string union, string[] keys)
    {
        using var before = new MappedCache(files);
        Of(UnionTypes.Define(union)).Store(before.Cache, keys);
    }

    private static IKeys Of(Type key) => (IKeys)Activator.CreateInstance(typeof(Keys<>).MakeGenericType(key))!;

    public sealed class Keys<TKey> : IKeys
        where TKey : notnull
    {
        public void Store(PileCache cache, string[] keys) => Assert.All(keys, key => Assert.True(TableOf(cache).Set((TKey)UnionTypes.Make(typeof(TKey), key), key).IsStored));

        public string[] Found(PileCache cache, string[] keys)
        {
            PileTable<TKey, string> table = TableOf(cache);
            return Array.ConvertAll(keys, key => table.TryGet((TKey)UnionTypes.Make(typeof(TKey), key), out string? value) ? value : "");
        }

        private static PileTable<TKey, string> TableOf(PileCache cache) => cache.GetOrCreateTable<TKey, string>("table", new PileTableOptions { Kind = PileTableKind.Durable });
    }
}
