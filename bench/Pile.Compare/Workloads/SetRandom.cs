using System;
using System.Collections.Generic;
using Pile.Compare.Contestants;
using Pile.Compare.Running;

namespace Pile.Compare.Workloads;

/// <summary>Random objects replaced.</summary>
internal sealed class SetRandom : IWorkload
{
    internal const string Title = "update, random";

    public string Name => Title;

    public int Order => 23;

    public string Definition => "random objects replaced by as many bytes by one thread; what the store does to make room is in the time";

    public IReadOnlyList<RowSpec> Rows { get; } =
    [
        RowSpec.Faster("Update of random objects vs FasterKV upsert", Title, Entries.Faster, Title, 3, 6),
        RowSpec.Faster("Update of random objects vs ConcurrentDictionary set", Title, Entries.Dictionary, Title, 10, 25),
        RowSpec.FasterCache("cache: Set (replace) vs FasterKV upsert", Title, Entries.Faster, Title, 2, 3),
        RowSpec.FasterCache("cache: Set (replace) vs MemoryCache set", Title, Entries.MemoryCache, Title, 8, 15),
    ];

    public Measured Round<TOperations>(Arena<TOperations> arena, int version)
        where TOperations : struct, IOperations =>
        arena.Measure(1, arena.RandomOperations, (worker, first, count) => Loops.Set(arena.Of(worker), arena.PayloadOf(worker), version, arena.Order.AsSpan(first, count), arena.Shuffled.AsSpan(first, count)));
}
