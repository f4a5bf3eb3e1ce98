using System;
using System.Buffers;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;
using Pile.Codecs;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>Damaged payloads: a typed error or a value, never a crash, never much memory. Numbers are those of the codec's list
/// of cases.</summary>
public sealed class HostileBytesTests
{
    [Fact]
    public void EveryFlippedByteAndEveryTruncationIsAnErrorOrAValue_95_96()
    {
        foreach (object value in Values())
        {
            var store = new GraphStore();
            byte[] bytes = store.Write(value);
            for (int length = 0; length < bytes.Length; length++)
            {
                Assert.IsType<PileCorruptedException>(Try(store, bytes[..length]));
            }

            for (int at = 0; at < bytes.Length; at++)
            {
                foreach (byte flip in new byte[] { 1, 2, 4, 8, 16, 32, 64, 128, 255 })
                {
                    byte[] damaged = [.. bytes];
                    damaged[at] ^= flip;
                    Try(store, damaged);
                }
            }
        }
    }

    [Fact]
    public void RandomDamageIsAnErrorOrAValue()
    {
        const int Seed = 20261121;
        var random = new Random(Seed);
        foreach (object value in Values())
        {
            var store = new GraphStore();
            byte[] bytes = store.Write(value);
            for (int round = 0; round < 2000; round++)
            {
                byte[] damaged = [.. bytes];
                for (int flips = random.Next(1, 5); flips > 0; flips--)
                {
                    damaged[random.Next(damaged.Length)] = (byte)random.Next(256);
                }

                Try(store, damaged);
            }
        }
    }

    [Fact]
    public void ClaimsBeyondTheBytesAskForNoMemory_34_97_98()
    {
        var store = new GraphStore();
        _ = store.Write(new object[] { new int[1], new string[1], new List<string> { "a" }, new Dictionary<string, int> { ["a"] = 1 }, new GraphTypes.Node() });
        int[] numbers = [.. store.Table.Versions().Select(static version => version.Schema.Number)];
        foreach (int number in numbers)
        {
            byte[] huge = [0x92, 0xc3, 0xdd, 0x7f, 0xff, 0xff, 0xff, (byte)number, 0xc0, 0xc0];
            Assert.IsType<PileCorruptedException>(Try(store, huge));
            byte[] forward = [0x93, 0xc3, 0xc8, 0x00, 0x06, 0x02, (byte)number, 0xce, 0x7f, 0xff, 0xff, 0xff, 0x91, 0x90];
            Assert.IsType<PileCorruptedException>(Try(store, forward));
            byte[] itself = [0x92, 0xc3, 0x92, (byte)number, 0xd4, 0x01, 0x02];
            Try(store, itself);
            byte[] ahead = [0x92, 0xc3, 0x92, (byte)number, 0xd4, 0x01, 0x06];
            Assert.IsType<PileCorruptedException>(Try(store, ahead));
        }

        // A node's Next that refers to a string, and to nothing that began.
        byte[] nodes = store.Write(new object[] { new string('x', 70), new GraphTypes.Node { Next = new GraphTypes.Node() } });
        Assert.True(nodes.Length > 70);
    }

    [Fact]
    public void AnObjectThatIsAnnouncedAndHasNoBodyIsDamage()
    {
        var store = new GraphStore();
        _ = store.Write(new GraphTypes.Node());
        byte number = (byte)store.Table.Versions().Single().Schema.Number;
        byte[] forward = [0xd4, 0x02, number];
        byte[] next = [0x93, number, 0x01, .. forward];
        Assert.IsType<PileCorruptedException>(Record.Exception(() => store.Read<GraphTypes.Node>(next)));
        Assert.IsType<PileCorruptedException>(Record.Exception(() => store.Read<object>(next)));
        Assert.IsType<PileCorruptedException>(Record.Exception(() => store.Read<object>(forward)));
    }

    [Fact]
    public void ArraysNestedBeyondTheLimitAreRefused()
    {
        var store = new GraphStore();
        byte[] bytes = store.Write(new object[] { null! });
        byte[] deep = [.. Enumerable.Repeat<byte[]>([0x92, bytes[3]], 100_000).SelectMany(static part => part), 0xc0];
        Assert.IsType<PileCorruptedException>(Try(store, [0x92, 0xc3, .. deep]));
    }

