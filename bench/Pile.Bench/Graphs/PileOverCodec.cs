using System.Collections.Generic;
using Pile.Bench.Running;

namespace Pile.Bench.Graphs;

/// <summary>Put and Get of a person, against the codec alone.</summary>
internal sealed class PileOverCodec : IWorkload
{
    private const int Objects = 1000;
    private readonly ObjectPile _pile = ObjectPile.Create();
    private readonly BareCodec _codec = new();
    private readonly Person[] _fresh = new Person[Objects];
    private readonly byte[][] _stored = new byte[Objects][];
    private readonly PilePointer[] _pointers = new PilePointer[Objects];
    private readonly FreshContender[] _contenders;
    private int _made;

    internal PileOverCodec()
    {
        Fill();
        for (int index = 0; index < Objects; index++)
        {
            _stored[index] = _codec.ToArray(_fresh[index]);
        }

        _contenders =
        [
            new("put", Objects, Refill, Put),
            new("write", Objects, Fill, Write),
            new("get", Objects, static () => { }, Get),
            new("read", Objects, static () => { }, Read),
        ];
    }

    public IReadOnlyList<Row> Rows { get; } =
    [
        Row.Slower("Put of a Person vs the bare codec", "put", "write", 1.5, 1.2,
            "1,000 fresh objects into a pile just cleared. Theirs: the same into the codec's reused buffer."),
        Row.Slower("Get of a Person vs the bare codec", "get", "read", 1.5, 1.2,
            "1,000 objects in cache, in the order of their birth. Theirs: the same from 1,000 arrays."),
    ];

    public void Prepare() => FreshPasses.Warm(_contenders);

    public void Round(Samples samples) => FreshPasses.Interleave(samples, _contenders);

    public void Dispose()
    {
        _pile.Dispose();
        _codec.Dispose();
    }

    private void Refill()
    {
        _pile.Clear();
        Fill();
    }

    private void Fill()
    {
        for (int index = 0; index < _fresh.Length; index++)
        {
            _fresh[index] = Made.Person(_made++ % 1_000_000);
        }
    }

    private long Put()
    {
        for (int index = 0; index < _fresh.Length; index++)
        {
            _pointers[index] = _pile.Put(_fresh[index]);
        }

        return _pointers.Length;
    }

    private long Write()
    {
        long bytes = 0;
        foreach (Person person in _fresh)
        {
            bytes += _codec.Write(person);
        }

        return bytes;
    }

    private long Get()
    {
        long sum = 0;
        foreach (PilePointer pointer in _pointers)
        {
            sum += _pile.Get<Person>(pointer).Level;
        }

        return sum;
    }

    private long Read()
    {
        long sum = 0;
        foreach (byte[] payload in _stored)
        {
            sum += _codec.Read<Person>(payload).Level;
        }

        return sum;
    }
}
