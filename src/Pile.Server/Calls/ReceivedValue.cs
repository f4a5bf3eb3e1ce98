// A value that comes in chunks: its memory grows with what has come, and so does what it counts for. What the client has announced costs nothing.
// What is kept beside the value, its key and its tags, counts too where that is much.
// Who gives it chunks is LargeCalls.
using System;
using System.Buffers;

namespace Pile.Server.Calls;

/// <summary>What has come of a value. Not thread-safe; disposing it gives its memory back.</summary>
/// <param name="length">Bytes of the whole value.</param>
/// <param name="headBytes">Bytes that count beside it.</param>
/// <param name="budget">What it is counted against.</param>
/// <param name="pool">Where its memory is from.</param>
internal sealed class ReceivedValue(int length, int headBytes, ReceiveBudget budget, ArrayPool<byte> pool) : IDisposable
{
    private readonly int _head = Taken(headBytes, budget);
    private byte[] _bytes = [];
    private int _counted;

    /// <summary>Bytes that have come.</summary>
    internal int Received { get; private set; }

    /// <summary>The whole value.</summary>
    /// <exception cref="Grpc.Core.RpcException">Not all of it has come.</exception>
    internal ReadOnlySpan<byte> Whole => Received == length
        ? _bytes.AsSpan(0, length)
        : throw CallFailure.Refused($"'value_bytes' says {length:N0} bytes, and {Received:N0} came. Nothing was stored.");

    /// <summary>The least that a value counts for at once, however it is cut: it is copied from at least half of it.</summary>
    internal static long BytesNeeded(int length) => length > 4 * ServerLimits.ChunkBytes ? length + (length / 2L) : length;

    /// <summary>Adds a chunk.</summary>
    /// <exception cref="Grpc.Core.RpcException">It is too long, or there is no room.</exception>
    internal void Add(ReadOnlySpan<byte> chunk)
    {
        if (chunk.Length > ServerLimits.ChunkBytes || chunk.Length > length - Received)
        {
            throw CallFailure.Refused($"A chunk has {chunk.Length:N0} bytes: at most {ServerLimits.ChunkBytes:N0} are allowed, and {length - Received:N0} of the value were to come.");
        }

        if (chunk.Length > _counted - Received)
        {
            Grow(int.Min(length, int.Max(Received + chunk.Length, (int)long.Min(int.MaxValue, 2L * _counted))));
        }

        chunk.CopyTo(_bytes.AsSpan(Received));
        Received += chunk.Length;
    }

    public void Dispose()
    {
        budget.Give(_head);
        Release(_bytes, _counted);
    }

    private static int Taken(int bytes, ReceiveBudget budget)
    {
        budget.Take(bytes);
        return bytes;
    }

    private void Grow(int bytes)
    {
        // Both are there while one is copied to the other.
        budget.RequireRoom((long)_head + _counted + bytes, length);
        byte[] larger = budget.Rent(pool, bytes);
        _bytes.AsSpan(0, Received).CopyTo(larger);
        Release(_bytes, _counted);
        _bytes = larger;
        _counted = bytes;
    }

    private void Release(byte[] bytes, int counted)
    {
        budget.Give(counted);
        if (bytes.Length > 0)
        {
            pool.Return(bytes);
        }
    }
}