    [Fact]
    public void ASchemaOfOtherPlacesThanItsTypeHasIsATypedError()
    {
        foreach (Type type in new[] { typeof(string[]), typeof(string[,]), typeof(FrozenSet<string>), typeof(FrozenDictionary<string, string>), typeof(List<string>), typeof(DayOfWeek) })
        {
            foreach (PlanKind kind in Enum.GetValues<PlanKind>())
            {
                Exception? failure = ReadOf(TypeName.Of(type), kind);
                Assert.True(failure is PileException, $"{type} as {kind}: {failure}");
            }
        }
    }

    [Fact]
    public void ObjectsOfASchemaWithoutPlacesAreDescribedOrDamage()
    {
        foreach (PlanKind kind in Enum.GetValues<PlanKind>())
        {
            foreach (byte[] payload in (byte[][])[[0x92, 0x01, 0xc0], [0x93, 0x01, 0xc0, 0xc0], [0x94, 0x01, 0xc0, 0xc0, 0xc0]])
            {
                var store = new GraphStore();
                var writer = new WireWriter();
                new Schema(1, "System.Collections.Generic.Dictionary`2<System.Int32,System.Int32>", kind, 0, []).Write(writer);
                store.Table.Load(writer.Written);
                Exception? failure = Record.Exception(() => DescriptionReader.Read(store.Table, payload));
                Assert.True(failure is null or PileException, $"{kind}: {failure}");
            }
        }
    }

    [Theory]
    [InlineData("System.Collections.Generic.List`1")]
    [InlineData("System.Collections.Generic.List`1[]")]
    [InlineData("System.Collections.Generic.List`1<System.Collections.Generic.List`1>")]
    public void ASchemaOfAnOpenTypeIsDamage(string name)
    {
        foreach (PlanKind kind in Enum.GetValues<PlanKind>())
        {
            Assert.IsType<PileCorruptedException>(ReadOf(name, kind));
        }

        // The type itself, as a value, may be open.
        var store = new GraphStore();
        Assert.Equal(typeof(List<>), store.Read<Type>(store.Write(typeof(List<>))));
    }

    /// <summary>Memory that is written to through object would bring any object into an array of strings.</summary>
    [Fact]
    public void WritableMemoryOverAnArrayOfAnotherClassIsDamage()
    {
        var store = new GraphStore();
        _ = store.Write(new OfMemory { Memory = new object[1] });
        byte[] bytes = store.Write(new OfReadOnlyMemory { Memory = (object[])new[] { "text" } });
        Assert.Equal("text", store.Read<OfReadOnlyMemory>(bytes).Memory.Span[0]);
        int[] numbers = [.. new[] { nameof(OfReadOnlyMemory), nameof(OfMemory) }.Select(name => store.Table.Versions().Single(version => version.Schema.TypeName.EndsWith($"+{name}", StringComparison.Ordinal)).Schema.Number)];
        bytes[Array.IndexOf(bytes, (byte)numbers[0])] = (byte)numbers[1];
        Assert.IsType<PileCorruptedException>(Record.Exception(() => store.Read<OfMemory>(bytes)));
    }

    /// <summary>Arrays of arrays of arrays: the stack has an end.</summary>
    [Fact]
    public void ASchemaOfArraysNestedBeyondTheStackIsDamage()
    {
        var store = new GraphStore();
        var writer = new WireWriter();
        new Schema(1, "System.Int32" + string.Concat(Enumerable.Repeat("[]", 8000)), PlanKind.Array, 0, [new SchemaField("", "item", WireKind.Any, 0)]).Write(writer);
        store.Table.Load(writer.Written);
        Assert.IsType<PileUnknownTypeException>(Record.Exception(() => store.Read<object>([0x92, 0x01, 0xc0])));
    }

