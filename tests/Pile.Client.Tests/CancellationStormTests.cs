using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>Thousands of calls that are cancelled at any time, and large batches in both directions, against a server in another process.</summary>
[Collection(Alone.Name)]
public sealed class CancellationStormTests
{
    private const int Callers = 64;
    private const int CallsOfEach = 150;
    private const long LeakBytesMax = 1 << 20;

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task EachCallEndsCancelledOrRightAndNothingStays(bool isBatching)
    {
        await using ServerProcess server = await ServerProcess.StartAsync();
        await using var client = new PileClient(new PileClientOptions { Address = server.Address, IsBatching = isBatching, Connections = 2, Deadline = TimeSpan.FromMinutes(1) });
        PileClientTable table = client.Table();
        for (int key = 0; key < Callers; key++)
        {
            _ = await table.SetAsync($"key {key}", ValueOf(key));
        }

        int cancelled = await StormAsync(table, seed: 1);
        long before = GC.GetTotalMemory(forceFullCollection: true);
        for (int seed = 2; seed < 5; seed++)
        {
            cancelled += await StormAsync(table, seed);
        }

        Assert.True(cancelled > Callers, $"Only {cancelled} calls were cancelled in time.");
        long grown = GC.GetTotalMemory(forceFullCollection: true) - before;
        Assert.True(grown < LeakBytesMax, $"{grown:N0} bytes more after {3 * Callers * CallsOfEach:N0} calls.");

        // Traffic goes on.
        for (int key = 0; key < Callers; key++)
        {
            Assert.Equal(ValueOf(key), await table.GetAsync($"key {key}"));
        }
    }

    [Fact]
    public async Task MoreThanTheWindowsOfBothSidesComesThrough()
    {
        await using ServerProcess server = await ServerProcess.StartAsync();
        await using var client = new PileClient(new PileClientOptions { Address = server.Address, Deadline = TimeSpan.FromMinutes(1) });
        PileClientTable table = client.Table();
        byte[][] values = [.. Enumerable.Range(0, 300).Select(static number => new byte[60_000 + number])];
        for (int number = 0; number < values.Length; number++)
        {
            new Random(number).NextBytes(values[number]);
        }

        await Within.AMinuteAsync(Task.WhenAll(values.Select((value, number) => table.SetAsync($"large {number}", value).AsTask())), "all stores");
        byte[]?[] read = await Within.AMinuteAsync(Task.WhenAll(values.Select((_, number) => table.GetAsync($"large {number}").AsTask())), "all reads");

        Assert.Equal(values, read);
    }

    private static async Task<int> StormAsync(PileClientTable table, int seed)
    {
        Task<int>[] callers = [.. Enumerable.Range(0, Callers).Select(caller => Task.Run(() => CallAsync(table, caller, new Random((seed * 1_000) + caller))))];
        return (await Within.AMinuteAsync(Task.WhenAll(callers), "the end of the storm")).Sum();
    }

    // Each stores under its own key what is there anyway, so that every read has one right answer.
    private static async Task<int> CallAsync(PileClientTable table, int caller, Random random)
    {
        int cancelled = 0;
        var others = new List<Task>();
        for (int call = 0; call < CallsOfEach; call++)
        {
            using var cancels = new CancellationTokenSource();
            int key = random.Next(Callers);
            Task<byte[]?>? read = random.Next(4) > 0 ? table.GetAsync($"key {key}", cancels.Token).AsTask() : null;
            Task<PileClientOutcome>? stored = read is null ? table.SetAsync($"key {caller}", ValueOf(caller), cancel: cancels.Token).AsTask() : null;
            int when = random.Next(4);
            if (when == 0)
            {
                await cancels.CancelAsync();
            }
            else if (when == 1)
            {
                Thread.SpinWait(random.Next(5_000));
                await cancels.CancelAsync();
            }
            else if (when == 2)
            {
                others.Add(Task.Run(cancels.Cancel));
            }

            try
            {
                if (read is not null)
                {
                    Assert.Equal(ValueOf(key), await read);
                }
                else
                {
                    Assert.Equal(PileClientOutcome.Replaced, await stored!);
                }
            }
            catch (OperationCanceledException told)
            {
                Assert.Equal(cancels.Token, told.CancellationToken);
                Assert.NotEqual(3, when);
                cancelled++;
            }

            await Task.WhenAll(others);
            others.Clear();
        }

        return cancelled;
    }

    private static byte[] ValueOf(int key)
    {
        byte[] value = new byte[100];
        Array.Fill(value, (byte)key);
        return value;
    }
}
