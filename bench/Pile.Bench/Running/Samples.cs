using System.Collections.Generic;

namespace Pile.Bench.Running;

/// <summary>The figures of one round, by series: nanoseconds per operation unless a workload says otherwise.</summary>
internal sealed class Samples
{
    private readonly SortedDictionary<string, double> _values = [];

    /// <summary>All of them.</summary>
    public IReadOnlyDictionary<string, double> Values => _values;

    /// <summary>One series.</summary>
    public double this[string series]
    {
        get => _values[series];
        set => _values[series] = value;
    }
}
