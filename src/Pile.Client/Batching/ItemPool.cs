// Calls that are used again, so that a call costs no memory once as many are there as wait at once.
// Those beyond a limit go.
using System.Collections.Concurrent;
using System.Threading;

namespace Pile.Client.Batching;

/// <summary>Objects of one type that wait for use. Thread-safe.</summary>
internal static class ItemPool<T>
    where T : class, new()
{
    private static readonly ConcurrentQueue<T> _free = new();
    private static int _count;

    internal static T Rent()
    {
        if (!_free.TryDequeue(out T? item))
        {
            return new T();
        }

        _ = Interlocked.Decrement(ref _count);
        return item;
    }

    /// <summary>Keeps an object for use. False when there are enough.</summary>
    internal static bool Return(T item)
    {
        if (Interlocked.Increment(ref _count) > ClientLimits.PooledMax)
        {
            _ = Interlocked.Decrement(ref _count);
            return false;
        }

        _free.Enqueue(item);
        return true;
    }
}
