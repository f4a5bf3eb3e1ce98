using System;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>Waits that end: by what is waited for, or by a failure that says what it was.</summary>
internal static class Within
{
    private static readonly TimeSpan _most = TimeSpan.FromMinutes(1);

    internal static async Task AMinuteAsync(Task task, string what)
    {
        try
        {
            await task.WaitAsync(_most);
        }
        catch (TimeoutException) when (!task.IsCompleted)
        {
            Assert.Fail($"After a minute still waiting for {what}.");
        }
    }

    internal static async Task<T> AMinuteAsync<T>(Task<T> task, string what)
    {
        await AMinuteAsync((Task)task, what);
        return await task;
    }

    /// <summary>Asks again and again, with a moment between.</summary>
    /// <param name="isSo">What is asked.</param>
    /// <param name="what">What is waited for.</param>
    /// <param name="why">What is known of why it is not so yet.</param>
    internal static async Task UntilAsync(Func<Task<bool>> isSo, string what, Func<string>? why = null)
    {
        long began = TimeProvider.System.GetTimestamp();
        using var timer = new System.Threading.PeriodicTimer(TimeSpan.FromMilliseconds(10));
        while (!await isSo())
        {
            Assert.True(TimeProvider.System.GetElapsedTime(began) < _most, $"After a minute still waiting until {what}. {why?.Invoke()}");
            _ = await timer.WaitForNextTickAsync();
        }
    }
}
