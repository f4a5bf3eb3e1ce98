using System;
using System.Buffers;
using System.Threading.Tasks;
using Grpc.Core;
using Grpc.Net.Client;
using Pile.Server.Calls;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>A server whose GC heap is small, as in a container: what does not fit is refused.</summary>
public sealed class SmallHeapTests
{
    [Theory]
    [InlineData("0x18000000", 48, 48)]
    [InlineData("0x8000000", 16, 16)]
    [InlineData("0x18000000", 60, 64, "--PileServer:MessageBytesMax=60MiB", "--PileServer:ReplyBudgetBytes=64MiB")]
    public async Task BudgetsThatNobodyHasSetTakeAnEighthOfIt(string heapBytes, ulong receiveMiB, ulong replyMiB, params string[] more)
    {
        await using ServerProcess server = await ServerProcess.StartAsync(["--in-memory", "--memory-limit=64MiB", "--listen=http://127.0.0.1:0", .. more], ("DOTNET_GCHeapHardLimit", heapBytes));
        using GrpcChannel channel = GrpcChannel.ForAddress(server.Address);
        V1.StatsReply stats = await new V1.Tables.TablesClient(channel).StatsAsync(new V1.StatsRequest(), deadline: TimeProvider.System.GetUtcNow().UtcDateTime.AddMinutes(1));
        Assert.Equal((receiveMiB << 20, replyMiB << 20), (stats.ReceiveBudgetBytes, stats.ReplyBudgetBytes));
    }

    [Fact]
    public void WithoutMemoryForAValueTheCallIsToBeTriedAgainAndNothingIsTaken()
    {
        var budget = new ReplyBudget(1 << 20);
        RpcException refused = Assert.Throws<RpcException>(() => budget.Rent(new NoMemory(), 1 << 19));
        Assert.Equal((StatusCode.ResourceExhausted, 0L), (refused.StatusCode, budget.TakenBytes));
    }

    private sealed class NoMemory : ArrayPool<byte>
    {
        public override byte[] Rent(int minimumLength) => throw new InsufficientMemoryException();

        public override void Return(byte[] array, bool clearArray = false)
        {
        }
    }
}
