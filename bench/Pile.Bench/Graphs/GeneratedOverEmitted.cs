using System.Collections.Generic;
using Pile.Bench.Running;
using Pile.Codecs;

namespace Pile.Bench.Graphs;

/// <summary>One marked class through the generated plan, and through the emitted one.</summary>
internal sealed class GeneratedOverEmitted : IWorkload
{
    private const int Objects = 1000;
    private const int Passes = 4;
    private const int TurnsOfReaders = 64;
    private readonly BareCodec _generated = new();
    private readonly BareCodec _emitted = new(PlanMode.Emitted);
    private readonly MarkedPerson[] _fresh = new MarkedPerson[Objects];
    private readonly byte[][] _stored = new byte[Objects][];
    private readonly FreshContender[] _writers;
    private readonly FreshContender[] _readers;
    private readonly FreshContender[] _both;
    private int _made;

    internal GeneratedOverEmitted()
    {
        Fill();
        for (int index = 0; index < Objects; index++)
        {
            _stored[index] = _generated.ToArray(_fresh[index]);
            _ = _emitted.ToArray(_fresh[index]);
        }

        _writers = [new("generated-write", Objects, Fill, () => Write(_generated)), new("emitted-write", Objects, Fill, () => Write(_emitted))];
        _readers =
        [
            new("generated-read", Objects * Passes, static () => { }, () => Read(_generated, Passes)),
            new("emitted-read", Objects * Passes, static () => { }, () => Read(_emitted, Passes)),
        ];
        _both =
        [
            new("generated-both", Objects, Fill, () => Write(_generated) + Read(_generated, passes: 1)),
            new("emitted-both", Objects, Fill, () => Write(_emitted) + Read(_emitted, passes: 1)),
        ];
    }

    public IReadOnlyList<Row> Rows { get; } =
    [
        Row.Slower("generated vs emitted plan: write and read", "generated-both", "emitted-both", 1, 0.6,
            "1,000 fresh persons of a class marked [PileObject], each written once and read once. Theirs: the same class in a pile that uses emitted plans."),
        Row.Slower("generated vs emitted plan: write", "generated-write", "emitted-write", null, null, "the first half of that alone."),
        Row.Slower("generated vs emitted plan: read", "generated-read", "emitted-read", null, null, "the second half alone, four times over."),
    ];

    public void Prepare() => FreshPasses.Warm([.. _writers, .. _readers, .. _both]);

    /// <summary>Two at a time, so that each comes after itself and after the other equally often: a reader right after a writer begins with a
    /// cold cache. Readers in as many turns as let the collector stop both equally often.</summary>
    public void Round(Samples samples)
    {
        FreshPasses.Interleave(samples, _writers);
        FreshPasses.Interleave(samples, _readers, TurnsOfReaders);
        FreshPasses.Interleave(samples, _both, TurnsOfReaders);
    }

    public void Dispose()
    {
        _generated.Dispose();
        _emitted.Dispose();
    }

    private void Fill()
    {
        for (int index = 0; index < _fresh.Length; index++)
        {
            _fresh[index] = MarkedPerson.Of(Made.Person(_made++ % 1_000_000));
        }
    }

    private long Write(BareCodec codec)
    {
        long bytes = 0;
        foreach (MarkedPerson person in _fresh)
        {
            bytes += codec.Write(person);
        }

        return bytes;
    }

    private long Read(BareCodec codec, int passes)
    {
        long sum = 0;
        for (int pass = 0; pass < passes; pass++)
        {
            foreach (byte[] payload in _stored)
            {
                sum += codec.Read<MarkedPerson>(payload).Level;
            }
        }

        return sum;
    }
}
