using System;
using System.Linq;
using Pile.Codecs;
using Pile.Tests.Codecs.Cases;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>Names in schemas, which descriptions and JSON text say for each object.</summary>
public sealed class LongNamesTests
{
    private const int CharsMax = CodecLimits.SchemaNameCharsMax;

    [Theory]
    [InlineData(CharsMax, false)]
    [InlineData(CharsMax + 1, true)]
    [InlineData(1 << 20, true)]
    public void AStoredNameBeyondTheLimitIsDamage(int chars, bool isDamage)
    {
        string name = new('n', chars);
        foreach (Schema schema in new[] { Fields(1, name, ("D", "a")), Fields(1, "X!X", (name, "a")), Fields(1, "X!X", ("D", name)) })
        {
            var store = new GraphStore();
            Exception? failure = Record.Exception(() => Load(store, schema));
            Assert.Equal(isDamage ? typeof(PileCorruptedException) : null, failure?.GetType());
        }
    }

    [Fact]
    public void ATypeWhoseNameNoSchemaMayHaveIsRefusedWithThePath()
    {
        using var pile = new CasePile("Emitted");
        object tooLong = Activator.CreateInstance(Wide(levels: 5))!;
        Assert.True(TypeName.Of(tooLong.GetType()).Length > CharsMax);
        PileRefusedException refused = pile.Refused(new object[] { 1, tooLong });
        Assert.Equal("System.Object[][1]", refused.GraphPath);
        Assert.Contains("SchemaNameCharsMax", refused.Message, StringComparison.Ordinal);
        Assert.InRange(refused.Message.Length, 1, 1000);
        Assert.Contains("Four", pile.Refused(tooLong).GraphPath, StringComparison.Ordinal);

        // Long, and still read.
        object isLong = Activator.CreateInstance(Wide(levels: 4))!;
        Assert.InRange(TypeName.Of(isLong.GetType()).Length, 5000, CharsMax);
        var store = new GraphStore();
        byte[] bytes = store.Write(new object[] { isLong });
        var after = new GraphStore(store);
        after.Table.Known.Add(isLong.GetType());
        Assert.IsType(isLong.GetType(), Assert.Single(after.Read<object[]>(bytes)));
    }

    /// <summary>Two names of each object joined anew would be 960 MB.</summary>
    [Fact]
    public void NamesThatADescriptionSaysForEachObjectAreMadeOnce()
    {
        const int Objects = 30_000;
        var store = new GraphStore();
        string declaring = new('d', 16_000);
        Load(store, new Schema(1, "L!L", PlanKind.Sequence, 0, [new SchemaField("", "item", WireKind.Any, 0)]));
        Load(store, Fields(2, "X!X", (declaring, "a"), (declaring, "a"), ("B!B", "b")));
        byte[] payload = [0xdc, Objects + 1 >> 8, (Objects + 1) & 0xff, 1, .. Enumerable.Repeat<byte[]>([0x94, 2, 5, 6, 7], Objects).SelectMany(static part => part)];
        long before = GC.GetAllocatedBytesForCurrentThread();
        PileDescription described = DescriptionReader.Read(store.Table, payload);
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 100 << 20);
        Assert.Equal(Objects, described.Items.Count);
        Assert.Equal(["a", $"{declaring}.a", "b"], described.Items[0].Members.Select(static member => member.Key));
        Assert.All(described.Items, item => Assert.Same(described.Items[0].Members[1].Key, item.Members[1].Key));
        Assert.Equal([5, 6, 7], described.Items[^1].Members.Select(static member => member.Value.Value));
    }

    [Theory]
    [InlineData("System.Int32", 1)]
    [InlineData("System.Int32[,]", 2)]
    [InlineData("System.Int32[,,][]", 1)]
    [InlineData("System.Int32[][,,,]", 4)]
    public void ARankIsThatOfTheOuterArrayAndNoMoreThanArraysCanHave(string name, int rank)
    {
        Assert.Equal(rank, new Schema(1, name, PlanKind.Grid, 0, []).Rank);
        Assert.Equal(32, new Schema(1, $"{name}[{new string(',', 10_000)}]", PlanKind.Grid, 0, []).Rank);
    }

    private static Schema Fields(int number, string name, params (string Declaring, string Name)[] fields) =>
        new(number, name, PlanKind.Fields, 0, [.. fields.Select(static field => new SchemaField(field.Declaring, field.Name, WireKind.Any, 0))]);

    private static void Load(GraphStore store, Schema schema)
    {
        var writer = new WireWriter();
        schema.Write(writer);
        store.Table.Load(writer.Written);
    }

    private static Type Wide(int levels)
    {
        Type type = typeof(int);
        for (int level = 0; level < levels; level++)
        {
            type = typeof(Four<,,,>).MakeGenericType(type, type, type, type);
        }

        return type;
    }

    /// <summary>Its parameters are for its name alone.</summary>
    internal sealed class Four<T1, T2, T3, T4>
    {
        public int Value { get; set; }
    }
}
