using System;
using Microsoft.Extensions.Caching.Memory;
using Pile.Compare.Running;
using Pile.Compare.Workloads;

namespace Pile.Compare.Contestants;

/// <summary>MemoryCache of byte arrays without limit or expiry. Its keys are objects, so each call boxes one.</summary>
internal sealed class MemoryCacheEntry : IEntry
{
    public string Name => Entries.MemoryCache;

    public int Order => 3;

    public string Guarantees => "a key index, expiry, eviction by counts the caller keeps; every object is the collector's; in memory only";

    public string Version => Entries.VersionOf(typeof(MemoryCache));

    public void Serve(ChildServer server) => server.Serve(new Store());

    private sealed class Store : IContestant<Operations>
    {
        private readonly MemoryCache _cache = new(new MemoryCacheOptions());

        public Operations Begin() => new(_cache);

        public void Clear()
        {
            _cache.Clear();
            GC.Collect();
        }

        public void Dispose() => _cache.Dispose();
    }

    private readonly struct Operations(MemoryCache cache) : IOperations
    {
        public long Put(int index, ReadOnlySpan<byte> payload)
        {
            _ = cache.Set((long)index, payload.ToArray());
            return index;
        }

        public void Set(long handle, ReadOnlySpan<byte> payload) => _ = cache.Set(handle, payload.ToArray());

        public long CopyMany(ReadOnlySpan<long> handles, Span<byte> target) => Loops.CopyEach(this, handles, target);

        public int Copy(long handle, Span<byte> target)
        {
            byte[] bytes = cache.Get<byte[]>(handle)!;
            bytes.CopyTo(target);
            return bytes.Length;
        }

        public long Touch(long handle)
        {
            byte[] bytes = cache.Get<byte[]>(handle)!;
            return bytes[0] + bytes[^1];
        }
    }
}
