using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using Pile.Bench.Running;

namespace Pile.Bench.Workloads;

/// <summary>Two piles used in turn by one thread, against one pile.</summary>
internal sealed class TwoPiles : IWorkload
{
    private readonly int _count;
    private readonly int _half;
    private readonly ObjectPile _one = ObjectPile.Create();
    private readonly ObjectPile _first = ObjectPile.Create();
    private readonly ObjectPile _second = ObjectPile.Create();
    private readonly byte[] _payload = Data.Payload();
    private readonly PilePointer[] _pointersOne;
    private readonly PilePointer[] _pointersFirst;
    private readonly PilePointer[] _pointersSecond;
    private readonly int[] _order;
    private readonly int[] _orderHalf;

    internal TwoPiles(BenchSettings settings)
    {
        _count = settings.Objects & ~1;
        _half = _count / 2;
        _pointersOne = Data.Fill(_one, _count);
        _pointersFirst = Data.Fill(_first, _half);
        _pointersSecond = Data.Fill(_second, _half);
        _order = Data.Order(_count);
        _orderHalf = Data.Order(_half);
    }

    public IReadOnlyList<Row> Rows { get; } =
    [
        Row.Slower("two piles in turn vs one: Put", "put-two", "put-one", must: 1.3, reach: 1.1,
            "Put of 100 B into recycled memory, to two piles in turn. Theirs: as many to one pile."),
        Row.Slower("two piles in turn vs one: lease", "lease-two", "lease-one", must: 1.3, reach: 1.1,
            "random leases from two piles of half the objects in turn. Theirs: from one pile of all."),
    ];

    public void Prepare()
    {
        using ObjectPile first = ObjectPile.Create();
        using ObjectPile second = ObjectPile.Create();
        var pointers = new PilePointer[Passes.ChunkOperations];
        Passes.Warm(_half, (_, count) =>
        {
            int half = count / 2;
            first.Clear();
            second.Clear();
            PutTurns(first, second, _payload, pointers.AsSpan(0, half), pointers.AsSpan(half, half));
            LeaseTurns(first, second, pointers.AsSpan(0, half), pointers.AsSpan(half, half));
            first.Clear();
            Loops.Put(first, _payload, pointers.AsSpan(0, half));
            return Loops.LeaseEnds(first, pointers.AsSpan(0, half));
        });
    }

    public void Round(Samples samples)
    {
        _one.Clear();
        samples.Keep("put-one", Passes.Time(_count, (first, count) => Loops.Put(_one, _payload, _pointersOne.AsSpan(first, count))));
        _first.Clear();
        _second.Clear();
        samples.Keep("put-two", Passes.Time(_half, (first, count) =>
            PutTurns(_first, _second, _payload, _pointersFirst.AsSpan(first, count), _pointersSecond.AsSpan(first, count))) / 2);

        PilePointer[] one = Data.Shuffled(_pointersOne, _order);
        PilePointer[] two = Data.Shuffled(_pointersFirst, _orderHalf);
        PilePointer[] three = Data.Shuffled(_pointersSecond, _orderHalf);
        var leases = new Samples();
        Passes.Interleave(
            leases,
            _half,
            new("lease-one", (first, count) => Loops.LeaseEnds(_one, one.AsSpan(first * 2, count * 2))),
            new("lease-two", (first, count) => LeaseTurns(_first, _second, two.AsSpan(first, count), three.AsSpan(first, count))));
        foreach (string series in leases.Wall.Keys)
        {
            samples.Keep(series, new Spent(leases.Wall[series], leases.Cpu[series]) / 2);
        }
    }

    public void Dispose()
    {
        _one.Dispose();
        _first.Dispose();
        _second.Dispose();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long PutTurns(ObjectPile first, ObjectPile second, byte[] payload, Span<PilePointer> one, Span<PilePointer> two)
    {
        for (int index = 0; index < one.Length && index < two.Length; index++)
        {
            one[index] = first.PutBytes(payload);
            two[index] = second.PutBytes(payload);
        }

        return one.Length;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long LeaseTurns(ObjectPile first, ObjectPile second, ReadOnlySpan<PilePointer> one, ReadOnlySpan<PilePointer> two)
    {
        long sum = 0;
        for (int index = 0; index < one.Length && index < two.Length; index++)
        {
            using (PileLease lease = first.Lease(one[index]))
            {
                ReadOnlySpan<byte> bytes = lease.Bytes;
                sum += bytes[0] + bytes[Data.LastByte];
            }

            using (PileLease lease = second.Lease(two[index]))
            {
                ReadOnlySpan<byte> bytes = lease.Bytes;
                sum += bytes[0] + bytes[Data.LastByte];
            }
        }

        return sum;
    }
}
