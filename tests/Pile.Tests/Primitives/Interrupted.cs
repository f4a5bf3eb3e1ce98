using System;
using System.Threading;
using Xunit;

namespace Pile.Tests.Primitives;

/// <summary>Threads that are interrupted where that must end nothing.</summary>
internal static class Interrupted
{
    private static readonly TimeSpan _long = TimeSpan.FromSeconds(60);

    /// <summary>The same of a lock that the call waits for.</summary>
    /// <inheritdoc cref="AssertToldLater(Action{Action}, Action, Action?, bool)"/>
    internal static void AssertToldLater(Lock held, Action call, Action? untilReady = null, bool interruptsItself = true) => AssertToldLater(
        work =>
        {
            lock (held)
            {
                work();
            }
        },
        call,
        untilReady,
        interruptsItself);

    /// <summary>Makes a call on a thread that is interrupted, while something is held that it waits for: it goes on, and is told at its next wait.</summary>
    /// <param name="whileHeld">Takes it, calls what it is given, gives it back.</param>
    /// <param name="call">The call.</param>
    /// <param name="untilReady">Waits until it may be taken, when the call begins before.</param>
    /// <param name="interruptsItself">Whether the thread is to be interrupted before its call.</param>
    internal static void AssertToldLater(Action<Action> whileHeld, Action call, Action? untilReady = null, bool interruptsItself = true)
    {
        Exception? failure = null;
        var other = new Thread(() =>
        {
            try
            {
                if (interruptsItself)
                {
                    Thread.CurrentThread.Interrupt();
                }

                call();
                using var never = new SemaphoreSlim(0);
                never.Wait();
            }
            catch (Exception thrown)
            {
                failure = thrown;
            }
        })
        { IsBackground = true };
        if (untilReady is not null)
        {
            other.Start();
            untilReady();
        }

        whileHeld(() =>
        {
            if (untilReady is null)
            {
                other.Start();
            }

            Assert.True(SpinWait.SpinUntil(() => (other.ThreadState & (ThreadState.WaitSleepJoin | ThreadState.Stopped)) != 0, _long));
        });
        Assert.True(other.Join(_long), "the call waits for ever");
        Assert.Contains(nameof(SemaphoreSlim), Assert.IsType<ThreadInterruptedException>(failure).StackTrace, StringComparison.Ordinal);
    }
}
