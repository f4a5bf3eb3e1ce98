using System;
using System.Linq;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>What a client keeps in memory of calls that were many at once.</summary>
[Collection(Alone.Name)]
public sealed class BurstTests
{
    private const int Calls = 1_000;
    private const int ValueBytes = 60_000;

    private static readonly byte[] _value = new byte[ValueBytes];

    /// <summary>With terms that are alike, and go together; and each with its own, which are a batch each.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task ABurstOfStoresIsNotKeptInMemory(bool isAlike)
    {
        const long KeptMax = 24 << 20;
        var go = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        await using ServerProcess server = await ServerProcess.StartAsync();
        await using var client = new PileClient(new PileClientOptions { Address = server.Address, Deadline = TimeSpan.FromMinutes(1), TokenProvider = async _ => await go.Task });
        PileClientTable table = client.Table();
        DateTimeOffset end = TimeProvider.System.GetUtcNow().AddDays(1);
        long before = GC.GetTotalMemory(forceFullCollection: true);
        Task[] calls = [.. Enumerable.Range(0, Calls).Select(number => table.SetAsync("a", _value, new PileClientTerms { AbsoluteExpiration = isAlike ? end : end.AddSeconds(number) }).AsTask())];
        go.SetResult(null!);
        await Within.AMinuteAsync(Task.WhenAll(calls), "the burst");

        // The pump may be a moment behind the last answer.
        await Within.UntilAsync(
            async () =>
            {
                _ = await table.RemoveAsync("none");
                return GC.GetTotalMemory(forceFullCollection: true) - before <= KeptMax;
            },
            $"at most {KeptMax:N0} bytes are kept of {(long)Calls * ValueBytes:N0}");
    }
}
