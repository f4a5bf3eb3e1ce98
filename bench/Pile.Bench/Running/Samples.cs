using System.Collections.Generic;

namespace Pile.Bench.Running;

/// <summary>The figures of one round by series, nanoseconds per operation on both clocks.</summary>
internal sealed class Samples
{
    private readonly SortedDictionary<string, double> _wall = [];
    private readonly SortedDictionary<string, double> _cpu = [];

    /// <summary>By the wall clock.</summary>
    public IReadOnlyDictionary<string, double> Wall => _wall;

    /// <summary>By the thread's processor time.</summary>
    public IReadOnlyDictionary<string, double> Cpu => _cpu;

    /// <summary>Keeps a series.</summary>
    public void Keep(string series, Spent spent) => (_wall[series], _cpu[series]) = (spent.WallNs, spent.CpuNs);
}
