// How a thread waits for a call without the pool. What is done in the moment in which the wait begins is told by a thread of the pool, which may have none: so
// the wait looks for itself as well.
using System;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Pile.Client.Calls;

/// <summary>Waits of threads.</summary>
internal static class BlockingWait
{
    private static readonly TimeSpan _look = TimeSpan.FromMilliseconds(5);

    /// <summary>Waits for a call; what it throws comes through.</summary>
    internal static TResult For<TResult>(ValueTask<TResult> call)
    {
        ConfiguredValueTaskAwaitable<TResult>.ConfiguredValueTaskAwaiter awaiter = call.ConfigureAwait(false).GetAwaiter();
        if (!awaiter.IsCompleted)
        {
            // Not disposed: it may be set when nobody waits any more.
            var done = new ManualResetEventSlim();
            awaiter.UnsafeOnCompleted(done.Set);
            while (!done.Wait(_look) && !awaiter.IsCompleted)
            {
            }
        }

        return awaiter.GetResult();
    }
}
