using System.Linq;
using Pile.Tests.Durability.Hostile;
using Xunit;

namespace Pile.Cache.Tests.Files;

/// <summary>A cache whose files another program brought to Btrfs, on a device that is full: a store into an index ended the process.</summary>
[Trait("Category", "Foreign")]
public sealed class BroughtBackTests
{
    [Fact]
    public void EntriesAreSetAndRemovedOnAFullDevice()
    {
        using SmallDevice device = SmallDevice.OfBtrfs(320);
        var options = new PileCacheOptions { MemoryLimitBytes = 32 << 20 };
        int[] keys = [.. Enumerable.Range(0, 20_000)];
        using (PileCache cache = PileCache.Open(device.Path, options))
        {
            PileTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("durable", DurableTests.Durable);
            Assert.All(keys, key => Assert.True(table.Set(key, new byte[100]).IsStored));
        }

        device.BringBack();
        using (PileCache cache = PileCache.Open(device.Path, options))
        {
            device.Fill();
            PileTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("durable", DurableTests.Durable);
            int removed = 0;
            foreach (int key in keys)
            {
                try
                {
                    removed += table.Remove(key) ? 1 : 0;
                }
                catch (PileFullException)
                {
                    // A removal takes a little of the device before it gives some back.
                    break;
                }
            }

            Assert.Equal(keys.Length - removed, table.Count);
            device.Leave(long.MaxValue);
        }

        using PileCache again = PileCache.Open(device.Path, options);
        Assert.True(again.Pile.Verify().IsGood);
    }
}
