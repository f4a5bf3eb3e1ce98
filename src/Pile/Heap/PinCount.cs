// How many holds of one kind are out: the pins of a pile, and the calls that touch its memory outside an epoch.
// Dispose unmaps only when both counts are zero. It keeps no ages and does not know who holds.
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
