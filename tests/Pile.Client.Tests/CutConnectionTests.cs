using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>Connections that are cut, halved, delayed and forgotten under all kinds of calls: each ends in its time, and behind it the client works.</summary>
[Collection(Alone.Name)]
public sealed class CutConnectionTests(ITestOutputHelper output)
{
    private const int Callers = 12;

    internal static readonly TimeSpan Deadline = TimeSpan.FromSeconds(3);

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public Task EachCallEndsInItsTimeAndTheClientWorksOn(bool isBatching) => RunAsync(isBatching, seed: isBatching ? 1 : 2, rounds: 2);

    [Fact]
    [Trait("Category", "Soak")]
    public async Task ForLongEachCallEndsInItsTimeAndTheClientWorksOn()
    {
        for (int seed = 10; seed < 100 && !TestContext.Current.CancellationToken.IsCancellationRequested; seed++)
        {
            await RunAsync(isBatching: seed % 2 == 0, seed, rounds: 10);
        }
    }

    private async Task RunAsync(bool isBatching, int seed, int rounds)
    {
        await using ServerProcess server = await ServerProcess.StartAsync("--memory-limit=256MiB");
        await using var way = new CuttingWay(server.Address, seed);
        await using var client = new PileClient(new PileClientOptions { Address = way.Address, IsBatching = isBatching, Deadline = Deadline, KeepAlive = TimeSpan.FromSeconds(1) });
        Assert.True(await client.CreateTableAsync("t"));
        var fates = new ConcurrentDictionary<string, int>();
        CutCaller[] callers = [.. Enumerable.Range(0, Callers).Select(number => new CutCaller(client, "t", number, new Random((seed * 100) + number), fates))];
        var random = new Random(seed);
        using var watchEnds = new CancellationTokenSource();
        int watched = 0;
        Task watching = Task.Run(() => WatchAsync(client, () => Volatile.Write(ref watched, 1), watchEnds.Token));
        for (int round = 0; round < rounds; round++)
        {
            using var ends = new CancellationTokenSource();
            way.Begin();
            Task calling = Task.WhenAll(callers.Select(caller => Task.Run(() => caller.RunAsync(ends.Token))));
            for (int cut = 0; cut < 8 && !calling.IsFaulted; cut++)
            {
                using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(random.Next(50, 400)));
                _ = await timer.WaitForNextTickAsync();
                way.CutAll();
            }

            await ends.CancelAsync();
            way.End();
            await Within.AMinuteAsync(calling, "the callers");

            // All kinds of calls are answered again: some at the second try, for a try of before may have used up what there was.
            foreach (int kind in Enumerable.Range(0, CutCaller.Kinds))
            {
                CutCaller caller = callers[kind % Callers];
                await Within.UntilAsync(() => caller.CallAsync(kind), $"calls of kind {kind} are answered", () => $"{way.Connections} connections, {way.Harms} harms; {caller.Fates}");
            }

            await Within.UntilAsync(
                async () =>
                {
                    Volatile.Write(ref watched, 0);
                    _ = await callers[0].CallAsync(0);
                    return await WasSeenAsync(() => Volatile.Read(ref watched) != 0);
                },
                "the watch sees changes");
        }

        foreach (CutCaller caller in callers)
        {
            await caller.EndAsync();
        }

        await watchEnds.CancelAsync();
        await Within.AMinuteAsync(watching, "the watch");
        output.WriteLine($"batching {isBatching}, seed {seed}: {way.Connections} connections, {way.Harms} harms; {callers[0].Fates}");
    }

    private static async Task<bool> WasSeenAsync(Func<bool> isSeen)
    {
        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(100));
        for (int look = 0; look < 5 && !isSeen(); look++)
        {
            _ = await timer.WaitForNextTickAsync();
        }

        return isSeen();
    }

    private static async Task WatchAsync(PileClient client, Action see, CancellationToken ends)
    {
        try
        {
            await foreach (IReadOnlyList<PileChange> changes in client.Table("t").WatchAsync(cancel: ends))
            {
                if (changes.Count > 0)
                {
                    see();
                }
            }
        }
        catch (OperationCanceledException) when (ends.IsCancellationRequested)
        {
        }
    }
}
