using System;
using System.Threading;
using Pile.Cache.Tests.Model;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>Large values whose entry never came, because the pile ended meanwhile.</summary>
public sealed class OrphanTests
{
    [Fact]
    public void ADisposeBetweenAValueAndItsEntryLeavesNoValueBehind()
    {
        for (int round = 0; round < 40; round++)
        {
            using var files = new SimulatedFiles();
            PileCache cache = PileCache.Open(MappedCache.Directory, new PileCacheOptions { MemoryLimitBytes = 8 << 20, BackgroundCleaning = false }, MappedCache.Options(files));
            PileTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("table");
            byte[] value = new byte[40_000];
            using var begun = new ManualResetEventSlim();
            var thread = new Thread(() =>
            {
                try
                {
                    for (int key = 0; ; key++)
                    {
                        table.Set(key % 50, value);
                        if (key == 60)
                        {
                            begun.Set();
                        }
                    }
                }
                catch (ObjectDisposedException)
                {
                    // The end of it.
                }
            });
            thread.Start();
            begun.Wait(TestContext.Current.CancellationToken);
            cache.Dispose();
            thread.Join();
            using PileCache again = PileCache.Open(MappedCache.Directory, new PileCacheOptions { MemoryLimitBytes = 8 << 20, BackgroundCleaning = false }, MappedCache.Options(files));
            Assert.Equal(again.Recovery[0].Entries, again.Pile.GetStatistics().Objects);
        }
    }
}
