using System.Collections.Generic;
using Pile.Compare.Contestants;
using Pile.Compare.Running;

namespace Pile.Compare.Workloads;

/// <summary>A store filled after it was emptied, by two threads.</summary>
internal sealed class FillFreshTwo : IWorkload
{
    internal const string Title = "put, 2 threads";

    public string Name => Title;

    public int Order => 12;

    public string Definition => "the same by two threads with a half each";

    public IReadOnlyList<RowSpec> Rows { get; } =
    [
        RowSpec.Faster("Put (recycled) vs FasterKV upsert of existing keys, 2 threads", Title, Entries.Faster, FillExistingTwo.Title, 8, 20),
        RowSpec.Faster("Put (recycled) vs FasterKV upsert of fresh keys, 2 threads", Title, Entries.Faster, Title, 8, 20),
        RowSpec.Faster("Put (recycled) vs ConcurrentDictionary add, 2 threads", Title, Entries.Dictionary, Title),
    ];

    public Measured Round<TOperations>(Arena<TOperations> arena, int version)
        where TOperations : struct, IOperations =>
        Fill.Fresh(arena, version, workers: 2);
}
