using System;
using System.IO;
using System.Linq;
using Pile.Format;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Durability;

/// <summary>A root that is removed and set again, neither of them durable, and a power cut that takes the one and leaves the other.</summary>
public sealed class RootCutTests
{
    private const string Path = "/pile";

    [Fact]
    public void OfTwoRootsOfANameThatACutLeftNoneRisesFromTheDead()
    {
        using var files = new SimulatedFiles();
        using ObjectPile pile = Open(files);
        PilePointer first = pile.PutBytes([1]);
        PilePointer second = pile.PutBytes([2]);
        pile.Roots.Set("a", first);
        pile.Commit();
        Assert.True(pile.Roots.Remove("a"));

        // Enough for another segment.
        Assert.All(Enumerable.Range(0, 100), _ => Assert.False(pile.PutBytes(new byte[1000]).IsNull));
        pile.Roots.Set("a", second);
        for (int seed = 0; seed < 600; seed++)
        {
            using SimulatedFiles cut = files.PowerCut(new Random(seed));
            using SimulatedFiles read = cut.Fork();
            using (ObjectPile reader = Open(read, PileOpenMode.ReadOnly))
            {
                using var export = new MemoryStream();
                reader.Export(export, cancellationToken: TestContext.Current.CancellationToken);
                export.Position = 0;
                using ObjectPile imported = PileImport.ToMemory(export, cancellationToken: TestContext.Current.CancellationToken);
                Assert.Equal(reader.Roots.Count, imported.Roots.Count);
            }

            using (ObjectPile opened = Open(cut))
            {
                Assert.InRange(opened.Roots.Count, 0, 1);
                _ = opened.Roots.Remove("a");
                opened.Commit();
                Assert.Empty(opened.Verify().Findings);
            }

            using ObjectPile again = Open(cut);
            Assert.Equal(0, again.Roots.Count);
        }
    }

    /// <summary>Which of the two stands in the higher slot says nothing: the one that was set last may have got a slot that was freed before.</summary>
    [Fact]
    public void AnExportHasTheRootThatIsShownAndTheOthersSlotAsOneThatWasFreed()
    {
        using var files = new SimulatedFiles();
        PilePointer first;
        PilePointer second;
        using (ObjectPile before = Open(files))
        {
            PilePointer[] low = [.. Enumerable.Range(0, 200).Select(_ => before.PutBytes([9]))];
            first = before.PutBytes([1]);
            second = before.PutBytes([2]);
            before.Roots.Set("a", first);
            Array.ForEach(low, pointer => Assert.True(before.Delete(pointer)));
        }

        using ObjectPile pile = Open(files);
        pile.Commit();
        uint slot = Enumerable.Range(1, (int)pile.Core.Slots.HighWater - 1).Select(static slot => (uint)slot).Single(slot => EntryWord.IsInternal(pile.Core.Table.Read(slot)));
        Assert.True(pile.Roots.Remove("a"));
        Assert.All(Enumerable.Range(0, 100), _ => Assert.False(pile.PutBytes(new byte[1000]).IsNull));
        pile.Roots.Set("a", second);
        bool isMet = false;
        for (int seed = 0; seed < 1000 && !isMet; seed++)
        {
            using SimulatedFiles cut = files.PowerCut(new Random(seed));
            using ObjectPile reader = Open(cut, PileOpenMode.ReadOnly);
            if (reader.Roots.TryGet("a", out PilePointer shown) && shown == second && EntryWord.IsInternal(reader.Core.Table.Read(slot)))
            {
                isMet = true;

                // It can't, and knows of it all the same, as where there is no room for the tombstone.
                reader.Roots.EndShadowed();
                using var imports = new SimulatedFiles();
                using var export = new MemoryStream();
                reader.Export(export, cancellationToken: TestContext.Current.CancellationToken);
                export.Position = 0;
                using ObjectPile imported = PileImport.ToDirectory(export, Path, PileOptions.Tiny with { Files = imports, MemoryLimitBytes = null }, cancellationToken: TestContext.Current.CancellationToken);
                Assert.True(imported.Roots.TryGet("a", out PilePointer got));
                Assert.Equal(shown, got);

                // By its tombstone, which has the generation.
                ulong freed = imported.Core.Table.Read(slot);
                Assert.False(EntryWord.IsLive(freed) || EntryWord.IsInternal(freed));
                Assert.NotEqual(0, EntryWord.Location(freed));
            }
        }

        Assert.True(isMet, "no cut left both");
    }

    private static ObjectPile Open(SimulatedFiles files, PileOpenMode mode = PileOpenMode.OpenOrCreate) => ObjectPile.Open(
        Path,
        PileOptions.Tiny with { Files = files, MemoryLimitBytes = null, DiskLimitBytes = 4 << 20, WritersMax = 1, FlushInterval = TimeSpan.FromHours(1), OpenMode = mode });
}
