using System;
using System.Collections.Generic;
using Pile.Compare.Contestants;
using Pile.Compare.Running;

namespace Pile.Compare.Workloads;

/// <summary>A few objects looked at again and again.</summary>
internal sealed class TouchHot : IWorkload
{
    internal const string Title = "lease or get, hot";

    private const int HotObjects = 1000;

    public string Name => Title;

    public int Order => 22;

    public string Definition => "1,000 random objects looked at again and again, in place";

    public IReadOnlyList<RowSpec> Rows { get; } =
    [
        RowSpec.Faster("hot lease (1,000 objects) vs ConcurrentDictionary reference get", Title, Entries.Dictionary, Title, 0.5, 1),
        RowSpec.Faster("hot lease (1,000 objects) vs FasterKV read", Title, Entries.Faster, Title),
    ];

    public Measured Round<TOperations>(Arena<TOperations> arena, int version)
        where TOperations : struct, IOperations =>
        arena.Measure(1, arena.RandomOperations, (worker, _, count) =>
        {
            long sum = 0;
            for (int done = 0; done < count; done += HotObjects)
            {
                sum += Loops.Touch(arena.Of(worker), arena.Shuffled.AsSpan(0, int.Min(HotObjects, count - done)));
            }

            return sum;
        });
}
