// How many pins a pile has out, and since when the oldest known one: for Dispose, statistics and the health of a program.
using System.Threading;

namespace Pile.Heap;

/// <summary>Counter of pins. Thread-safe.</summary>
internal sealed class PinCount
{
    private int _count;

    /// <summary>Pins held now.</summary>
    internal int Count => Volatile.Read(ref _count);

    /// <summary>Counts one more.</summary>
    internal void Add() => Interlocked.Increment(ref _count);

    /// <summary>Counts one fewer; release, so that the holder's reads come first.</summary>
    internal void Remove() => Interlocked.Decrement(ref _count);
}
