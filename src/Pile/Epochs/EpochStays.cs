// What a thread's line has no room for: who the thread is, and its stays inside other stays: leases inside leases, calls
// inside leases. Rarely touched, and never by the usual path.
using System;
using System.Threading;

namespace Pile.Epochs;

/// <summary>The nested stays of one thread. Own thread only, but for <see cref="Thread"/>.</summary>
internal sealed class EpochStays(Thread thread, long ends)
{
    private (long Outer, long Lease)[] _nested = new (long Outer, long Lease)[4];
    private long _serial;

    /// <summary>The thread.</summary>
    internal Thread Thread { get; } = thread;

    /// <summary>The line's count of ends while the thread lives; -1 when it can't be watched.</summary>
    internal long Ends { get; } = ends;

    /// <summary>Stays inside the outermost one.</summary>
    internal int Count { get; private set; }

    /// <summary>The innermost one: the word to return to, and the lease's own, 0 for a call.</summary>
    internal (long Outer, long Lease) Last => _nested[Count - 1];

    /// <summary>A number that no other nested lease of this thread had.</summary>
    internal long NextSerial() => ++_serial;

    internal void Push(long outer, long lease)
    {
        if (Count == _nested.Length)
        {
            Array.Resize(ref _nested, _nested.Length * 2);
        }

        _nested[Count++] = (outer, lease);
    }

    internal (long Outer, long Lease) Pop() => _nested[--Count];
}
