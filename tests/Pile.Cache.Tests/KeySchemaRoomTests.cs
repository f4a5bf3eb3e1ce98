// Keys by a codec where the schema of their type, or of another, finds no room: each key is itself all the same.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class KeySchemaRoomTests
{
    private const int Keys = 20;

    [Theory]
    [InlineData(false, 100)]
    [InlineData(false, 1)]
    [InlineData(true, 100)]
    [InlineData(true, 1)]
    public void KeysWhoseTypeFindsNoRoomAreNotOneKey(bool inFiles, int smallestBytes)
    {
        using TinyCache tiny = new(2 << 20, inFiles: inFiles);
        PileTable<Place, string> table = tiny.Cache.GetOrCreateTable<Place, string>("places", DurableTests.Durable);
        PileTable<Place, byte[]> bytes = tiny.Cache.GetOrCreateTable<Place, byte[]>("bytes", DurableTests.Durable);
        PilePointer shared = tiny.Cache.Pile.Put("shared");
        PileTable<int, byte[]> filling = Fill(tiny.Cache, smallestBytes);

        for (int key = 0; key < Keys; key++)
        {
            Assert.Equal(PileSetOutcome.Full, table.Set(At(key), "set").Outcome);
            Assert.Equal(PileSetOutcome.Full, table.Add(At(key), "added").Outcome);
            Assert.False(table.Replace(At(key), "replaced").IsStored);
            Assert.Equal(PileSetOutcome.Full, bytes.Set(At(key), (ReadOnlySpan<byte>)[1]).Outcome);
            Assert.Equal(PileSetOutcome.Full, table.SetPointer(At(key), shared).Outcome);
            Assert.False(table.TryGet(At(key), out _));
            Assert.False(table.Remove(At(key)));
        }

        Assert.Equal(0, table.SetMany([At(1), At(2)], ["one", "two"]));
        Assert.Equal("inner outer", table.GetOrAdd(At(1), outer => table.GetOrAdd(At(2), static _ => "inner") + " outer"));
        Assert.Equal("store", Stored(table));
        Assert.Equal((0, 0), (table.Count, bytes.Count));

        // A call that began without room stores what it has made where there is some by then.
        Assert.Equal("made", table.GetOrAdd(At(3), _ =>
        {
            Assert.Equal(300, Enumerable.Range(0, 300).Count(filling.Remove));
            return "made";
        }));
        Assert.True(table.TryGet(At(3), out string? made) && made == "made");
        Assert.All(Enumerable.Range(4, Keys), key => Assert.Equal(PileSetOutcome.Inserted, table.Set(At(key), $"value {key}").Outcome));
        Assert.All(Enumerable.Range(4, Keys), key => Assert.True(table.TryGet(At(key), out string? value) && value == $"value {key}"));
        Assert.Equal(Keys + 1, table.Enumerate().Select(static item => item.Key).Distinct().Count());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void KeysAreFoundWhileAnotherTypeFindsNoRoom(bool inFiles)
    {
        using TinyCache tiny = new(2 << 20, inFiles: inFiles);
        PileTable<Place, string> table = tiny.Cache.GetOrCreateTable<Place, string>("places", DurableTests.Durable);
        Assert.All(Enumerable.Range(0, Keys), key => Assert.True(table.Set(At(key), $"value {key}").IsStored));
        _ = Fill(tiny.Cache, smallestBytes: 1);
        _ = Assert.Throws<PileFullException>(() => tiny.Cache.Pile.Put(new Stranger("a type without room")));

        Assert.All(Enumerable.Range(0, Keys), key => Assert.True(table.TryGet(At(key), out string? value) && value == $"value {key}"));
        Assert.Equal(Keys, table.GetMany([.. Enumerable.Range(0, Keys).Select(At)], new string?[Keys]));
        Assert.Equal("value 7", table.GetOrAdd(At(7), static _ => "made"));
        Assert.True(table.Remove(At(0)));
        Assert.Equal(Keys - 1, table.Count);
    }

    private static string Stored(PileTable<Place, string> table)
    {
        var store = new PlaceStore();
        PileBackedTable<Place, string> backed = table.WithStore(store);
        Assert.Equal(PileSetOutcome.Full, backed.Set(At(1), "store").Outcome);
        Assert.Equal(PileSetOutcome.Full, backed.Set(At(2), "other").Outcome);
        return backed.TryGet(At(1), out string? value) ? value : "nothing";
    }

    private static PileTable<int, byte[]> Fill(PileCache cache, int smallestBytes)
    {
        PileTable<int, byte[]> filling = cache.GetOrCreateTable<int, byte[]>("filling", DurableTests.Durable);
        for (int bytes = 2_000, entries = 0; bytes >= smallestBytes; bytes /= 2)
        {
            while (filling.Set(entries, new byte[bytes]).IsStored)
            {
                entries++;
            }
        }

        return filling;
    }

    private static Place At(int number) => new(number, new Name($"place {number}"));

    private sealed record Name(string Text);

    private sealed record Place(int Number, Name Name);

    private sealed record Stranger(string Text);

    private sealed class PlaceStore : IPileStore<Place, string>
    {
        private readonly Dictionary<Place, string> _rows = [];

        public ValueTask<PileAnswer<string>> LoadAsync(Place key, CancellationToken cancellationToken) =>
            new(_rows.TryGetValue(key, out string? value) ? new PileAnswer<string>(value) : default);

        public ValueTask SaveAsync(Place key, string value, CancellationToken cancellationToken)
        {
            _rows[key] = value;
            return default;
        }

        public ValueTask DeleteAsync(Place key, CancellationToken cancellationToken)
        {
            _ = _rows.Remove(key);
            return default;
        }
    }
}
