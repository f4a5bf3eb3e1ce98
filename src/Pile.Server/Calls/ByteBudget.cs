// Bytes that all calls together may hold of one kind. A limit for each message times thousands of streams would be none; a call that finds
// no room is refused before the pile is touched. What counts, and from when to when, is said by whoever takes.
using System;
using System.Buffers;
using System.Threading;
using Grpc.Core;

namespace Pile.Server.Calls;

/// <summary>A server-wide budget of bytes. Thread-safe.</summary>
/// <param name="bytesMax">How many there are.</param>
/// <param name="refusal">What a call is told that finds no room.</param>
internal abstract class ByteBudget(long bytesMax, string refusal)
{
    private long _taken;

    internal long TakenBytes => Interlocked.Read(ref _taken);

    internal long BytesMax => bytesMax;

    /// <summary>Takes some of it.</summary>
    internal bool TryTake(long bytes)
    {
        // Never more than there is, not even for a moment: another call would find no room because of one that is refused.
        long taken = TakenBytes;
        while (bytes <= bytesMax - taken)
        {
            long seen = Interlocked.CompareExchange(ref _taken, taken + bytes, taken);
            if (seen == taken)
            {
                return true;
            }

            taken = seen;
        }

        return false;
    }

    /// <summary>Takes some of it.</summary>
    /// <exception cref="RpcException">There is no room: RESOURCE_EXHAUSTED, to be tried again.</exception>
    internal void Take(long bytes)
    {
        if (!TryTake(bytes))
        {
            throw CallFailure.Busy(refusal);
        }
    }

    /// <summary>Takes memory from a pool, and as much of the budget.</summary>
    /// <exception cref="RpcException">There is no room in the budget, or no memory: nothing was taken.</exception>
    internal byte[] Rent(ArrayPool<byte> pool, int bytes)
    {
        Take(bytes);
        bool isRented = false;
        try
        {
            byte[] memory = pool.Rent(bytes);
            isRented = true;
            return memory;
        }
        catch (OutOfMemoryException)
        {
            throw CallFailure.NoMemory(bytes);
        }
        finally
        {
            Give(isRented ? 0 : bytes);
        }
    }

    internal void Give(long bytes) => Interlocked.Add(ref _taken, -bytes);
}
