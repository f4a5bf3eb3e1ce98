// How a thread waits for a call without the pool, and without a look at it now and then: many may wait for long. Who ends the call wakes it, but for what is
// done in the moment in which the wait begins: that is told by a thread of the pool, which may have none, and is seen here.
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Pile.Client.Calls;

/// <summary>Waits of threads.</summary>
internal static class BlockingWait
{
    /// <summary>Waits for a call; what it throws comes through.</summary>
    internal static TResult For<TResult>(ValueTask<TResult> call)
    {
        ConfiguredValueTaskAwaitable<TResult>.ConfiguredValueTaskAwaiter awaiter = call.ConfigureAwait(false).GetAwaiter();
        if (!awaiter.IsCompleted)
        {
            // Not disposed: it may be set when nobody waits any more.
            var done = new ManualResetEventSlim(initialState: false, spinCount: 0);
            awaiter.UnsafeOnCompleted(done.Set);
            if (!awaiter.IsCompleted)
            {
                done.Wait();
            }
        }

        return awaiter.GetResult();
    }
}
