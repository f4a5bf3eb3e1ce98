using System;
using System.Collections.Generic;
using System.IO;
using Pile.Bench.Running;
using Pile.Bench.Workloads;
using Pile.Cache;

namespace Pile.Bench.Mapped;

/// <summary>Random reads of a durable table in files, against those of a speculative one and of FasterKV.</summary>
internal sealed class DurableReads : IWorkload
{
    private readonly Workplace _place;
    private readonly int[] _order;
    private readonly byte[] _target = new byte[Data.PayloadBytes];
    private PileCache? _cache;
    private PileTable<long, byte[]> _durable = null!;
    private PileTable<long, byte[]> _speculative = null!;
    private FasterReader? _faster;

    internal DurableReads(BenchSettings settings)
    {
        _place = Workplace.OnDisk(settings, "durable-reads");
        _order = Data.Order(settings.Objects);
        string what = $"{settings.Objects:N0} entries, 8-byte keys, 100 B values, Get into a span, each once, in random order; a PowerSafe cache in files, opened again after a close.";
        Rows =
        [
            Row.Slower("cache, durable table in files: Get into span vs a speculative one", "durable", "speculative", null, null, $"{what} Theirs: a speculative table of the same cache."),
            Row.Faster("cache, durable table in files: Get into span vs FasterKV read with copy", "durable", "faster", 2, 3, $"{what} Theirs: FasterKV with all of its log in memory, by one session, without locks."),
        ];
    }

    public IReadOnlyList<Row> Rows { get; }

    public void Prepare()
    {
        string directory = _place.Of("cache");
        foreach (PileTableKind kind in (PileTableKind[])[PileTableKind.Durable, PileTableKind.Speculative])
        {
            CacheRun.Fill(directory, _order.Length, kind, kind.ToString());
        }

        _cache = CacheRun.Open(directory);
        _durable = _cache.GetOrCreateTable<long, byte[]>(nameof(PileTableKind.Durable));
        _speculative = _cache.GetOrCreateTable<long, byte[]>(nameof(PileTableKind.Speculative));
        _ = Directory.CreateDirectory(_place.Of("faster"));
        _faster = new FasterReader(_place.Of("faster"), _order.Length);
        Passes.Warm(_order.Length, Durable, Speculative, Faster);

        // The first read of each entry after the open verifies it: that is another figure.
        _ = Passes.Time(_order.Length, Durable);
        _ = Passes.Time(_order.Length, Speculative);
    }

    public void Round(Samples samples) =>
        Passes.Interleave(samples, _order.Length, new Contender("durable", Durable), new Contender("speculative", Speculative), new Contender("faster", Faster));

    public void Dispose()
    {
        _cache?.Dispose();
        _faster?.Dispose();
        _place.Dispose();
    }

    private long Durable(int first, int count) => Read(_durable, first, count);

    private long Speculative(int first, int count) => Read(_speculative, first, count);

    private long Faster(int first, int count) => _faster!.Read(_order.AsSpan(first, count), _target);

    private long Read(PileTable<long, byte[]> table, int first, int count)
    {
        long sum = 0;
        foreach (int key in _order.AsSpan(first, count))
        {
            if (!table.TryGet(key, _target.AsSpan(), out int bytes) || bytes != Data.PayloadBytes)
            {
                throw new InvalidOperationException($"Entry {key} is not there.");
            }

            sum += _target[Data.LastByte];
        }

        return sum;
    }
}
