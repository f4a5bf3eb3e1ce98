// The time that a message may take: some seconds to begin with, and more with every byte that has come.
// Who holds memory by it and sends no more, or a byte now and then, is ended, so that those who send are not kept out.
using System;
using System.Collections.Generic;
using System.Threading;

namespace Pile.Server.Calls;

/// <summary>The messages whose rest is waited for. Thread-safe.</summary>
internal sealed class ReceivePace : IDisposable
{
    private readonly Lock _gate = new();
    private readonly HashSet<CountedReader> _waiting = [];
    private readonly ITimer _sweep;

    public ReceivePace(TimeProvider? time = null)
    {
        Time = time ?? TimeProvider.System;
        _sweep = Time.CreateTimer(_ => EndLate(), null, ServerLimits.PaceSweep, ServerLimits.PaceSweep);
    }

    internal TimeProvider Time { get; }

    /// <summary>How many there are.</summary>
    internal int Count
    {
        get
        {
            lock (_gate)
            {
                return _waiting.Count;
            }
        }
    }

    public void Dispose() => _sweep.Dispose();

    /// <summary>Looks after a reader from now on.</summary>
    internal void Add(CountedReader reader)
    {
        lock (_gate)
        {
            _ = _waiting.Add(reader);
        }
    }

    /// <summary>When this returns, the reader is not ended any more.</summary>
    internal void Remove(CountedReader reader)
    {
        lock (_gate)
        {
            _ = _waiting.Remove(reader);
        }
    }

    /// <summary>Ends the reads of messages that are too slow.</summary>
    internal void EndLate()
    {
        // Under the lock, because a reader that was given back is another call's. What waits for the read goes on elsewhere.
        lock (_gate)
        {
            foreach (CountedReader reader in _waiting)
            {
                reader.EndIfLate();
            }
        }
    }
}
