using System.Collections.Generic;
using System.Linq;

namespace Pile.Tests.Model;

/// <summary>How often a run crossed each boundary. A run that crossed one never has shown nothing there.</summary>
internal sealed class ModelCoverage
{
    private readonly SortedDictionary<string, long> _counts = new(System.StringComparer.Ordinal);

    internal ModelCoverage()
    {
        foreach (string boundary in new[]
        {
            "segments rolled", "cleaner passes", "records moved", "full answered", "slots recycled", "slots pooled", "large created",
            "large freed", "memory given back", "leases nested", "pins across cleaning", "clears", "compactions", "enumerations",
            "stale probes", "limit changes", "takes", "changes",
        })
        {
            this[boundary] = 0;
        }
    }

    internal long this[string boundary]
    {
        get => _counts.GetValueOrDefault(boundary);
        set => _counts[boundary] = value;
    }

    /// <summary>The boundaries never crossed.</summary>
    internal IEnumerable<string> Missing => _counts.Where(count => count.Value == 0).Select(count => count.Key);

    /// <summary>Adds the counts of another run.</summary>
    internal void Add(ModelCoverage other)
    {
        foreach ((string boundary, long count) in other._counts)
        {
            this[boundary] += count;
        }
    }

    public override string ToString() => string.Join(", ", _counts.Select(count => $"{count.Key} {count.Value:N0}"));
}