    [Fact]
    public void PartsOfSchemasThatSpeakOfManyOthersAskForNoRoomForThem()
    {
        const int Schemas = 2000;
        var store = new GraphStore();
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int number = 1; number <= Schemas; number++)
        {
            var writer = new WireWriter();
            writer.WriteTag(4, number);
            writer.WriteInt32(0);
            writer.WriteInt32(30_000);
            writer.WriteBinary([1]);
            store.Table.Load(writer.Written);
        }

        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 20 << 20);
    }

    /// <summary>Each version has the next one in its place: compared with all before it, each would make it 45,000 million comparisons.</summary>
    [Fact]
    public void AChainOfVersionsIsComparedOnce()
    {
        const int Versions = 300_000;
        var first = new GraphStore();
        byte[] bytes = first.Write(new GraphTypes.Node { Value = 5 });
        Schema own = first.Table.Versions().Single().Schema;
        var store = new GraphStore();
        var writer = new WireWriter();
        for (int number = 1; number <= Versions; number++)
        {
            writer.Truncate(0);
            new Schema(number, own.TypeName, own.Kind, own.Flags, [.. own.Fields.Select(field => field.Nested == 0 ? field : field with { Nested = int.Min(number + 1, Versions) })]).Write(writer);
            store.Table.Load(writer.Written);
        }

        Assert.Equal(5, store.Read<GraphTypes.Node>(bytes).Value);
    }

    /// <summary>The framework takes what a sequence's fields lead to for segments without a look.</summary>
    [Fact]
    public void ASequenceIsMadeOfItsItemsAlone()
    {
        var store = new GraphStore();
        byte[] bytes = store.Write(new ReadOnlySequence<int>([1, 2, 3]));
        Assert.Equal([1, 2, 3], store.Read<ReadOnlySequence<int>>(bytes).ToArray());
        byte number = (byte)store.Table.Versions().Single(static version => version.Schema.TypeName.StartsWith("System.Buffers", StringComparison.Ordinal)).Schema.Number;
        Assert.IsType<PileCorruptedException>(Record.Exception(() => store.Read<ReadOnlySequence<int>>([0x92, 0xc3, 0x95, number, 0xa1, 0x78, 0xa1, 0x78, 0, 100])));
    }

    private static IEnumerable<object> Values()
    {
        var node = new GraphTypes.Node { Value = 1000, Next = new GraphTypes.Node() };
        node.Next.Next = node;
        yield return node;
        object[] deep = [1, "text", node];
        for (int level = 0; level < 70; level++)
        {
            deep = [deep, level];
        }

        yield return deep;
        var map = new Dictionary<GraphTypes.SetKey, object> { [new GraphTypes.SetKey { Set = [1, 2] }] = node };
        yield return new object[] { map, map.Keys.First().Set!, new SortedDictionary<string, int> { ["a"] = 1 } };
        yield return new object[]
        {
            1.5m, DateTime.MaxValue, DateTimeOffset.MaxValue, Guid.Empty, new System.Numerics.BigInteger(77), "\ud800", new string('y', 100), new int[70], new byte[20],
            new int[2, 2], DayOfWeek.Friday, new Uri("http://a/b"), typeof(List<int>), new Memory<int>([1, 2, 3], 1, 1), "abc".AsMemory(1), TimeSpan.FromDays(1), (1, 2, "three"),
        };
        yield return new object[]
        {
            new HashSet<int> { 1, 2 }, ImmutableList.Create(1, 2), new[] { "a", "b" }.ToFrozenSet(), new Dictionary<string, int> { ["k"] = 1 }.ToFrozenDictionary(),
            new InvalidOperationException("m", new ArgumentException("n")), new Queue<string>(["q"]), new System.Collections.BitArray(9), new GraphValueTests.Blob(), System.Text.Encoding.UTF8,
            StringComparer.OrdinalIgnoreCase, new System.Text.RegularExpressions.Regex("a"), new PriorityQueue<int, int>([(1, 2)]), new System.Collections.Hashtable { [1] = 2 },
        };
    }

    /// <summary>Reads an object whose schema says that it has no places.</summary>
    private static Exception? ReadOf(string name, PlanKind kind)
    {
        var store = new GraphStore();
        var writer = new WireWriter();
        new Schema(1, name, kind, 0, []).Write(writer);
        store.Table.Load(writer.Written);
        return Record.Exception(() => store.Read<object>([0x92, 0x01, 0xc0]));
    }

    /// <summary>Reads; the exception must be one that says what is wrong, and little memory may be asked for.</summary>
    private static Exception? Try(GraphStore store, byte[] payload)
    {
        long before = GC.GetAllocatedBytesForCurrentThread();
        Exception? failure = Record.Exception(() => store.Read<object>(payload));
        long asked = GC.GetAllocatedBytesForCurrentThread() - before;
        Assert.True(failure is null or PileException, $"{Convert.ToHexString(payload)}: {failure}");
        Assert.True(asked < (payload.Length * 64L) + (256 << 10), $"{asked:N0} bytes for {Convert.ToHexString(payload)}");
        return failure;
    }

    private sealed class OfMemory
    {
        public Memory<object> Memory { get; set; }
    }

    private sealed class OfReadOnlyMemory
    {
        public ReadOnlyMemory<object> Memory { get; set; }
    }
}
