// The time that a message may take which counts against the receive budget: some seconds to begin with, and more with every byte that has come.
// Who holds a part of the budget and sends no more, or a byte now and then, is ended, so that those who send are not kept out.
using System;
using System.Collections.Generic;
using System.Threading;

namespace Pile.Server.Calls;

/// <summary>The messages that are counted now. Thread-safe.</summary>
internal sealed class ReceivePace : IDisposable
{
    private readonly Lock _gate = new();
    private readonly HashSet<CountedReader> _counted = [];
    private readonly ITimer _sweep;

    public ReceivePace(TimeProvider? time = null)
    {
        Time = time ?? TimeProvider.System;
        _sweep = Time.CreateTimer(_ => EndLate(), null, ServerLimits.PaceSweep, ServerLimits.PaceSweep);
    }

    internal TimeProvider Time { get; }

    public void Dispose() => _sweep.Dispose();

    /// <summary>Looks after a reader from now on.</summary>
    internal void Add(CountedReader reader)
    {
        lock (_gate)
        {
            _ = _counted.Add(reader);
        }
    }

    /// <summary>When this returns, the reader is not ended any more.</summary>
    internal void Remove(CountedReader reader)
    {
        lock (_gate)
        {
            _ = _counted.Remove(reader);
        }
    }

    /// <summary>Ends the reads of messages that are too slow.</summary>
    internal void EndLate()
    {
        // Under the lock, because a reader that was given back is another call's. What waits for the read goes on elsewhere.
        lock (_gate)
        {
            foreach (CountedReader reader in _counted)
            {
                reader.EndIfLate();
            }
        }
    }
}
