using System;
using System.Collections.Generic;
using Pile.Bench.Running;
using Pile.Cache;

namespace Pile.Bench.Mapped;

/// <summary>New entries of a full cache in files, each of which takes the room of others, against the same in memory: what is evicted in files
/// waits for a flush before its room is used again.</summary>
internal sealed class FullCache : IWorkload
{
    private const long LimitBytes = 64L << 20;
    private const int ValueBytes = 2000;
    private const int Sets = 60_000;
    private readonly Workplace _place;
    private readonly byte[] _value = new byte[ValueBytes];
    private readonly PileCache _inMemory = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = LimitBytes });
    private readonly PileTable<long, byte[]> _memory;
    private PileCache? _inFiles;
    private PileTable<long, byte[]> _files = null!;
    private long _key;

    internal FullCache(BenchSettings settings)
    {
        _place = Workplace.OnDisk(settings, "cache-full");
        _memory = _inMemory.GetOrCreateTable<long, byte[]>("entries");
        Rows =
        [
            Row.Faster("cache, full: Set of new keys in files vs in memory", "files", "memory", null, null,
                $"{Sets:N0} new keys a round, {ValueBytes:N0} B values, a speculative table that fills its 64 MiB; a PowerSafe directory. Theirs: the same cache in memory."),
        ];
    }

    public IReadOnlyList<Row> Rows { get; }

    public void Prepare()
    {
        _inFiles = PileCache.Open(_place.Of("cache"), new PileCacheOptions { MemoryLimitBytes = LimitBytes });
        _files = _inFiles.GetOrCreateTable<long, byte[]>("entries");

        // Twice its limit: full, and every loop in its last tier.
        _ = Set(_memory, 0, (int)(2 * LimitBytes / ValueBytes));
        _ = Set(_files, 0, (int)(2 * LimitBytes / ValueBytes));
    }

    public void Round(Samples samples)
    {
        // One after the other, with all that the files still have to do in their turn: their keeper and flusher go on behind the last Set.
        samples.Keep("memory", Passes.Time(Sets, (first, count) => Set(_memory, first, count)));
        samples.Keep("files", Passes.Time(Sets, (first, count) =>
        {
            long last = Set(_files, first, count);
            if (first + count == Sets)
            {
                _inFiles!.Pile.Commit();
            }

            return last;
        }));
    }

    public void Dispose()
    {
        _inMemory.Dispose();
        _inFiles?.Dispose();
        _place.Dispose();
    }

    private long Set(PileTable<long, byte[]> table, int first, int count)
    {
        for (int index = first; index < first + count; index++)
        {
            if (!table.Set(_key++, _value.AsSpan()).IsStored)
            {
                throw new InvalidOperationException($"Key {_key - 1} found no room.");
            }
        }

        return _key;
    }
}
