using System.Collections.Generic;
using Pile.Compare.Running;

namespace Pile.Compare.Solo;

/// <summary>A figure that is no loop over all contestants: each case runs once, in a process of its own, alone. Every class that
/// implements it takes part.</summary>
internal interface ISolo
{
    /// <summary>Its name in the tables.</summary>
    string Name { get; }

    /// <summary>What exactly runs.</summary>
    string Definition { get; }

    /// <summary>Its cases.</summary>
    IReadOnlyList<string> Cases { get; }

    /// <summary>How many objects it takes for a run of that many.</summary>
    long ObjectsFor(int objects);

    /// <summary>Runs a case, in the child.</summary>
    Dictionary<string, double> Run(string caseName, long objects);

    /// <summary>The rows, in the parent.</summary>
    IEnumerable<RowResult> Rows(long objects, IReadOnlyDictionary<string, IReadOnlyDictionary<string, double>> cases);
}
