using System.Collections.Generic;
using Pile.Compare.Contestants;
using Pile.Compare.Running;

namespace Pile.Compare.Workloads;

/// <summary>Existing objects replaced in order, by two threads.</summary>
internal sealed class FillExistingTwo : IWorkload
{
    internal const string Title = "set in order, 2 threads";

    public string Name => Title;

    public int Order => 13;

    public string Definition => "the same by two threads with a half each";

    public IReadOnlyList<RowSpec> Rows { get; } = [];

    public Measured Round<TOperations>(Arena<TOperations> arena, int version)
        where TOperations : struct, IOperations =>
        Fill.Existing(arena, version, workers: 2);
}
