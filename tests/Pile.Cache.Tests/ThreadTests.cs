// Many threads on one table, as ThreadsRun has them, and a counter that they share.
// The planted faults are held to the former too.
using System.Collections.Generic;
using System.Threading;
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class ThreadTests
{
    [Theory]
    [InlineData(PileTableKind.Speculative, 3, false)]
    [InlineData(PileTableKind.Durable, 48, false)]
    [InlineData(PileTableKind.Durable, 48, true)]
    public void ReadersSeeWholeValuesOfTheirKeysOnly(PileTableKind kind, int limitMiB, bool inFiles)
    {
        ThreadsRun.Run(kind, limitMiB, steps: 30_000, inFiles);
    }

    [Theory]
    [InlineData(PileTableKind.Speculative, false)]
    [InlineData(PileTableKind.Durable, true)]
    public void ACounterThatManyThreadsUpdateLosesNothing(PileTableKind kind, bool inFiles)
    {
        using TinyCache tiny = new(4 << 20, backgroundCleaning: true, inFiles);
        PileTable<int, long> table = tiny.Table<int, long>(new PileTableOptions { Kind = kind });
        table.Set(1, 0, new PileEntryOptions { Priority = PileCachePriority.NeverRemove });
        var threads = new List<Thread>();
        for (int index = 0; index < 4; index++)
        {
            var thread = new Thread(() =>
            {
                for (int step = 0; step < 5000; step++)
                {
                    table.Update(1, 1L, static (value, more) => value + more, new PileEntryOptions { Priority = PileCachePriority.NeverRemove });
                }
            });
            threads.Add(thread);
            thread.Start();
        }

        threads.ForEach(static thread => thread.Join());
        Assert.True(table.TryGet(1, out long count));
        Assert.Equal(20_000, count);
    }
}
