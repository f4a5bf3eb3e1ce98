using System.IO;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>A cache whose directory is renamed while it is open, with another one at its path.</summary>
public sealed class MovedDirectoryTests
{
    [Fact]
    public void TheListOfDurableTablesOfACacheWhereAnotherWasStaysItsOwn()
    {
        using var place = new TemporaryDirectory();
        string path = Path.Combine(place.Path, "cache");
        string moved = Path.Combine(place.Path, "moved");
        PileCache old = PileCache.Open(path);
        Durable(old, "old").Set(1, 7);
        Directory.Move(path, moved);
        using (PileCache other = PileCache.Open(path))
        {
            Durable(other, "other").Set(1, 8);
            _ = Assert.ThrowsAny<IOException>(() => Durable(old, "more"));
            _ = Assert.ThrowsAny<IOException>(old.Dispose);
        }

        AssertHolds(path, "other", 8);
        AssertHolds(moved, "old", 7);
    }

    private static PileTable<int, int> Durable(PileCache cache, string name) => cache.GetOrCreateTable<int, int>(name, new PileTableOptions { Kind = PileTableKind.Durable });

    private static void AssertHolds(string path, string name, int value)
    {
        using PileCache cache = PileCache.Open(path);
        Assert.Equal([name], cache.TableNames);
        Assert.True(Durable(cache, name).TryGet(1, out int found));
        Assert.Equal(value, found);
    }
}
