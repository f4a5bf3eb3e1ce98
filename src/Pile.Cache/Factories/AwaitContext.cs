// Where awaits come back to that begin on a thread: a synchronization context, as of a user interface, or a scheduler of the program's own,
// as of actors. A thread of either that waits must not be the one that they come back to.
using System.Threading;
using System.Threading.Tasks;

namespace Pile.Cache.Factories;

/// <summary>The context that awaits come back to.</summary>
internal static class AwaitContext
{
    /// <summary>Whether the calling thread has one; without, they come back to the thread pool.</summary>
    internal static bool IsThere => SynchronizationContext.Current is not null || TaskScheduler.Current != TaskScheduler.Default;
}
