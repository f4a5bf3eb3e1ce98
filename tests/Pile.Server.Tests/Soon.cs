using System;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>Waits with an end.</summary>
internal static class Soon
{
    internal static readonly TimeSpan Longest = TimeSpan.FromMinutes(1);

    /// <summary>Waits until something holds, and fails after a minute.</summary>
    internal static async Task HoldsAsync(Func<bool> condition, string what)
    {
        using var end = new CancellationTokenSource(Longest);
        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(5));
        while (!condition())
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
