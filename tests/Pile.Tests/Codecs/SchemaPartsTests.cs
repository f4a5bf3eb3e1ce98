using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Codecs;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>Schemas in parts, some of which were kept when the process ended and some not.</summary>
public sealed class SchemaPartsTests
{
    [Fact]
    public void TheNumberOfASchemaOfWhichOnlySomePartsWereKeptIsNotGivenOutAgain()
    {
        var before = new GraphStore();
        before.Schemas.Add(PartsOf(number: 5, count: 3)[0]);

        var opened = new GraphStore(before);
        _ = opened.Write(new Point());
        Assert.Equal(6, Assert.Single(opened.Table.Versions()).Schema.Number);
    }

    [Fact]
    public void PartsOfTwoSchemasUnderOneNumberAreNotMixed()
    {
        // As an earlier version left them: it gave the number out again.
        var parts = new SchemaParts();
        Assert.Null(parts.Join(PartsOf(number: 5, count: 3, content: 1)[1], out int number));
        Assert.Equal(5, number);
        List<byte[]> others = PartsOf(number: 5, count: 2, content: 2);
        Assert.Null(parts.Join(others[1], out _));
        Assert.Equal(Record(count: 2, content: 2), parts.Join(others[0], out _));
    }

    [Fact]
    public void APartThatWasKeptBeforeTheNextFoundNoRoomIsNotKeptAgain()
    {
        object value = WithALongName();
        var store = new NarrowStore();
        var table = new TypeTable(store, PlanMode.Emitted);
        GraphWriter writer = GraphWriter.Rent(table);
        writer.WriteRoot(value);
        writer.Return();

        // Room for one part each time.
        int refusals = 0;
        for (; refusals < 20 && table.KeepSchemas() != PileStatus.Ok; refusals++)
        {
            store.Room = 1;
        }

        Assert.InRange(refusals, 2, 19);
        Assert.Equal(refusals, store.Kept.Schemas.Count);
        Assert.Equal(TypeName.Of(value.GetType()), Assert.Single(new GraphStore(store.Kept).Table.Versions()).Schema.TypeName);
    }

    // Its name takes a part and a half.
    private static object WithALongName()
    {
        (Type type, Type shorter) = (typeof(int), typeof(int));
        for (int depth = 0; depth < 7; depth++)
        {
            (type, shorter) = (typeof(Pair<,>).MakeGenericType(type, type), type);
        }

        return Activator.CreateInstance(typeof(Pair<,>).MakeGenericType(type, shorter))!;
    }

    private static byte[] Record(int count, byte content) => [.. Enumerable.Repeat(content, count * CodecLimits.SchemaPartBytes)];

    private static List<byte[]> PartsOf(int number, int count, byte content = 1)
    {
        var store = new GraphStore();
        int kept = 0;
        Assert.Equal(PileStatus.Ok, SchemaParts.Keep(store, number, Record(count, content), ref kept));
        Assert.Equal(count, kept);
        Assert.Equal(count, store.Schemas.Count);
        return store.Schemas;
    }

    private sealed class NarrowStore : ISchemaStore
    {
        internal int Room { get; set; }

        internal GraphStore Kept { get; } = new();

        public PileStatus Issue(int lastNumber) => PileStatus.Ok;

        public PileStatus Keep(ReadOnlySpan<byte> record) => Room-- > 0 ? Kept.Keep(record) : PileStatus.Full;
    }

    private sealed class Pair<TFirst, TSecond>
    {
        public int X { get; set; }
    }

    private sealed class Point
    {
        public int X { get; set; }
    }
}
