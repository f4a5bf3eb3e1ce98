using System;
using System.Linq;
using Pile.Cache.Tests.Model;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests.Files;

/// <summary>A full cache in a pile that others may use too, killed: it comes again under the limit that it had, though what the kill left of segments takes the room of its indexes.</summary>
public sealed class KilledWhileFullTests
{
    private const int Keys = 900;
    private const int Tables = 3;
    private const int LimitBytes = 5 << 20;

    [Fact]
    public void ItComesWithAllThatIsDurableAndGoesBackUnderTheLimitByWhatMayLeave()
    {
        PileOptions options = PileOptions.Tiny with { MemoryLimitBytes = null, Promise = PilePromise.ProcessSafe, DiskLimitBytes = LimitBytes };
        using var files = new SimulatedFiles();
        using ObjectPile pile = ObjectPile.Open(MappedCache.Directory, options with { Files = files });
        using PileCache cache = PileCache.Share(pile);
        foreach (int key in Enumerable.Range(0, Keys))
        {
            Assert.True(TableOf(cache, key).Set(key, key).IsStored);
        }

        PileTable<int, byte[]> speculative = cache.GetOrCreateTable<int, byte[]>("speculative");
        var random = new Random(1);
        for (int key = 0; key < 8_000; key++)
        {
            Assert.True(speculative.Set(key, new byte[random.Next(20, 3_000)]).IsStored);
        }

        long usedBytes = pile.GetStatistics().UsedBytes;
        Assert.InRange(usedBytes, LimitBytes * 9 / 10, LimitBytes);
        for (long limitBytes = usedBytes - (200 << 10); limitBytes <= usedBytes; limitBytes += 8 << 10)
        {
            using SimulatedFiles killed = files.Fork();
            using ObjectPile next = ObjectPile.Open(MappedCache.Directory, options with { Files = killed, DiskLimitBytes = limitBytes });
            using var again = new MappedCache(killed, shared: next);
            Assert.All(Enumerable.Range(0, Keys), key =>
            {
                Assert.True(TableOf(again.Cache, key).TryGet(key, out int value));
                Assert.Equal(key, value);
            });

            PileTable<int, byte[]> others = again.Cache.GetOrCreateTable<int, byte[]>("speculative");
            for (int key = 10_000; key < 11_000; key++)
            {
                Assert.True(others.Set(key, new byte[1_000]).IsStored);
            }

            for (int tick = 0; tick < 10; tick++)
            {
                again.Tick();
            }

            Assert.InRange(next.GetStatistics().UsedBytes, limitBytes * 8 / 10, limitBytes);
        }
    }

    private static PileTable<int, int> TableOf(PileCache cache, int key) => cache.GetOrCreateTable<int, int>($"durable {key % Tables}", DurableTests.Durable);
}
