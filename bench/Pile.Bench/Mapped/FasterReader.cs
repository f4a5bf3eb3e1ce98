using System;
using FASTER.core;
using Pile.Bench.Workloads;

namespace Pile.Bench.Mapped;

/// <summary>FasterKV with entries of 8-byte keys, all in memory, and one session that copies what it reads.</summary>
internal sealed class FasterReader : IDisposable
{
    private readonly IDevice _log;
    private readonly FasterKV<long, SpanByte> _store;
    private readonly Copies _copies = new();
    private readonly ClientSession<long, SpanByte, SpanByte, int, Empty, Copies> _session;

    internal FasterReader(string directory, int entries)
    {
        _log = FasterFiles.Log(directory);
        _store = FasterFiles.Open(_log, directory, entries);
        _session = _store.For(_copies).NewSession<Copies>();
        byte[] payload = GC.AllocateArray<byte>(Data.PayloadBytes, pinned: true);
        Data.Payload().CopyTo(payload, 0);
        for (long key = 0; key < entries; key++)
        {
            var value = SpanByte.FromFixedSpan(payload);
            _ = _session.Upsert(ref key, ref value);
        }
    }

    /// <summary>Reads keys, each into the same bytes; the sum of the last bytes.</summary>
    internal long Read(ReadOnlySpan<int> keys, byte[] target)
    {
        _copies.Target = target;
        long sum = 0;
        foreach (int at in keys)
        {
            long key = at;
            int bytes = 0;
            if (!_session.Read(ref key, ref bytes).Found || bytes != target.Length)
            {
                throw new InvalidOperationException($"FasterKV has no entry {at}.");
            }

            sum += target[Data.LastByte];
        }

        return sum;
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _session.Dispose();
        _store.Dispose();
        _log.Dispose();
    }

    /// <summary>A read copies what it found, and tells how long it was.</summary>
    private sealed class Copies : FunctionsBase<long, SpanByte, SpanByte, int, Empty>
    {
        internal byte[] Target { get; set; } = [];

        public override bool SingleReader(ref long key, ref SpanByte input, ref SpanByte value, ref int dst, ref ReadInfo readInfo) => Copy(ref value, ref dst);

        public override bool ConcurrentReader(ref long key, ref SpanByte input, ref SpanByte value, ref int dst, ref ReadInfo readInfo) => Copy(ref value, ref dst);

        private bool Copy(ref SpanByte value, ref int bytes)
        {
            ReadOnlySpan<byte> found = value.AsReadOnlySpan();
            found.CopyTo(Target);
            bytes = found.Length;
            return true;
        }
    }
}
