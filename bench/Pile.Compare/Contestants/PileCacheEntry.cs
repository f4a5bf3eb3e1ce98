using System;
using Pile.Cache;
using Pile.Compare.Running;

namespace Pile.Compare.Contestants;

/// <summary>A table of Pile.Cache with long keys and byte values, as it comes: speculative, no ends.</summary>
internal sealed class PileCacheEntry : IEntry
{
    public string Name => Entries.OurCache;

    public int Order => 5;

    public string Guarantees => "a key index, exact expiry, eviction within a hard memory limit (S3-FIFO), compare-and-set; nothing is the collector's; in memory only";

    public string Version => Entries.VersionOf(typeof(PileCache));

    public void Serve(ChildServer server) => server.Serve(new Store());

    private sealed class Store : IContestant<Operations>
    {
        private readonly PileCache _cache = PileCache.Create();
        private readonly PileTable<long, byte[]> _table;

        internal Store() => _table = _cache.GetOrCreateTable<long, byte[]>("objects");

        public Operations Begin() => new(_table);

        public void Clear() => _table.Clear();

        public void Dispose() => _cache.Dispose();
    }

    private readonly struct Operations(PileTable<long, byte[]> table) : IOperations
    {
        public long Put(int index, ReadOnlySpan<byte> payload)
        {
            Set(index, payload);
            return index;
        }

        public void Set(long handle, ReadOnlySpan<byte> payload)
        {
            if (!table.Set(handle, payload).IsStored)
            {
                throw new InvalidOperationException("The cache is full.");
            }
        }

        public int Copy(long handle, Span<byte> target) => table.TryGet(handle, target, out int bytes) ? bytes : -1;

        public long CopyMany(ReadOnlySpan<long> handles, Span<byte> target)
        {
            var copier = new Copier(target);
            table.LeaseMany(handles, ref copier);
            return copier.Bytes;
        }

        public long Touch(long handle)
        {
            if (!table.TryLease(handle, out PileLease lease))
            {
                throw new InvalidOperationException($"Key {handle} is gone.");
            }

            ReadOnlySpan<byte> bytes = lease.Bytes;
            long sum = bytes[0] + bytes[^1];
            lease.Dispose();
            return sum;
        }
    }
}
