using System;
using Pile.Compare.Contestants;
using Pile.Compare.Running;

namespace Pile.Compare.Workloads;

/// <summary>All objects written in the order of their numbers, by one thread or by two with a half each.</summary>
internal static class Fill
{
    /// <summary>Into a store just emptied; memory is there from the fill before, where the store keeps it.</summary>
    internal static Measured Fresh<TOperations>(Arena<TOperations> arena, int version, int workers)
        where TOperations : struct, IOperations
    {
        arena.Clear();
        Measured measured = arena.Measure(workers, arena.Objects / workers, (worker, first, count) =>
        {
            int start = (worker * (arena.Objects / workers)) + first;
            return Loops.Put(arena.Of(worker), arena.PayloadOf(worker), version, start, arena.Handles.AsSpan(start, count));
        });
        if (workers * (arena.Objects / workers) < arena.Objects)
        {
            int last = arena.Objects - 1;
            _ = Loops.Put(arena.Of(0), arena.PayloadOf(0), version, last, arena.Handles.AsSpan(last));
        }

        arena.Shuffle();
        return measured;
    }

    /// <summary>Over objects that are there.</summary>
    internal static Measured Existing<TOperations>(Arena<TOperations> arena, int version, int workers)
        where TOperations : struct, IOperations =>
        arena.Measure(workers, arena.Objects / workers, (worker, first, count) =>
        {
            int start = (worker * (arena.Objects / workers)) + first;
            return Loops.Set(arena.Of(worker), arena.PayloadOf(worker), version, arena.Numbers.AsSpan(start, count), arena.Handles.AsSpan(start, count));
        });
}
