using System;
using System.Collections.Generic;
using Pile.Compare.Contestants;
using Pile.Compare.Running;

namespace Pile.Compare.Workloads;

/// <summary>Random objects copied.</summary>
internal sealed class CopyRandom : IWorkload
{
    internal const string Title = "copy, random";

    public string Name => Title;

    public int Order => 21;

    public string Definition => "random objects copied to the caller's buffer";

    public IReadOnlyList<RowSpec> Rows { get; } =
    [
        RowSpec.Faster("copy by random pointer vs FasterKV read with copy", Title, Entries.Faster, Title, 2.5, 3.5),
        RowSpec.Faster("copy by random pointer vs ConcurrentDictionary get-and-copy", Title, Entries.Dictionary, Title, 1.2, 1.8),
        RowSpec.FasterCache("cache: Get into span vs FasterKV read with copy", Title, Entries.Faster, Title, 2, 3),
        RowSpec.FasterCache("cache: Get into span vs MemoryCache get and copy", Title, Entries.MemoryCache, Title, 2.5, 5),
        RowSpec.FasterCache("cache: Get into span vs MemoryCache reference get", Title, Entries.MemoryCache, TouchRandom.Title),
    ];

    public Measured Round<TOperations>(Arena<TOperations> arena, int version)
        where TOperations : struct, IOperations =>
        arena.Measure(1, arena.RandomOperations, (worker, first, count) => Loops.Copy(arena.Of(worker), arena.TargetOf(worker), arena.Shuffled.AsSpan(first, count)));
}
