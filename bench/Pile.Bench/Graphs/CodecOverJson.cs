using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.Json.Serialization.Metadata;
using Pile.Bench.Running;

namespace Pile.Bench.Graphs;

/// <summary>One class through the bare codec and through System.Text.Json: write, read, bytes.</summary>
/// <typeparam name="T">The class.</typeparam>
/// <typeparam name="TCalls">The calls with the class written out, as a program has them: code shared by all classes would look
/// up T again and again.</typeparam>
internal sealed class CodecOverJson<T, TCalls> : IWorkload
    where T : class
    where TCalls : struct, ICodecCalls<T>
{
    private const int Objects = 1000;
    private const int Passes = 4;
    private readonly BareCodec _codec = new();
    private readonly JsonText<T> _json;
    private readonly T[] _fresh = new T[Objects];
    private readonly byte[][] _stored = new byte[Objects][];
    private readonly byte[][] _texts = new byte[Objects][];
    private readonly FreshContender[] _contenders;
    private readonly Func<int, T> _make;
    private int _made;

    internal CodecOverJson(string name, Func<int, T> make, JsonTypeInfo<T> type, (double Must, double Reach) write, (double Must, double Reach) read)
    {
        _make = make;
        _json = new JsonText<T>(type);
        Rows =
        [
            Row.Faster($"{name}: write vs System.Text.Json", "write", "json-write", write.Must, write.Reach,
                $"{Objects:N0} fresh objects a turn into the codec's reused buffer. Theirs: generated code, one Utf8JsonWriter and one buffer reused."),
            Row.Faster($"{name}: read vs System.Text.Json", "read", "json-read", read.Must, read.Reach,
                $"{Objects:N0} payloads four times over. Theirs: JsonSerializer.Deserialize of UTF-8 with generated code. What both allocate is collected in their own time."),
            Row.Slower($"{name}: bytes vs System.Text.Json", "bytes", "json-bytes", 0.45, 0.38,
                "mean bytes of an object; no schema in either, ours is stored once a pile.") with { Unit = "B" },
        ];
        Fill();
        for (int index = 0; index < Objects; index++)
        {
            _stored[index] = TCalls.ToArray(_codec, _fresh[index]);
            _texts[index] = _json.ToArray(_fresh[index]);
        }

        _contenders =
        [
            new("write", Objects, Fill, Write),
            new("json-write", Objects, Fill, WriteJson),
            new("read", Objects * Passes, Drop, Read),
            new("json-read", Objects * Passes, Drop, ReadJson),
        ];
    }

    public IReadOnlyList<Row> Rows { get; }

    public void Prepare() => FreshPasses.Warm(_contenders);

    public void Round(Samples samples)
    {
        FreshPasses.Interleave(samples, _contenders);
        double ours = _stored.Average(bytes => bytes.Length);
        double theirs = _texts.Average(bytes => bytes.Length);
        samples.Keep("bytes", new Spent(ours, ours));
        samples.Keep("json-bytes", new Spent(theirs, theirs));
    }

    public void Dispose()
    {
        _codec.Dispose();
        _json.Dispose();
    }

    private void Fill()
    {
        for (int index = 0; index < _fresh.Length; index++)
        {
            _fresh[index] = _make(_made++ % 1_000_000);
        }
    }

    /// <summary>Lets go of what was written: the collector would move it again and again while others read.</summary>
    private void Drop() => Array.Clear(_fresh);

    private long Write()
    {
        long bytes = 0;
        foreach (T value in _fresh)
        {
            bytes += TCalls.Write(_codec, value);
        }

        return bytes;
    }

    private long WriteJson()
    {
        long bytes = 0;
        foreach (T value in _fresh)
        {
            bytes += _json.Write(value);
        }

        return bytes;
    }

    private long Read()
    {
        long sum = 0;
        for (int pass = 0; pass < Passes; pass++)
        {
            foreach (byte[] payload in _stored)
            {
                sum += TCalls.Read(_codec, payload) is null ? 0 : 1;
            }
        }

        return sum;
    }

    private long ReadJson()
    {
        long sum = 0;
        for (int pass = 0; pass < Passes; pass++)
        {
            foreach (byte[] text in _texts)
            {
                sum += _json.Read(text) is null ? 0 : 1;
            }
        }

        return sum;
    }
}
