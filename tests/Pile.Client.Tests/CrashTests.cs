using System;
using System.Collections.Concurrent;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>Servers that are killed and come back under callers.</summary>
public sealed class CrashTests
{
    private const int Callers = 64;

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task EveryCallEndsAndTrafficGoesOnByItself(bool isBatching)
    {
        using var directory = new TemporaryDirectory();
        ServerProcess server = await ServerProcess.StartAsync("--directory", directory.Path);
        try
        {
            await using var client = new PileClient(new PileClientOptions { Address = server.Address, IsBatching = isBatching, Deadline = TimeSpan.FromSeconds(20) });
            Assert.True(await client.CreateTableAsync("t", new PileClientTableOptions { IsDurable = true }));
            var failures = new ConcurrentBag<Exception>();
            using var ends = new CancellationTokenSource();
            int[] done = new int[Callers];
            Task callers = Task.WhenAll(Enumerable.Range(0, Callers).Select(caller => Task.Run(() => CallAsync(client.Table("t"), caller, done, failures, ends.Token))));
            for (int kill = 0; kill < 2; kill++)
            {
                await Within.UntilAsync(() => Task.FromResult(AllMoved(done)), $"all callers go on, before kill {kill}");
                await server.KillAsync();
                string address = server.Address;
                await server.DisposeAsync();
                server = await ServerProcess.StartAsync("--directory", directory.Path, "--listen", address);
            }

            await Within.UntilAsync(() => Task.FromResult(AllMoved(done)), "all callers go on after the last kill");
            await ends.CancelAsync();
            await Within.AMinuteAsync(callers, "the callers' end");
            Assert.All(failures, static failure => Assert.True(failure is PileClientException { IsRetrySafe: true }, failure.ToString()));
        }
        finally
        {
            await server.DisposeAsync();
        }
    }

    // Each has a key of its own: what is read is what was stored last, or was being stored when a call failed.
    private static async Task CallAsync(PileClientTable table, int caller, int[] done, ConcurrentBag<Exception> failures, CancellationToken ends)
    {
        string key = $"caller {caller}";
        int stored = -1;
        int maybe = -1;
        for (int number = 0; !ends.IsCancellationRequested; number++)
        {
            try
            {
                maybe = number;
                _ = await table.SetAsync(key, Encoding.UTF8.GetBytes($"{caller}.{number}"), cancel: CancellationToken.None);
                stored = number;
                byte[]? read = await table.GetAsync(key, CancellationToken.None);
                Assert.Equal($"{caller}.{number}", Encoding.UTF8.GetString(read!));
                _ = Interlocked.Increment(ref done[caller]);
            }
            catch (PileClientException failure)
            {
                failures.Add(failure);
                Assert.InRange(stored, -1, maybe);
            }
        }
    }

    private static bool AllMoved(int[] done)
    {
        if (!Array.TrueForAll(done, static count => count >= 5))
        {
            return false;
        }

        Array.Clear(done);
        return true;
    }
}
