using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Compare.Contestants;

namespace Pile.Compare.Solo;

/// <summary>All solo workloads of this assembly, found by what they implement.</summary>
internal static class SoloList
{
    internal static IReadOnlyList<ISolo> All { get; } = [.. Entries.Found<ISolo>()];

    /// <summary>One of them.</summary>
    /// <exception cref="ArgumentException">There is none of that name.</exception>
    internal static ISolo Of(string name) => All.FirstOrDefault(solo => solo.Name == name)
        ?? throw new ArgumentException($"There is no solo workload '{name}': {string.Join(", ", All.Select(solo => solo.Name))}.");
}
