using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Pile.Codecs;
using Pile.Tests.Codecs.Cases;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>Types of generic types and arrays within each other: what is stored is read by a pile that is opened again, and what would not be is refused.</summary>
public sealed class DeepTypesTests
{
    private const int SmallStackBytes = 256 << 10;

    [Theory]
    [InlineData(63, 0)]
    [InlineData(1, 256)]
    [InlineData(40, 200)]
    public void ATypeAsDeepAsTheLimitsIsReadByAPileThatIsOpenedAgain(int lists, int arrays)
    {
        Type type = Nested(lists, arrays);
        var store = new GraphStore();
        object empty = type.IsArray ? Array.CreateInstance(type.GetElementType()!, 1) : Activator.CreateInstance(type)!;
        byte[] bytes = store.Write(new object[] { empty, type });
        object[] got = new GraphStore(store).Read<object[]>(bytes);
        Assert.Equal(type, got[0].GetType());
        Assert.Equal(type, got[1]);
    }

    [Theory]
    [InlineData(64, 0, "64 generic types within each other and 0 arrays, and 63 (TypeNestingMax)")]
    [InlineData(100, 0, "100 generic types")]
    [InlineData(1, 257, "257 arrays, and 63 (TypeNestingMax) and 256 (TypeArraysMax)")]
    public void ADeeperTypeIsRefusedWithThePathAndSoIsItsNameAlone(int lists, int arrays, string limit)
    {
        Type type = Nested(lists, arrays);
        using var pile = new CasePile("Emitted");
        object empty = type.IsArray ? Array.CreateInstance(type.GetElementType()!, 1) : Activator.CreateInstance(type)!;
        foreach (object refused in (object[])[empty, type])
        {
            PileRefusedException failure = pile.Refused(new object[] { 1, refused });
            Assert.Equal("System.Object[][1]", failure.GraphPath);
            Assert.Contains(limit, failure.Message, StringComparison.Ordinal);
            Assert.InRange(failure.Message.Length, 1, 1000);
        }
    }

    /// <summary>A read that names them makes known what they consist of, as one of any other type does; it called itself without end.</summary>
    [Fact]
    public void AReadOfADeepTypeKnowsWhatItConsistsOf()
    {
        using var directory = new TemporaryDirectory();
        PilePointer arrays, lists, field;
        using (ObjectPile pile = ObjectPile.Open(directory.Path, PileOptions.Tiny with { MemoryLimitBytes = null }))
        {
            arrays = pile.Put<Leaf[][][][][][][][][]>([[[[[[[[[new Leaf { Name = "arrays" }]]]]]]]]]);
            lists = pile.Put<List<List<List<List<List<List<List<List<List<Leaf>>>>>>>>>>([[[[[[[[[new Leaf { Name = "lists" }]]]]]]]]]);
            field = pile.Put(new Holder { Leaves = [[[[[[[[[new Leaf { Name = "field" }]]]]]]]]] });
        }

        using ObjectPile again = ObjectPile.Open(directory.Path, PileOptions.Tiny with { MemoryLimitBytes = null });
        Assert.Equal("field", again.Get<Holder>(field)!.Leaves![0][0][0][0][0][0][0][0][0].Name);
        Assert.Equal("arrays", again.Get<Leaf[][][][][][][][][]>(arrays)![0][0][0][0][0][0][0][0][0].Name);
        Assert.Equal("lists", again.Get<List<List<List<List<List<List<List<List<List<Leaf>>>>>>>>>>(lists)![0][0][0][0][0][0][0][0][0].Name);
    }

    [Fact]
    public void HostileNamesOfTypesNeedNoMoreThanASmallStack()
    {
        string[] names = [.. ((string[])["System.Collections.Generic.List`1", "System.ValueTuple`1"]).SelectMany(static generic => (string[])
            [Within(generic, 400), Within(generic, CodecLimits.TypeNestingMax), Within(generic, CodecLimits.TypeNestingMax, CodecLimits.TypeArraysMax), string.Concat(Enumerable.Repeat($"{generic}<", 400))]),
            Within("", 0, 8000), new string('<', 16_000)];
        Exception? failure = null;
        var thread = new Thread(() => failure = Record.Exception(() => Read(names)), SmallStackBytes);
        thread.Start();
        thread.Join();
        Assert.Null(failure);
    }

    /// <summary>An object of each: an empty one, where there is such a type.</summary>
    private static void Read(string[] names)
    {
        foreach (string name in names)
        {
            foreach (PlanKind kind in (PlanKind[])[PlanKind.Sequence, PlanKind.Fields, PlanKind.Array])
            {
                var store = new GraphStore();
                var writer = new WireWriter();
                new Schema(1, name, kind, 0, kind == PlanKind.Fields ? [] : [new SchemaField("", "item", WireKind.Any, 0)]).Write(writer);
                store.Table.Load(writer.Written);
                Exception? failure = Record.Exception(() => store.Read<object>([0x92, 0xc3, 0x91, 1]));
                Assert.True(failure is null or PileException, failure?.ToString());
            }
        }
    }

    private static string Within(string generic, int levels, int arrays = 0) =>
        $"{string.Concat(Enumerable.Repeat($"{generic}<", levels))}System.Int32{string.Concat(Enumerable.Repeat("[]", arrays))}{new string('>', levels)}";

    /// <summary>Lists of lists, and arrays of arrays of them.</summary>
    private static Type Nested(int lists, int arrays)
    {
        Type type = typeof(int);
        for (int level = 0; level < lists; level++)
        {
            type = typeof(List<>).MakeGenericType(type);
        }

        for (int level = 0; level < arrays; level++)
        {
            type = type.MakeArrayType();
        }

        return type;
    }

    private class Leaf
    {
        public string? Name { get; set; }
    }

    // One that could stand in a place of the other, so that the type is written there.
    private sealed class Bud : Leaf;

    private sealed class Holder
    {
        public Leaf[][][][][][][][][]? Leaves { get; set; }
    }
}
