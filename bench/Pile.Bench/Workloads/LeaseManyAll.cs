using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Pile.Bench.Running;

namespace Pile.Bench.Workloads;

/// <summary>LeaseMany against single leases, all bytes read.</summary>
internal sealed class LeaseManyAll : IWorkload
{
    private readonly int _count;
    private readonly ObjectPile _pile = ObjectPile.Create();
    private readonly PilePointer[] _shuffled;

    internal LeaseManyAll(BenchSettings settings)
    {
        _count = settings.Objects;
        _shuffled = Data.Shuffled(Data.Fill(_pile, _count), Data.Order(_count));
    }

    public IReadOnlyList<Row> Rows { get; } =
    [
        Row.Faster("LeaseMany of 16 vs single leases, all 100 B", "many", "single", must: 2, reach: 3,
            "random pointers; both sides add up all bytes, eight at a time. Theirs: Lease and Dispose for each. Throughput, ours over theirs."),
    ];

    public void Prepare() => Passes.Warm(_count, Many, Single);

    public void Round(Samples samples) => Passes.Interleave(samples, _count, new("many", Many), new("single", Single));

    public void Dispose() => _pile.Dispose();

    private long Many(int first, int count) => ManyLoop(_pile, _shuffled.AsSpan(first, count));

    private long Single(int first, int count) => SingleLoop(_pile, _shuffled.AsSpan(first, count));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long ManyLoop(ObjectPile pile, ReadOnlySpan<PilePointer> pointers)
    {
        var visitor = default(AllVisitor);
        for (; pointers.Length >= Loops.Batch; pointers = pointers[Loops.Batch..])
        {
            pile.LeaseMany(pointers[..Loops.Batch], ref visitor);
        }

        pile.LeaseMany(pointers, ref visitor);
        return visitor.Sum;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long SingleLoop(ObjectPile pile, ReadOnlySpan<PilePointer> pointers)
    {
        long sum = 0;
        foreach (PilePointer pointer in pointers)
        {
            using PileLease lease = pile.Lease(pointer);
            sum += Sum(lease.Bytes);
        }

        return sum;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static long Sum(ReadOnlySpan<byte> bytes)
    {
        long sum = 0;
        foreach (long word in MemoryMarshal.Cast<byte, long>(bytes))
        {
            sum += word;
        }

        foreach (byte rest in bytes[(bytes.Length & ~7)..])
        {
            sum += rest;
        }

        return sum;
    }

    private struct AllVisitor : IPileVisitor
    {
        internal long Sum;

        public void Visit(int index, PileStatus status, ReadOnlySpan<byte> bytes) => Sum += LeaseManyAll.Sum(bytes);
    }
}
