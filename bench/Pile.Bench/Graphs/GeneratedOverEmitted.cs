using System.Collections.Generic;
using Pile.Bench.Running;
using Pile.Codecs;

namespace Pile.Bench.Graphs;

/// <summary>One marked class through the generated plan, and through the emitted one.</summary>
internal sealed class GeneratedOverEmitted : IWorkload
{
    private const int Objects = 1000;
    private const int Passes = 4;
    private readonly BareCodec _generated = new();
    private readonly BareCodec _emitted = new(PlanMode.Emitted);
    private readonly MarkedPerson[] _fresh = new MarkedPerson[Objects];
    private readonly byte[][] _stored = new byte[Objects][];
    private readonly FreshContender[] _contenders;
    private int _made;

    internal GeneratedOverEmitted()
    {
        Fill();
        for (int index = 0; index < Objects; index++)
        {
            _stored[index] = _generated.ToArray(_fresh[index]);
            _ = _emitted.ToArray(_fresh[index]);
        }

        _contenders =
        [
            new("generated-write", Objects, Fill, () => Write(_generated)),
            new("emitted-write", Objects, Fill, () => Write(_emitted)),
            new("generated-read", Objects * Passes, static () => { }, () => Read(_generated)),
            new("emitted-read", Objects * Passes, static () => { }, () => Read(_emitted)),
        ];
    }

    public IReadOnlyList<Row> Rows { get; } =
    [
        Row.Slower("generated vs emitted plan: write", "generated-write", "emitted-write", 1, 0.6,
            "1,000 fresh persons of a class marked [PileObject]. Theirs: the same class in a pile that uses emitted plans."),
        Row.Slower("generated vs emitted plan: read", "generated-read", "emitted-read", 1, 0.6, "1,000 payloads four times over. Theirs: as above."),
    ];

    public void Prepare() => FreshPasses.Warm(_contenders);

    public void Round(Samples samples) => FreshPasses.Interleave(samples, _contenders);

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

    private long Read(BareCodec codec)
    {
        long sum = 0;
        for (int pass = 0; pass < Passes; pass++)
        {
            foreach (byte[] payload in _stored)
            {
                sum += codec.Read<MarkedPerson>(payload).Level;
            }
        }

        return sum;
    }
}
