using System.Text.Json.Serialization;

namespace Pile.Bench.Graphs;

/// <summary>A node of a linked list; System.Text.Json is spared the links and writes a flat list of the same nodes.</summary>
public sealed class Node
{
    public int Value { get; set; }

    [JsonIgnore]
    public Node? Next { get; set; }
}
