using System;
using System.Collections.Generic;
using Pile.Compare.Contestants;
using Pile.Compare.Running;

namespace Pile.Compare.Workloads;

/// <summary>Random objects looked at in place.</summary>
internal sealed class TouchRandom : IWorkload
{
    internal const string Title = "lease or get, random";

    public string Name => Title;

    public int Order => 20;

    public string Definition => "the first and last byte of random objects, without a copy: Pile by Lease, FasterKV inside its reader function, the others by reference";

    public IReadOnlyList<RowSpec> Rows { get; } =
    [
        RowSpec.Faster("lease by random pointer vs FasterKV read", Title, Entries.Faster, Title, 4, 6),
        RowSpec.Faster("lease by random pointer vs ConcurrentDictionary reference get", Title, Entries.Dictionary, Title),
    ];

    public Measured Round<TOperations>(Arena<TOperations> arena, int version)
        where TOperations : struct, IOperations =>
        arena.Measure(1, arena.RandomOperations, (worker, first, count) => Loops.Touch(arena.Of(worker), arena.Shuffled.AsSpan(first, count)));
}
