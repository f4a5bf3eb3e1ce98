using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Compare.Contestants;

namespace Pile.Compare.Workloads;

/// <summary>All workloads of this assembly, found by what they implement.</summary>
internal static class WorkloadList
{
    /// <summary>In the order in which they run.</summary>
    internal static IReadOnlyList<IWorkload> All { get; } = [.. Entries.Found<IWorkload>().OrderBy(workload => workload.Order)];

    /// <summary>One of them.</summary>
    /// <exception cref="ArgumentException">There is none of that name.</exception>
    internal static IWorkload Of(string name) => All.FirstOrDefault(workload => workload.Name == name)
        ?? throw new ArgumentException($"There is no workload '{name}': {string.Join("; ", All.Select(workload => workload.Name))}.");
}
