using System.Collections.Generic;
using Pile.Compare.Contestants;
using Pile.Compare.Running;

namespace Pile.Compare.Workloads;

/// <summary>A store filled after it was emptied, by one thread.</summary>
internal sealed class FillFresh : IWorkload
{
    internal const string Title = "put, 1 thread";

    public string Name => Title;

    public int Order => 10;

    public string Definition => "the store is emptied (not timed), then all objects are put in the order of their numbers by one thread; keyed stores get keys that they do not hold";

    public IReadOnlyList<RowSpec> Rows { get; } =
    [
        RowSpec.Faster("Put (recycled) vs FasterKV upsert of existing keys, 1 thread", Title, Entries.Faster, FillExisting.Title, 8, 20),
        RowSpec.Faster("Put (recycled) vs FasterKV upsert of fresh keys, 1 thread", Title, Entries.Faster, Title, 8, 20),
        RowSpec.Faster("Put (recycled) vs ConcurrentDictionary add, 1 thread", Title, Entries.Dictionary, Title),
    ];

    public Measured Round<TOperations>(Arena<TOperations> arena, int version)
        where TOperations : struct, IOperations =>
        Fill.Fresh(arena, version, workers: 1);
}
