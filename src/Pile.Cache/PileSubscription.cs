// A handler that is called for each event of a table, on the thread pool, one after the other.
// What it is slow for or throws is its own affair: who changes entries never waits for it.
using System;
using System.Threading.Tasks;

namespace Pile.Cache;

/// <summary>A subscription to the events of a table. Made by <see cref="PileTableWatches.Subscribe"/>.</summary>
/// <remarks>Thread-safe.</remarks>
public sealed class PileSubscription : IDisposable
{
    private readonly IDisposable _watch;

    internal PileSubscription(IDisposable watch, Task completion)
    {
        _watch = watch;
        Completion = completion;
    }

    /// <summary>Done when no more calls of the handler come: after <see cref="Dispose"/>, when the table was dropped or the cache disposed, or, with its
    /// exception, when the handler threw.</summary>
    public Task Completion { get; }

    /// <summary>Ends the subscription. A call that is under way goes on: await <see cref="Completion"/> for its end.</summary>
    public void Dispose() => _watch.Dispose();
}
