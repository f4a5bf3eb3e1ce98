using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>Flushes for which there is no managed memory for a while: nothing has failed, and nothing ends.</summary>
public sealed class WantOfMemoryTests
{
    /// <summary>It ended all writing, until the pile was closed and opened again.</summary>
    [Fact]
    public async Task AFlushThatFindsNoMemoryBeforeItsSyncIsMadeAgain()
    {
        using var files = new SimulatedFiles();
        List<(PilePointer Pointer, byte[] Bytes)> stored = [];
        using ObjectPile pile = Open(files);
        var random = new Random(7);
        bool isWant = false;
        files.AtDetach = () =>
        {
            if (isWant)
            {
                throw new InsufficientMemoryException("the test wants it so");
            }
        };
        for (int round = 0; round < 6; round++)
        {
            for (int index = 0; index < 200; index++)
            {
                byte[] bytes = new byte[1000];
                random.NextBytes(bytes);
                stored.Add((pile.PutBytes(bytes), bytes));
            }

            Assert.True(pile.Delete(stored[round * 7].Pointer));
            stored[round * 7] = (stored[round * 7].Pointer, []);
            isWant = round % 2 == 0;
            if (isWant)
            {
                Assert.Contains("Commit again", Assert.Throws<InsufficientMemoryException>(pile.Commit).Message, StringComparison.Ordinal);
                _ = await Assert.ThrowsAsync<InsufficientMemoryException>(async () => await pile.CommitAsync(TestContext.Current.CancellationToken));
            }
            else
            {
                pile.Commit();
                await pile.CommitAsync(TestContext.Current.CancellationToken);
            }
        }

        AssertStored(pile, stored);
        Assert.True(pile.Verify().IsGood);
        files.AtDetach = null;

        // All that was committed by the last flush that came to be.
        using SimulatedFiles cut = files.PowerCut(new Random(3));
        using ObjectPile after = Open(cut);
        AssertStored(after, stored);
    }

    private static ObjectPile Open(SimulatedFiles files) =>
        ObjectPile.Open("/pile", PileOptions.Tiny with { Files = files, MemoryLimitBytes = null, FlushInterval = TimeSpan.FromHours(1), SegmentBytesMin = 128 << 10, SegmentBytesMax = 1 << 20 });

    private static void AssertStored(ObjectPile pile, List<(PilePointer Pointer, byte[] Bytes)> stored)
    {
        foreach ((PilePointer pointer, byte[] bytes) in stored)
        {
            if (bytes.Length == 0)
            {
                Assert.False(pile.TryGet(pointer, out byte[]? _));
            }
            else
            {
                Assert.Equal(bytes, pile.Get<byte[]>(pointer));
            }
        }
    }
}
