using System;
using System.Collections.Generic;
using Pile.Compare.Contestants;
using Pile.Compare.Running;

namespace Pile.Compare.Workloads;

/// <summary>Random objects copied, sixteen in a call where there is such a call.</summary>
internal sealed class CopyGroups : IWorkload
{
    internal const string Title = "copy, random, 16 a call";

    public string Name => Title;

    public int Order => 24;

    public string Definition => "random objects copied to the caller's buffer, sixteen in each call of those that have batches, one after the other by those that have none";

    public IReadOnlyList<RowSpec> Rows { get; } =
    [
        RowSpec.Faster("copy by 16 random pointers vs FasterKV read with copy", Title, Entries.Faster, Title),
        RowSpec.FasterCache("cache: GetMany of 16 vs FasterKV read with copy", Title, Entries.Faster, Title, 5, 10),
    ];

    public Measured Round<TOperations>(Arena<TOperations> arena, int version)
        where TOperations : struct, IOperations =>
        arena.Measure(1, arena.RandomOperations, (worker, first, count) => Loops.CopyGroups(arena.Of(worker), arena.TargetOf(worker), arena.Shuffled.AsSpan(first, count)));
}
