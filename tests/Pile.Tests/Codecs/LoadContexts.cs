using System;
using System.Threading;
using Xunit;

namespace Pile.Tests.Codecs;

/// <summary>Load contexts that were unloaded, and shall be collected.</summary>
internal static class LoadContexts
{
    /// <summary>It takes two collections, each with all finalizers behind it: of the context's scout, then of the context.</summary>
    private const int RoundsMin = 300;

    /// <summary>Waits for the collection of a context, and fails when something holds it.</summary>
    /// <remarks>Rounds are what it needs, and each waits for every other test's finalizers, the ended threads of a thousand piles among them: on a
    /// loaded machine a minute may be over in the first. Time is what the runtime's own threads need, which may be compiling something of it: idle
    /// rounds may be over before they are, and a minute was, once, where the whole suite ran at half its speed. So it is held only when both are over. Between
    /// rounds there is a pause, else nobody gets anything done: collections one behind the other kept such a thread, and another test, from it for five minutes.</remarks>
    internal static void AssertCollected(WeakReference context)
    {
        using var never = new ManualResetEventSlim();
        long begun = TimeProvider.System.GetTimestamp();
        for (int round = 0; context.IsAlive && (round < RoundsMin || TimeProvider.System.GetElapsedTime(begun) < TimeSpan.FromMinutes(5)); round++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            _ = never.Wait(int.Min(round, 50), TestContext.Current.CancellationToken);
        }

        Assert.False(context.IsAlive);
    }
}
