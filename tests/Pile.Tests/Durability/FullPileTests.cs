using System;
using System.Collections.Generic;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>A pile in files that answers Full can be deleted from, although each deletion appends.</summary>
public sealed class FullPileTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(800)]
    public void AFullPileCanBeEmptied(int bytes)
    {
        using var files = new SimulatedFiles();
        using ObjectPile pile = Open(files);
        List<PilePointer> all = Fill(pile, bytes);
        Assert.True(all.Count > 1000);
        int deleted = 0;
        foreach (PilePointer pointer in all)
        {
            try
            {
                Assert.True(pile.Delete(pointer));
                deleted++;
            }
            catch (PileFullException) when (bytes == 0)
            {
                // What it leaves takes as much as the object: one segment of it is all that there is.
                break;
            }
        }

        Assert.True(bytes == 0 ? deleted > 500 : deleted == all.Count, $"{deleted} of {all.Count}");
        Assert.Equal(all.Count - deleted, pile.GetStatistics().Objects);
        Assert.True(pile.Verify().IsGood);
    }

    [Fact]
    public void DeletionsBetweenPutsDoNotUseUpWhatDeletionsNeed()
    {
        using var files = new SimulatedFiles();
        using ObjectPile pile = Open(files);
        List<PilePointer> all = Fill(pile, 800);
        var random = new Random(7);
        int put = 0;
        for (int round = 0; round < 3000; round++)
        {
            int index = random.Next(all.Count);
            Assert.True(pile.Delete(all[index]), $"round {round}");
            all[index] = all[^1];
            all.RemoveAt(all.Count - 1);
            if (pile.TryPutBytes(new byte[800], out PilePointer pointer) == PileStatus.Ok)
            {
                all.Add(pointer);
                put++;
            }
        }

        Assert.True(put > 0);
        Assert.Equal(all.Count, pile.GetStatistics().Objects);
        Assert.True(pile.Verify().IsGood);
    }

    private static ObjectPile Open(SimulatedFiles files) =>
        ObjectPile.Open("/pile", PileOptions.Tiny with { Files = files, MemoryLimitBytes = null, DiskLimitBytes = 3 << 20, BackgroundCleaning = false, FlushInterval = TimeSpan.FromHours(1) });

    private static List<PilePointer> Fill(ObjectPile pile, int bytes)
    {
        List<PilePointer> all = [];
        while (pile.TryPutBytes(new byte[bytes], out PilePointer pointer) == PileStatus.Ok)
        {
            all.Add(pointer);
        }

        return all;
    }
}
