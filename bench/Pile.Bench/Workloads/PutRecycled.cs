using System;
using System.Collections.Generic;
using Pile.Bench.Baselines;
using Pile.Bench.Running;

namespace Pile.Bench.Workloads;

/// <summary>Put into memory used before, against a bare loop that copies the same bytes into a ring.</summary>
internal sealed class PutRecycled(BenchSettings settings, int payloadBytes) : IWorkload
{
    private readonly ObjectPile _pile = ObjectPile.Create();
    private readonly NativeBlock _ring = new NativeBlock((long)settings.Objects * payloadBytes).Touched();
    private readonly byte[] _payload = Data.Payload(payloadBytes);
    private readonly PilePointer[] _pointers = new PilePointer[Passes.ChunkOperations];
    private int _round;

    public IReadOnlyList<Row> Rows { get; } =
    [
        Row.Slower($"Put {payloadBytes} B, recycled, vs ring copy", "put", "ring",
            must: payloadBytes switch { 32 => 4, 100 => 3, _ => 2.5 },
            reach: payloadBytes switch { 32 => 3, _ => 2 },
            $"fill, Clear, fill; the second is timed, its pointers kept by the chunk of 10,000. Theirs: Span.CopyTo of the same {payloadBytes} B to "
            + "consecutive places of a ring of objects x payload bytes, touched before, in pages as the C library gives them."),
    ];

    public void Prepare()
    {
        using ObjectPile small = ObjectPile.Create();
        Passes.Warm(
            settings.Objects,
            (_, count) =>
            {
                small.Clear();
                return Loops.Put(small, _payload, _pointers.AsSpan(0, count));
            },
            (first, count) => RingCopy.Run(_payload, _ring, first, count));
        _ = Put();
        _ = Ring();
    }

    public void Round(Samples samples)
    {
        bool oursFirst = (_round++ & 1) == 0;
        if (!oursFirst)
        {
            samples.Keep("ring", Ring());
        }

        _pile.Clear();
        samples.Keep("put", Put());
        if (oursFirst)
        {
            samples.Keep("ring", Ring());
        }
    }

    public void Dispose()
    {
        _pile.Dispose();
        _ring.Dispose();
    }

    private Spent Put() => Passes.Time(settings.Objects, (_, count) => Loops.Put(_pile, _payload, _pointers.AsSpan(0, count)));

    private Spent Ring() => Passes.Time(settings.Objects, (first, count) => RingCopy.Run(_payload, _ring, first, count));
}
