using System;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>Waits with an end.</summary>
internal static class Soon
{
    internal static readonly TimeSpan Longest = TimeSpan.FromMinutes(1);

    /// <summary>Waits for what has an end of its own within a minute, and fails after two: a test that waits for ever takes all others along, and does not say where it stood.</summary>
    internal static async Task EndsAsync(Task task, string what)
    {
        try
        {
            await task.WaitAsync(2 * Longest);
        }
        catch (TimeoutException) when (!task.IsCompleted)
        {
            Assert.Fail($"After {2 * Longest} still not at its end: {what}.");
        }
    }

    /// <summary>Waits until something holds, and fails after a minute.</summary>
    internal static Task HoldsAsync(Func<bool> condition, string what) => HoldsAsync(() => Task.FromResult(condition()), what);

    /// <summary>Waits until something holds that must be asked for, and fails after a minute.</summary>
    internal static async Task HoldsAsync(Func<Task<bool>> condition, string what)
    {
        using var end = new CancellationTokenSource(Longest);
        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(5));
        while (!await condition())
        {
            try
            {
                _ = await timer.WaitForNextTickAsync(end.Token);
            }
            catch (OperationCanceledException)
            {
                Assert.Fail($"After {Longest} still not: {what}.");
            }
        }
    }
}
