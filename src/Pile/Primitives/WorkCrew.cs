// Shares one piece of work out over threads of its own and the caller's: what reads a whole pile must not depend on how busy the
// thread pool is. The first failure of any of them is the caller's; all have ended by then.
// It does not divide the work: each thread takes the next part from a counter that they share.
using System;
using System.Runtime.ExceptionServices;
using System.Threading;

namespace Pile.Primitives;

/// <summary>Threads that work on one thing together.</summary>
internal static class WorkCrew
{
    /// <summary>Threads that are of use for so much work: one for each core, none for less than <paramref name="share"/>.</summary>
    /// <param name="amount">How much there is to do.</param>
    /// <param name="share">What a thread must have to do to be worth its start.</param>
    internal static int Size(long amount, long share) => (int)long.Clamp(amount / share, 1, Environment.ProcessorCount);

    /// <summary>Runs the work on that many threads, the calling one among them, and waits for all.</summary>
    /// <param name="threads">How many, 1 or more.</param>
    /// <param name="work">What each does; gets its number, from 0.</param>
    internal static void Run(int threads, Action<int> work)
    {
        ExceptionDispatchInfo? failure = null;
        var others = new Thread[threads - 1];
        int started = 0;
        try
        {
            for (; started < others.Length; started++)
            {
                int number = started + 1;
                others[started] = new Thread(() => Do(number)) { IsBackground = true, Name = "Pile crew" };
                others[started].Start();
            }

            Do(0);
        }
        finally
        {
            foreach (Thread other in others.AsSpan(0, started))
            {
                other.Join();
            }
        }

        failure?.Throw();

        void Do(int number)
        {
            try
            {
                work(number);
            }
            catch (Exception thrown)
            {
                _ = Interlocked.CompareExchange(ref failure, ExceptionDispatchInfo.Capture(thrown), null);
            }
        }
    }
}
