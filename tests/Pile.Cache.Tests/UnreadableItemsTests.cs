// Lists of tables with entries that can't be read: each throws where it is met, and the list goes on behind it.
using System;
using System.Buffers;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Pile.Cache.Tests.Model;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class UnreadableItemsTests
{
    [Theory]
    [InlineData(PileTableKind.Speculative, 10)]
    [InlineData(PileTableKind.Durable, 10)]
    [InlineData(PileTableKind.Speculative, 40_000)]
    [InlineData(PileTableKind.Durable, 40_000)]
    public void AListGoesOnBehindAnEntryOfAnUnknownType(PileTableKind kind, int bytes)
    {
        using var files = new SimulatedFiles();
        var options = new PileTableOptions { Kind = kind };
        using (var before = new MappedCache(files))
        {
            PileTable<int, object> filled = before.Table<int, object>(options);
            Assert.All(Enumerable.Range(0, 50), key => Assert.True(filled.Set(key, key % 10 == 3 ? new Note { Bytes = new byte[bytes] } : $"{key}").IsStored));
        }

        using var after = new MappedCache(files);
        PileTable<int, object> table = after.Table<int, object>(options);
        (Dictionary<int, object> read, List<int> unreadable) = Walk<int, object, PileUnknownTypeException>(table.Enumerate());
        Assert.Equal(Enumerable.Range(0, 50).Where(static key => key % 10 != 3), read.Keys.Order());
        Assert.All(read, static item => Assert.Equal($"{item.Key}", item.Value));
        Assert.Equal([3, 13, 23, 33, 43], unreadable.Order());
        Assert.All(unreadable, key => Assert.True(table.Remove(key)));
        Assert.Equal(45, table.Enumerate().Count());
    }

    [Fact]
    public void AListGoesOnBehindAKeyThatCantBeRead()
    {
        var codec = new GradeCodec();
        using PileCache cache = Open(codec);
        PileTable<Grade, int> table = cache.GetOrCreateTable<Grade, int>("table");
        Assert.All(Enumerable.Range(1, 20), number => Assert.True(table.Set(new Grade(number), number).IsStored));
        codec.Unreadable = 5;
        (Dictionary<Grade, int> read, List<Grade> unreadable) = Walk<Grade, int, InvalidDataException>(table.Enumerate());
        Assert.Equal(Enumerable.Range(1, 20).Where(static number => number != 5), read.Values.Order());
        Assert.Null(Assert.Single(unreadable));
    }

    [Fact]
    public void AListOfAScopeGoesOnBehindItsOwnEntryAndPassesOverThoseOfOthers()
    {
        var codec = new GradeCodec();
        using PileCache cache = Open(codec);
        PileTable<string, Grade> table = cache.GetOrCreateTable<string, Grade>("table");
        Assert.All(Enumerable.Range(1, 20), number => Assert.True(table.WithPrefix("one").Set($"{number}", new Grade(number)).IsStored));
        Assert.All(Enumerable.Range(21, 20), number => Assert.True(table.WithPrefix("other").Set($"{number}", new Grade(number)).IsStored));
        codec.Unreadable = 5;
        Assert.Equal(Enumerable.Range(21, 20), table.WithPrefix("other").Enumerate().Select(static item => item.Value.Number).Order());
        (Dictionary<string, Grade> read, List<string> unreadable) = Walk<string, Grade, InvalidDataException>(table.WithPrefix("one").Enumerate());
        Assert.Equal(Enumerable.Range(1, 20).Where(static number => number != 5), read.Values.Select(static value => value.Number).Order());
        Assert.Equal(["5"], unreadable);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(3)]
    public void AListOfATableThatEndsThrowsAndIsOver(int steps)
    {
        using TinyCache tiny = new();
        PileTable<int, int> table = tiny.Table<int, int>();
        Assert.All(Enumerable.Range(0, 2_000), key => Assert.True(table.Set(key, key).IsStored));
        using IEnumerator<KeyValuePair<int, int>> walk = table.Enumerate().GetEnumerator();
        Assert.All(Enumerable.Range(0, steps), _ => Assert.True(walk.MoveNext()));
        tiny.Cache.DropTable("table");
        _ = Assert.Throws<ObjectDisposedException>(() =>
        {
            while (walk.MoveNext())
            {
            }
        });
        Assert.False(walk.MoveNext());
        Assert.Equal(default, walk.Current);
    }

    /// <summary>Steps by hand, and catches.</summary>
    private static (Dictionary<TKey, TValue> Read, List<TKey> Unreadable) Walk<TKey, TValue, TFailure>(IEnumerable<KeyValuePair<TKey, TValue>> list)
        where TKey : notnull
        where TFailure : Exception
    {
        var read = new Dictionary<TKey, TValue>();
        var unreadable = new List<TKey>();
        using IEnumerator<KeyValuePair<TKey, TValue>> walk = list.GetEnumerator();
        while (true)
        {
            try
            {
                if (!walk.MoveNext())
                {
                    return (read, unreadable);
                }

                read.Add(walk.Current.Key, walk.Current.Value);
            }
            catch (TFailure)
            {
                Assert.Equal(default, walk.Current.Value);
                unreadable.Add(walk.Current.Key);
            }
        }
    }

    private static PileCache Open(GradeCodec codec) => PileCache.Create(
        new PileCacheOptions { MemoryLimitBytes = 8 << 20, BackgroundCleaning = false, Codecs = new PileCodecs().Add(7, codec) }, PileOptions.Tiny);

    internal sealed class Note
    {
        public byte[] Bytes { get; set; } = [];
    }

    internal sealed record Grade(int Number);

    /// <summary>Reads all numbers but one.</summary>
    private sealed class GradeCodec : IPileCodec<Grade>
    {
        internal int Unreadable { get; set; }

        public void Write(Grade value, IBufferWriter<byte> writer) => writer.Write([(byte)value.Number]);

        public Grade Read(ReadOnlySpan<byte> payload) => payload[0] != Unreadable ? new Grade(payload[0]) : throw new InvalidDataException($"{payload[0]} is of before");
    }
}
