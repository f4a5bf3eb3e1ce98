// Buffer writers of one pile between their uses, so that Reserve allocates nothing once the pile has been used for a while.
// None that a caller had in hand: who disposes such a one twice would end another's. More than a few are left to the collector.
using System.Collections.Concurrent;
using System.Threading;
using Pile.Primitives;

namespace Pile;

/// <summary>Pool of buffer writers. Thread-safe.</summary>
internal sealed class BufferWriterPool
{
    // Not a bag: that keeps what a thread returned with the thread, and so the pile that the writer leads to for as long as the thread lives.
    private readonly ConcurrentQueue<PileBufferWriter> _writers = [];
    private int _count;

    /// <summary>A writer, ready to be written to.</summary>
    internal PileBufferWriter Take(ObjectPile pile)
    {
        if (!_writers.TryDequeue(out PileBufferWriter? writer))
        {
            return new PileBufferWriter(pile, this).Restart();
        }

        Interlocked.Decrement(ref _count);
        return writer.Restart();
    }

    /// <summary>Takes a writer back.</summary>
    internal void Return(PileBufferWriter writer)
    {
        if (Interlocked.Increment(ref _count) <= Limits.PooledObjectsMax)
        {
            _writers.Enqueue(writer);
        }
        else
        {
            Interlocked.Decrement(ref _count);
        }
    }
}
