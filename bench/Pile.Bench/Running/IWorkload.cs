using System;
using System.Collections.Generic;

namespace Pile.Bench.Running;

/// <summary>One comparison: what is prepared once, what runs in each round, and the rows it yields. A workload a file.</summary>
internal interface IWorkload : IDisposable
{
    /// <summary>The rows that its samples make.</summary>
    IReadOnlyList<Row> Rows { get; }

    /// <summary>Fills piles, touches memory, and brings every loop to its last tier.</summary>
    void Prepare();

    /// <summary>Runs every contender once, ours and theirs in turn.</summary>
    void Round(Samples samples);
}
