using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Primitives;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Tests.Persistence;

/// <summary>The recount of more slots than one chunk, which several threads share once somebody waits for it.</summary>
public sealed class RecountTests : IDisposable
{
    private const int Objects = (4 * Limits.TablePieceSlots) + 1000;
    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData(PileOpenMode.OpenExisting)]
    [InlineData(PileOpenMode.ReadOnly)]
    public void WhoWaitsForItFindsEveryCountRight(PileOpenMode mode)
    {
        List<PilePointer> pointers = Fill();
        using ObjectPile pile = Open(mode);
        Assert.Empty(pile.Verify().Findings);
        Assert.Equal(pointers.Count, pile.GetStatistics().Objects);
        Assert.Equal(1, pile.GetStatistics().LargeObjects);
    }

    [Fact]
    public void WhoWritesMeanwhileIsCountedOnce()
    {
        List<PilePointer> pointers = Fill();
        using ObjectPile pile = Open(PileOpenMode.OpenExisting);
        OwnThread[] writers = [.. Enumerable.Range(0, 3).Select(part => OwnThread.Start(() => Change(pile, pointers, part)))];
        Assert.Empty(pile.Verify().Findings);
        foreach (OwnThread writer in writers)
        {
            writer.Join();
        }

        Assert.Empty(pile.Verify().Findings);
        Assert.Equal(pointers.Count - pointers.Where(static (_, index) => index % 9 < 3).Count(), pile.GetStatistics().Objects);
    }

    [Fact]
    public void RootsThatChangeBeforeItComesByAreCountedOnce()
    {
        using (ObjectPile pile = Open(PileOpenMode.CreateNew))
        {
            PilePointer first = pile.Put("first");
            for (int index = 0; index < Objects; index++)
            {
                _ = pile.PutBytes([(byte)index]);
            }

            // The last slots are counted last.
            for (int root = 0; root < 100; root++)
            {
                pile.Roots.Set($"root {root}", first);
            }
        }

        using (ObjectPile pile = Open(PileOpenMode.OpenExisting))
        {
            for (int root = 0; root < 100; root++)
            {
                if (root % 2 == 0)
                {
                    Assert.True(pile.Roots.Remove($"root {root}"));
                }
                else
                {
                    pile.Roots.Set($"root {root}", default);
                }
            }

            Assert.Empty(pile.Verify().Findings);
            for (int index = 0; index < 1_000; index++)
            {
                Assert.True(pile.Delete(pile.PutBytes([1])));
            }

            Assert.Empty(pile.Verify().Findings);
        }
    }

    /// <summary>Deletes every ninth, updates others and puts; from the end, where the recount is last.</summary>
    private static void Change(ObjectPile pile, List<PilePointer> pointers, int part)
    {
        for (int index = pointers.Count - 1; index >= 0; index--)
        {
            if (index % 9 == part)
            {
                Assert.True(pile.Delete(pointers[index]));
            }
            else if (index % 9 == part + 3)
            {
                pile.UpdateBytes(pointers[index], [1, 2, 3, 4]);
                Assert.True(pile.Delete(pile.PutBytes([5])));
            }
        }
    }

    private List<PilePointer> Fill()
    {
        using ObjectPile pile = Open(PileOpenMode.CreateNew);
        List<PilePointer> pointers = [.. Enumerable.Range(0, Objects).Select(index => pile.PutBytes([(byte)index]))];
        pointers.Add(pile.PutBytes(new byte[100_000]));
        for (int index = pointers.Count - 2; index >= 0; index -= 5)
        {
            Assert.True(pile.Delete(pointers[index]));
            pointers.RemoveAt(index);
        }

        return pointers;
    }

    private ObjectPile Open(PileOpenMode mode) =>
        ObjectPile.Open(_directory.Path, new PileOptions { OpenMode = mode, DiskLimitBytes = 256 << 20, FlushInterval = TimeSpan.FromHours(1) });
}
