using System.Collections.Generic;
using System.Text.Json.Serialization;

namespace Pile.Bench.Graphs;

/// <summary>System.Text.Json's generated code for the classes that are compared.</summary>
[JsonSerializable(typeof(Person))]
[JsonSerializable(typeof(Invoice))]
[JsonSerializable(typeof(List<Node>))]
internal sealed partial class GraphJson : JsonSerializerContext;
