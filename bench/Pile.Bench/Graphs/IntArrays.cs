using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using Pile.Bench.Running;

namespace Pile.Bench.Graphs;

/// <summary>int[1000] as a graph, against a copy of its bytes.</summary>
internal sealed class IntArrays : IWorkload
{
    private const int Operations = 2000;
    private const int Items = 1000;
    private readonly BareCodec _codec = new();
    private readonly int[] _items = new int[Items];
    private readonly byte[] _target = new byte[Items * sizeof(int)];
    private readonly byte[] _stored;
    private readonly FreshContender[] _contenders;

    internal IntArrays()
    {
        for (int index = 0; index < Items; index++)
        {
            _items[index] = index * 7919;
        }

        _stored = _codec.ToArray(_items);
        _contenders =
        [
            new("write", Operations, static () => { }, Write),
            new("copy", Operations, static () => { }, Copy),
            new("read", Operations, static () => { }, Read),
            new("copy-back", Operations, static () => { }, CopyBack),
        ];
    }

    public IReadOnlyList<Row> Rows { get; } =
    [
        Row.Slower("int[1000]: write vs memcpy", "write", "copy", 2, null,
            "an array as the root of a graph into the codec's reused buffer. Theirs: CopyTo of its bytes."),
        Row.Slower("int[1000]: read vs uninitialised array + memcpy", "read", "copy-back", 1.3, null,
            "Theirs: GC.AllocateUninitializedArray and CopyTo."),
    ];

    public void Prepare() => FreshPasses.Warm(_contenders);

    public void Round(Samples samples) => FreshPasses.Interleave(samples, _contenders);

    public void Dispose() => _codec.Dispose();

    private long Write()
    {
        long bytes = 0;
        for (int index = 0; index < Operations; index++)
        {
            bytes += _codec.Write(_items);
        }

        return bytes;
    }

    private long Copy()
    {
        long sum = 0;
        for (int index = 0; index < Operations; index++)
        {
            MemoryMarshal.AsBytes(_items.AsSpan()).CopyTo(_target);
            sum += _target[index];
        }

        return sum;
    }

    private long Read()
    {
        long sum = 0;
        for (int index = 0; index < Operations; index++)
        {
            sum += _codec.Read<int[]>(_stored)[5];
        }

        return sum;
    }

    private long CopyBack()
    {
        long sum = 0;
        for (int index = 0; index < Operations; index++)
        {
            int[] items = GC.AllocateUninitializedArray<int>(Items);
            _target.CopyTo(MemoryMarshal.AsBytes(items.AsSpan()));
            sum += items[5];
        }

        return sum;
    }
}
