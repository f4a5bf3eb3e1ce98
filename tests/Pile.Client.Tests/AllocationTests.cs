using System;
using System.Linq;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>What calls allocate in the client, in the whole process: alone, against a server in another process.</summary>
[Collection(Alone.Name)]
public sealed class AllocationTests
{
    private const int Rounds = 10;
    private const int WindowsMax = 6;

    // Calls of a caller in a round: what the caller costs itself, once a round, comes to less than a byte for each.
    private const int Times = 512;
    private const int BesidesBytes = 2;

    [Fact]
    public async Task AGetAmongOthersAllocatesNothing()
    {
        await using ServerProcess server = await ServerProcess.StartAsync();
        await using var client = new PileClient(new PileClientOptions { Address = server.Address, Deadline = TimeSpan.FromMinutes(1) });
        PileClientTable table = client.Table();
        PileKey[] keys = [.. Enumerable.Range(0, 64).Select(static number => new PileKey($"key {number}"))];
        foreach (PileKey key in keys)
        {
            _ = await table.SetAsync(key, new byte[100]);
        }

        await AssertAtMostAsync(BesidesBytes, keys.Length * Times, () => Task.WhenAll(keys.Select(key => ReadAsync(table, key, Times))));
    }

    [Fact]
    public async Task AGetAloneAllocatesNothing()
    {
        await using ServerProcess server = await ServerProcess.StartAsync();
        await using var client = new PileClient(new PileClientOptions { Address = server.Address, Deadline = TimeSpan.FromMinutes(1) });
        PileClientTable table = client.Table();
        _ = await table.SetAsync("a", new byte[100]);
        await AssertAtMostAsync(BesidesBytes, Times, () => ReadAsync(table, "a", Times));
    }

    private static async Task ReadAsync(PileClientTable table, PileKey key, int times)
    {
        byte[] target = new byte[100];
        for (int time = 0; time < times; time++)
        {
            // An assertion would allocate by itself.
            int bytes = await table.GetAsync(key, target.AsMemory());
            if (bytes != 100)
            {
                Assert.Fail($"{bytes} bytes came.");
            }
        }
    }

    // The least of many windows: what happens once, and what the runtime does beside, is not the call's.
    private static async Task AssertAtMostAsync(int bytes, int calls, Func<Task> work)
    {
        double least = double.MaxValue;
        for (int window = 0; window < WindowsMax && least > bytes; window++)
        {
            long before = GC.GetTotalAllocatedBytes(precise: true);
            for (int round = 0; round < Rounds; round++)
            {
                await work();
            }

            least = double.Min(least, (GC.GetTotalAllocatedBytes(precise: true) - before) / (double)(Rounds * calls));
        }

        Assert.True(least <= bytes, $"{least:N1} bytes for a call, at most {bytes} are allowed.");
    }
}
