using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Pile.Tests.Codecs.Graphs;
using Xunit;
using static Pile.Tests.Golden.GoldenTypes;

namespace Pile.Tests.Golden;

/// <summary>What the golden piles hold: put there by one version of Pile, required of every later one.</summary>
internal static class GoldenContent
{
    private const int Many = 300;
    private const int OfBatch = 700;

    internal static PileOptions Options => PileOptions.Tiny with
    {
        MemoryLimitBytes = null,
        DiskLimitBytes = 64 << 20,
        SegmentBytesMax = 16 * PileOptions.Tiny.SegmentBytesMax,
        FlushInterval = TimeSpan.FromHours(1),
        Codecs = new PileCodecs().Add(7, new TestCodecs.NameCodec()),
    };

    /// <summary>Puts everything.</summary>
    internal static void Fill(ObjectPile pile)
    {
        Root(pile, "bytes", pile.PutBytes(Enumerable.Range(0, 256).Select(static index => (byte)index).ToArray()));
        Root(pile, "empty", pile.PutBytes([]));
        Root(pile, "narrow", pile.Put(Narrow));
        Root(pile, "wide", pile.Put(Wide));
        Root(pile, "value", pile.Put(42.5));
        Root(pile, "guid", pile.Put(Id));
        Root(pile, "span", pile.PutSpan<long>(Longs));
        Root(pile, "large", pile.PutBytes(Large));
        Root(pile, "large text", pile.Put(LargeText));
        Root(pile, "person", pile.Put(People()));
        Root(pile, "everything", pile.Put(All()));
        Root(pile, "codec", pile.Put(new TestCodecs.Name("by a codec")));
        PilePointer updated = pile.Put("first");
        pile.Update(updated, "second, and longer than the first one");
        Root(pile, "updated", updated);
        PilePointer shrunk = pile.PutBytes(Large);
        pile.UpdateBytes(shrunk, [1]);
        Root(pile, "shrunk", shrunk);
        PilePointer deleted = pile.Put("deleted");
        Assert.True(pile.Delete(deleted));
        Root(pile, "pointer of a deleted one", pile.Put(deleted.ToInt64()));
        Root(pile, "link", pile.Put(new Link { To = updated, Person = new PileRef<Person>(Rooted(pile, "person")) }));
        Root(pile, "gone", updated);
        Assert.True(pile.Roots.Remove("gone"));
        PutMany(pile);
        Batch(pile);
    }

    /// <summary>Requires everything, by values and by names.</summary>
    internal static void Require(ObjectPile pile)
    {
        pile.Types.Add<Dog>();
        Assert.Equal(Enumerable.Range(0, 256).Select(static index => (byte)index), pile.Get<byte[]>(Rooted(pile, "bytes")));
        Assert.Empty(pile.Get<byte[]>(Rooted(pile, "empty")));
        Assert.Equal(Narrow, pile.Get<string>(Rooted(pile, "narrow")));
        Assert.Equal(Wide, pile.Get<string>(Rooted(pile, "wide")));
        Assert.Equal(42.5, pile.Get<double>(Rooted(pile, "value")));
        Assert.Equal(Id, pile.Get<Guid>(Rooted(pile, "guid")));
        Assert.Equal(Longs, pile.Get<long[]>(Rooted(pile, "span")));
        Assert.Equal(Large, pile.Get<byte[]>(Rooted(pile, "large")));
        Assert.Equal(LargeText, pile.Get<string>(Rooted(pile, "large text")));
        RequireEqual(People(), pile.Get<Person>(Rooted(pile, "person")));
        RequireEqual(All(), pile.Get<Everything>(Rooted(pile, "everything")));
        Assert.Equal("by a codec", pile.Get<TestCodecs.Name>(Rooted(pile, "codec")).Text);
        Assert.Equal("second, and longer than the first one", pile.Get<string>(Rooted(pile, "updated")));
        Assert.Equal<byte>([1], pile.Get<byte[]>(Rooted(pile, "shrunk")));
        var deleted = PilePointer.FromInt64(pile.Get<long>(Rooted(pile, "pointer of a deleted one")));
        Assert.False(pile.TryLease(deleted, out _, out PileStatus status));
        Assert.Equal(PileStatus.Stale, status);
        Link link = pile.Get<Link>(Rooted(pile, "link"));
        Assert.Equal(Rooted(pile, "updated"), link.To);
        Assert.Equal("Ada", pile.Get(link.Person).Name);
        Assert.False(pile.Roots.TryGet("gone", out _));
        Assert.Equal("Ada", pile.Describe(Rooted(pile, "person")).Members.Single(static member => member.Key == nameof(Person.Name)).Value.Value);
        for (int index = 0; index < Many; index++)
        {
            bool isThere = pile.Roots.TryGet(NameOf(index), out PilePointer pointer);
            Assert.Equal(index % 30 == 0, isThere);
            Assert.True(!isThere || pile.Get<string>(pointer) == TextOf(index));
        }

        Assert.Equal(OfBatch, pile.Get<int>(Rooted(pile, "batch")));
        PilePointer[] pointers = [.. pile.Get<long[]>(Rooted(pile, "of the batch")).Select(PilePointer.FromInt64)];
        Assert.Equal(OfBatch, pointers.Length);
        Assert.All(Enumerable.Range(0, OfBatch), index => Assert.Equal(TextOf(index), pile.Get<string>(pointers[index])));
    }

