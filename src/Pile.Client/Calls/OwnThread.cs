// Threads of the client's own, for what must go on where the pool has none left: each of them is made for one piece of work, and ends with it.
// There are few: one reads a connection, one sends what its socket had no room for, one runs the timers of a link, one pauses before a connection is made again.
using System;
using System.Threading;

namespace Pile.Client.Calls;

/// <summary>Starts threads.</summary>
internal static class OwnThread
{
    /// <summary>Does work in a thread of its own, in the context of nobody.</summary>
    internal static void Start(Action work)
    {
        try
        {
            new Thread(work.Invoke) { IsBackground = true, Name = "Pile client" }.UnsafeStart();
        }
        catch (OutOfMemoryException)
        {
            // The system gives the process no further thread: then one of the pool is taken.
            _ = ThreadPool.UnsafeQueueUserWorkItem(static work => work(), work, preferLocal: false);
        }
    }
}
