// Calls of factories within calls, very many of them: who waits for whom is looked through in little time.
// While that lasts, no other call of a factory in the process can wait for one.
using System;
using System.Threading;
using System.Threading.Tasks;
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class FactoryChainTests
{
    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public async Task CallsThatEachWaitForTwoOthersAreLookedThroughOnceAndNotByEachWay()
    {
        using TinyCache tiny = new();
        PileTable<int, long> table = tiny.Table<int, long>();
        var gate = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        async ValueTask<long> Sum(int key, CancellationToken token)
        {
            if (key < 2)
            {
                await gate.Task;
                return key;
            }

            // While the one waits at the gate, the other is joined: by some way it waits for nearly all.
            Task<long> one = table.GetOrAddAsync(key - 1, Sum, null, token).AsTask();
            Task<long> other = table.GetOrAddAsync(key - 2, Sum, null, token).AsTask();
            return await one + await other;
        }

        // All of them are under way when the first call has come back to await.
        Task<Task<long>> begun = Task.Factory.StartNew(() => table.GetOrAddAsync(80, Sum, null, Stop).AsTask(), Stop, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        Task<long> sum = await begun.WaitAsync(TimeSpan.FromMinutes(1), Stop);
        gate.SetResult();
        Assert.Equal(23_416_728_348_467_685, await sum);
    }
}
