using System.Collections.Generic;
using System.Globalization;

namespace Pile.Tests.Codecs.Graphs;

/// <summary>A step on the way from the root of a graph: a field's name or an index.</summary>
internal sealed class GraphStep(GraphStep? from, object part)
{
    private const int PartsMax = 12;

    /// <summary>The last parts of the way.</summary>
    public override string ToString()
    {
        List<string> parts = [];
        for (GraphStep? at = this; at is not null && parts.Count < PartsMax; at = at.From)
        {
            parts.Add(at.Part is int index ? $"[{index.ToString(CultureInfo.InvariantCulture)}]" : $".{at.Part}");
        }

        parts.Reverse();
        return string.Concat(parts).TrimStart('.');
    }

    private GraphStep? From { get; } = from;

    private object Part { get; } = part;
}
