using System.Buffers;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Caching.Distributed;

namespace Pile.Caching.Tests;

/// <summary>A distributed cache called in one of its forms, so that each sentence is tried in all of them.</summary>
internal sealed class DistributedDoor(IBufferDistributedCache cache, DoorForm form)
{
    internal async Task<byte[]?> GetAsync(string key, CancellationToken token = default)
    {
        var writer = new ArrayBufferWriter<byte>();
        return form switch
        {
            DoorForm.Sync => cache.Get(key),
            DoorForm.Async => await cache.GetAsync(key, token),
            DoorForm.Buffer => cache.TryGet(key, writer) ? writer.WrittenSpan.ToArray() : null,
            _ => await cache.TryGetAsync(key, writer, token) ? writer.WrittenSpan.ToArray() : null,
        };
    }

    internal async Task SetAsync(string key, byte[] value, DistributedCacheEntryOptions? options = null, CancellationToken token = default)
    {
        options ??= new DistributedCacheEntryOptions();
        switch (form)
        {
            case DoorForm.Sync:
                cache.Set(key, value, options);
                break;
            case DoorForm.Async:
                await cache.SetAsync(key, value, options, token);
                break;
            case DoorForm.Buffer:
                cache.Set(key, new ReadOnlySequence<byte>(value), options);
                break;
            default:
                await cache.SetAsync(key, new ReadOnlySequence<byte>(value), options, token);
                break;
        }
    }

    internal Task RefreshAsync(string key, CancellationToken token = default)
    {
        if (form is DoorForm.Async or DoorForm.BufferAsync)
        {
            return cache.RefreshAsync(key, token);
        }

        cache.Refresh(key);
        return Task.CompletedTask;
    }

    internal Task RemoveAsync(string key, CancellationToken token = default)
    {
        if (form is DoorForm.Async or DoorForm.BufferAsync)
        {
            return cache.RemoveAsync(key, token);
        }

        cache.Remove(key);
        return Task.CompletedTask;
    }
}
