using System.Collections.Generic;
using Pile.Compare.Contestants;
using Pile.Compare.Running;

namespace Pile.Compare.Workloads;

/// <summary>A loop that every contestant runs, round after round, in turn with the others. Every class that implements it takes
/// part: a new one is a file, and nothing else.</summary>
internal interface IWorkload
{
    /// <summary>Its name in the tables.</summary>
    string Name { get; }

    /// <summary>Its place in the tables, and when it runs.</summary>
    int Order { get; }

    /// <summary>What exactly runs.</summary>
    string Definition { get; }

    /// <summary>What is read off it.</summary>
    IReadOnlyList<RowSpec> Rows { get; }

    /// <summary>Runs a round.</summary>
    /// <param name="arena">The contestant, filled unless this is the first fill.</param>
    /// <param name="version">Goes into every payload that is written, so that all contestants hold equal bytes afterwards.</param>
    Measured Round<TOperations>(Arena<TOperations> arena, int version)
        where TOperations : struct, IOperations;
}
