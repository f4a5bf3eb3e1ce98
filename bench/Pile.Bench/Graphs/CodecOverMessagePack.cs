using System;
using System.Buffers;
using System.Collections.Generic;
using System.Linq;
using MessagePack;
using Pile.Bench.Running;

namespace Pile.Bench.Graphs;

/// <summary>A plain person through the bare codec, and one with attributes through MessagePack-CSharp: write, read, bytes.</summary>
internal sealed class CodecOverMessagePack : IWorkload
{
    private const int Objects = 1000;
    private const int Passes = 4;
    private readonly BareCodec _codec = new();
    private readonly ArrayBufferWriter<byte> _buffer = new(1 << 12);
    private readonly Person[] _fresh = new Person[Objects];
    private readonly KeyedPerson[] _keyed = new KeyedPerson[Objects];
    private readonly byte[][] _stored = new byte[Objects][];
    private readonly byte[][] _theirs = new byte[Objects][];
    private readonly FreshContender[] _contenders;
    private int _made;

    internal CodecOverMessagePack()
    {
        Fill();
        FillKeyed();
        for (int index = 0; index < Objects; index++)
        {
            _stored[index] = _codec.ToArray(_fresh[index]);
            _theirs[index] = MessagePackSerializer.Serialize(KeyedPerson.Of(_fresh[index]));
        }

        _contenders =
        [
            new("write", Objects, Fill, () => _fresh.Sum(value => (long)_codec.Write(value))),
            new("their-write", Objects, FillKeyed, () => _keyed.Sum(WriteTheirs)),
            new("read", Objects * Passes, Drop, () => Sum(_stored, payload => _codec.Read<Person>(payload).Level)),
            new("their-read", Objects * Passes, Drop, () => Sum(_theirs, static payload => MessagePackSerializer.Deserialize<KeyedPerson>(payload).Level)),
        ];
    }

    public IReadOnlyList<Row> Rows { get; } =
    [
        Row.Faster("Person: write vs MessagePack-CSharp", "write", "their-write", 2.5, null,
            "1,000 fresh objects a turn into the codec's reused buffer. Theirs: MessagePackSerializer.Serialize of a class with its attributes, standard resolver, one buffer reused."),
        Row.Faster("Person: read vs MessagePack-CSharp", "read", "their-read", 2.5, null, "1,000 payloads four times over. Theirs: MessagePackSerializer.Deserialize of arrays."),
        Row.Slower("Person: bytes vs MessagePack-CSharp", "bytes", "their-bytes", null, null, "mean bytes of an object.") with { Unit = "B" },
    ];

    public void Prepare() => FreshPasses.Warm(_contenders);

    public void Round(Samples samples)
    {
        FreshPasses.Interleave(samples, _contenders);
        double ours = _stored.Average(static bytes => bytes.Length);
        double theirs = _theirs.Average(static bytes => bytes.Length);
        samples.Keep("bytes", new Spent(ours, ours));
        samples.Keep("their-bytes", new Spent(theirs, theirs));
    }

    public void Dispose() => _codec.Dispose();

    private void Fill()
    {
        for (int index = 0; index < _fresh.Length; index++)
        {
            _fresh[index] = Made.Person(_made++ % 1_000_000);
        }
    }

    private void FillKeyed()
    {
        for (int index = 0; index < _keyed.Length; index++)
        {
            _keyed[index] = KeyedPerson.Of(Made.Person(_made++ % 1_000_000));
        }
    }

    private void Drop()
    {
        Array.Clear(_fresh);
        Array.Clear(_keyed);
    }

    private long WriteTheirs(KeyedPerson value)
    {
        _buffer.ResetWrittenCount();
        MessagePackSerializer.Serialize(_buffer, value);
        return _buffer.WrittenCount;
    }

    private static long Sum(byte[][] payloads, Func<byte[], int> read)
    {
        long sum = 0;
        for (int pass = 0; pass < Passes; pass++)
        {
            foreach (byte[] payload in payloads)
            {
                sum += read(payload);
            }
        }

        return sum;
    }
}
