using System.Collections.Generic;
using Pile.Compare.Contestants;
using Pile.Compare.Running;

namespace Pile.Compare.Workloads;

/// <summary>Existing objects replaced in order, by one thread.</summary>
internal sealed class FillExisting : IWorkload
{
    internal const string Title = "set in order, 1 thread";

    public string Name => Title;

    public int Order => 11;

    public string Definition => "every object replaced by as many bytes, in the order of the numbers, by one thread";

    public IReadOnlyList<RowSpec> Rows { get; } = [];

    public Measured Round<TOperations>(Arena<TOperations> arena, int version)
        where TOperations : struct, IOperations =>
        Fill.Existing(arena, version, workers: 1);
}
