using System.Collections.Frozen;
using System.Collections.Generic;
using System.Linq;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>Frozen collections of objects, which must stand where they are, in graphs that nest deeper than what is stored may.</summary>
public sealed class DeepWholesTests
{
    private const int Nodes = 1000;

    [Theory]
    [InlineData("Reflection", 0)]
    [InlineData("Emitted", 0)]
    [InlineData("Reflection", 3)]
    [InlineData("Emitted", 3)]
    [InlineData("Emitted", 15)]
    public void ADeepListOfNodesWithFrozenCollectionsOfObjectsIsKept(string mode, int inner)
    {
        using var pile = new GraphPile(mode);
        Node? first = null;
        for (int index = 0; index < Nodes; index++)
        {
            first = new Node
            {
                Next = first,
                Keys = new HashSet<Key> { Key.Of(index, inner), Key.Of(-index - 1, inner) }.ToFrozenSet(),
                Map = new Dictionary<Key, object> { [Key.Of(index, inner)] = "value" }.ToFrozenDictionary(),
                Any = new HashSet<object> { Key.Of(index, inner), "text" }.ToFrozenSet(),
            };
        }

        Node? read = pile.Twice(first!);
        for (Node? node = first; node is not null; node = node.Next, read = read.Next)
        {
            Assert.NotNull(read);
            Assert.True(node.Keys.SetEquals(read.Keys));
            Assert.Equal("value", read.Map[node.Map.Keys[0]]);
            Assert.Equal(2, ((FrozenSet<object>)read.Any!).Count);
            Assert.True(((FrozenSet<object>)node.Any!).SetEquals((FrozenSet<object>)read.Any));
        }

        Assert.Null(read);
    }

    [Fact]
    public void AnItemThatHoldsMoreThanThereAreLevelsIsRefusedWithTheLimitAndTheWayOut()
    {
        using var pile = new GraphPile("Reflection");
        PileRefusedException refused = Assert.Throws<PileRefusedException>(() => pile.Twice(new HashSet<Key> { Key.Of(1, 100) }.ToFrozenSet()));
        Assert.Contains("64 levels (NestingMax)", refused.Message, System.StringComparison.Ordinal);
        Assert.Contains("HashSet", refused.Message, System.StringComparison.Ordinal);
        Assert.Contains("Nothing was stored", refused.Message, System.StringComparison.Ordinal);
    }

    internal sealed class Node
    {
        public FrozenSet<Key> Keys { get; init; } = FrozenSet<Key>.Empty;

        public FrozenDictionary<Key, object> Map { get; init; } = FrozenDictionary<Key, object>.Empty;

        public object? Any { get; init; }

        public Node? Next { get; init; }
    }

    internal sealed record Key(int Number, Key? Inner)
    {
        internal static Key Of(int number, int inner) => Enumerable.Range(0, inner).Aggregate(new Key(number, null), static (key, index) => new Key(index, key));
    }
}
