using System.Collections.Generic;
using System.Linq;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>What a removed field held is wanted in another order than it stands in.</summary>
public sealed class OutOfOrderTests
{
    /// <summary>Each object put between the others would be some 80,000 million moves.</summary>
    [Fact]
    public void ManyObjectsThatAreReferredToBackwardsAreFoundOnceEach()
    {
        const int Nodes = 400_000;
        List<Node> nodes = [.. Enumerable.Range(0, Nodes).Select(static number => new Node { Number = number })];
        Now got = ReadAsNow(new Then { Gone = nodes, Kept = [.. Enumerable.Reverse(nodes)], Again = nodes });
        Assert.Equal(Enumerable.Range(0, Nodes), got.Again!.Select(static node => node.Number));
        AssertSame(Enumerable.Reverse(got.Kept!), got.Again!);
    }

    /// <summary>Some in order and some not, and texts and objects inside each other among them.</summary>
    [Fact]
    public void ObjectsInAnyOrderComeBackOnceEach()
    {
        const int Nodes = 1000;
        List<Node> nodes = [];
        for (int number = 0; number < Nodes; number++)
        {
            nodes.Add(new Node { Number = number, Text = new string('x', 70 + number), Other = number % 3 == 0 ? null : nodes[number - 1 - (number % 7 % number)] });
        }

        // 7 has no divisor in common with their number, so that each comes once.
        List<Node> mixed = [.. Enumerable.Range(0, Nodes).Select(index => nodes[index * 7 % Nodes])];
        for (int round = 0; round < 3; round++)
        {
            Now got = ReadAsNow(new Then { Gone = nodes, Kept = mixed, Again = nodes });
            Assert.Equal(Enumerable.Range(0, Nodes), got.Again!.Select(static node => node.Number));
            Assert.Equal(nodes.Select(static node => (node.Text, node.Other?.Number)), got.Again!.Select(static node => (node.Text, node.Other?.Number)));
            AssertSame(Enumerable.Range(0, Nodes).Select(index => got.Again![index * 7 % Nodes]), got.Kept!);
            foreach (Node node in got.Again!.Where(static node => node.Other is not null))
            {
                Assert.Same(got.Again![node.Other!.Number], node.Other);
            }
        }
    }

    private static Now ReadAsNow(Then then)
    {
        var before = new GraphStore();
        byte[] bytes = before.Write(then);
        return new GraphStore(before).Read<Now>(bytes);
    }

    private static void AssertSame(IEnumerable<Node> expected, IEnumerable<Node> actual)
    {
        Assert.Equal(expected.Count(), actual.Count());
        Assert.True(expected.Zip(actual).All(static pair => ReferenceEquals(pair.First, pair.Second)));
    }

    internal sealed class Node
    {
        public int Number { get; set; }

        public string? Text { get; set; }

        public Node? Other { get; set; }
    }

    internal sealed class Then
    {
        public List<Node>? Gone { get; set; }

        public List<Node>? Kept { get; set; }

        public List<Node>? Again { get; set; }
    }

    [PileName("Pile.Tests.Codecs.OutOfOrderTests+Then")]
    internal sealed class Now
    {
        public List<Node>? Kept { get; set; }

        public List<Node>? Again { get; set; }
    }
}
