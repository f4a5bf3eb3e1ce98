using System;
using Pile.Cache;

namespace Pile.HitRatio.Contestants;

/// <summary>The shipped cache: a speculative table with the race's bytes as its memory limit, everything included.</summary>
internal sealed class PileCacheEntry : IEntry
{
    public string Name => "pile-cache";

    public int Order => 0;

    public string Source => "Pile.Cache as it is shipped, by one thread, without its background thread";

    /// <summary>Header 8, head 16, 4 of padding on average, an index cell of 64 / 4.4 and a ghost of 4.</summary>
    public int ChargeBytes => 47;

    public long CacheBytesMin => 1 << 20;

    public string Version => Entries.VersionOf(typeof(PileCache));

    public IContestant Make(Budget budget) => new Contestant(budget);

    private sealed class Contestant : IContestant
    {
        private readonly PileCache _cache;
        private readonly PileTable<ulong, byte[]> _table;
        private byte[] _value = new byte[4096];

        internal Contestant(Budget budget)
        {
            _cache = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = budget.CacheBytes, BackgroundCleaning = false });
            _table = _cache.GetOrCreateTable<ulong, byte[]>("objects");
        }

        public long UsedBytes => _cache.Pile.GetStatistics().UsedBytes;

        public bool Request(ulong key, int bytes, long time)
        {
            if (_table.TryLease(key, out PileLease lease))
            {
                lease.Dispose();
                return true;
            }

            if (bytes > _value.Length)
            {
                _value = new byte[bytes * 2];
            }

            _ = _table.Set(key, _value.AsSpan(0, bytes));
            return false;
        }

        public void Dispose() => _cache.Dispose();
    }
}