    private static void RequireEqual<T>(T expected, T actual) => Assert.Null(GraphComparer.Difference(expected, actual));

    private static string Narrow => "narrow: \u00E9\u00DF\u00FF";

    private static string Wide => "wide: \u4E16\u754C \uD83D\uDE80, and alone: \uD800";

    private static Guid Id => new("01234567-89ab-cdef-0123-456789abcdef");

    private static long[] Longs => [.. Enumerable.Range(0, 100).Select(static index => (long)index << (index % 60))];

    private static byte[] Large => [.. Enumerable.Range(0, 100_000).Select(static index => (byte)(index / 251))];

    private static string LargeText => string.Concat(Enumerable.Range(0, 4000).Select(static index => index.ToString("D8", CultureInfo.InvariantCulture)));

    private static PilePointer Rooted(ObjectPile pile, string name)
    {
        Assert.True(pile.Roots.TryGet(name, out PilePointer pointer), name);
        return pointer;
    }

    private static void Root(ObjectPile pile, string name, PilePointer pointer) => pile.Roots.Set(name, pointer);

    private static string NameOf(int index) => string.Create(CultureInfo.InvariantCulture, $"one of many {index}");

    private static string TextOf(int index) => index.ToString("D100", CultureInfo.InvariantCulture);

    /// <summary>Many objects, most of which are deleted again, so that there are tombstones and moved records.</summary>
    private static void PutMany(ObjectPile pile)
    {
        PilePointer[] pointers = [.. Enumerable.Range(0, 10 * Many).Select(index => pile.Put(TextOf(index)))];
        for (int index = 0; index < pointers.Length; index++)
        {
            if (index < Many && index % 30 == 0)
            {
                Root(pile, NameOf(index), pointers[index]);
            }
            else if (index % 20 != 0)
            {
                Assert.True(pile.Delete(pointers[index]));
            }
        }

        _ = pile.Compact();
    }

    /// <summary>Puts objects by a batch; in memory, where there are none, one by one.</summary>
    private static void Batch(ObjectPile pile)
    {
        PilePointer count = pile.Put(0);
        long[] pointers;
        if (pile.Promise() == PilePromise.Memory)
        {
            pointers = [.. Enumerable.Range(0, OfBatch).Select(index => pile.Put(TextOf(index)).ToInt64())];
            pile.Update(count, OfBatch);
        }
        else
        {
            using PileBatch batch = pile.BeginBatch();
            pointers = [.. Enumerable.Range(0, OfBatch).Select(index => batch.Put(TextOf(index)).ToInt64())];
            batch.Update(count, OfBatch);
            batch.Commit();
        }

        Root(pile, "batch", count);
        Root(pile, "of the batch", pile.PutSpan<long>(pointers));
    }

    private static Person People()
    {
        var ada = new Person { Name = "Ada", Age = 36, Born = new DateTime(1815, 12, 10, 0, 0, 0, DateTimeKind.Utc), Tags = ["analyst", "countess"], Home = new Place(51.5, -0.1), Colour = Colour.Green };
        ada.Friend = new Person { Name = "Charles", Friend = ada, Pet = new Dog { Name = "Rex", Legs = 4 } };
        return ada;
    }

    private static Everything All() => new()
    {
        Bool = true,
        SByte = -5,
        UShort = 65_000,
        Long = long.MinValue,
        ULong = ulong.MaxValue,
        Wide = Int128.MaxValue,
        Half = (Half)1.5,
        Float = float.Epsilon,
        Decimal = 1234567890.123456789m,
        Char = '\u20AC',
        Text = "text",
        Guid = Id,
        Moment = new DateTimeOffset(2026, 1, 2, 3, 4, 5, TimeSpan.FromHours(5.5)),
        Day = new DateOnly(2026, 11, 21),
        Time = new TimeOnly(23, 59, 59, 999),
        Span = TimeSpan.FromTicks(-7),
        Uri = new Uri("https://example.org/a?b=c#d"),
        Version = new Version(1, 2, 3, 4),
        Big = System.Numerics.BigInteger.Pow(7, 100),
        Rights = Rights.All,
        Some = 3,
        Bytes = [1, 2, 3],
        Ints = [.. Enumerable.Range(-50, 200)],
        Texts = ["a", null, "c"],
        Grid = new[,] { { 1, 2, 3 }, { 4, 5, 6 } },
        Map = new Dictionary<string, int> { ["one"] = 1, ["two"] = 2 },
        Set = [3, 1, 2],
        Sorted = new SortedDictionary<string, Place> { ["b"] = new Place(1, 2), ["a"] = default },
        Pair = (1, "second"),
        Entry = new KeyValuePair<string, int>("key", 9),
        Boxed = 17L,
    };
}
