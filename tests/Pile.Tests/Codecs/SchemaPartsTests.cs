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

    private static byte[] Record(int count, byte content) => [.. Enumerable.Repeat(content, count * CodecLimits.SchemaPartBytes)];

    private static List<byte[]> PartsOf(int number, int count, byte content = 1)
    {
        var store = new GraphStore();
        Assert.Equal(PileStatus.Ok, SchemaParts.Keep(store, number, Record(count, content)));
        Assert.Equal(count, store.Schemas.Count);
        return store.Schemas;
    }

    private sealed class Point
    {
        public int X { get; set; }
    }
}
