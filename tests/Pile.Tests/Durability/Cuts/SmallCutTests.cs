using System;
using System.Linq;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Durability.Cuts;

/// <summary>Single cuts, each of which once left something wrong; <see cref="CutTests"/> finds such, these say which.</summary>
[Trait("Category", "Crash")]
public sealed class SmallCutTests
{
    private const int LargeBytes = 40_000;

    [Fact]
    public void WhatWasClearedBeforeACutIsNotBackAfterTheKillThatFollows()
    {
        using var files = new SimulatedFiles();
        PilePointer pointer;
        SimulatedFiles cut;
        using (ObjectPile pile = CutLife.Open(files))
        {
            pointer = pile.Put("cleared");
            pile.Clear();

            // Only what was synced is left: the row of the cleared segment says open.
            cut = files.EnumerateCuts(int.MaxValue).First();
        }

        SimulatedFiles killed;
        using (ObjectPile pile = CutLife.Open(cut))
        {
            Assert.Equal(PileOpening.Crawled, pile.RecoveryReport().Opening);
            AssertEmpty(pile);
            killed = cut.Fork();
        }

        using (ObjectPile pile = CutLife.Open(killed))
        {
            Assert.Equal(PileOpening.RolledForward, pile.RecoveryReport().Opening);
            AssertEmpty(pile);
        }

        cut.Dispose();
        killed.Dispose();
        return;

        void AssertEmpty(ObjectPile pile)
        {
            bool found = pile.TryLease(pointer, out PileLease lease);
            lease.Dispose();
            Assert.False(found);
            Assert.Equal(0, pile.GetStatistics().Objects);
            PileVerifyReport report = pile.Verify();
            Assert.True(report.IsGood, string.Join("; ", report.Findings));
        }
    }

    [Fact]
    public void ACommitMakesDurableWhatAKilledProcessHasStored()
    {
        byte[] large = [.. Enumerable.Range(0, LargeBytes).Select(static index => (byte)index)];
        using var files = new SimulatedFiles();
        PilePointer pointer;
        SimulatedFiles killed;
        using (ObjectPile pile = CutLife.Open(files))
        {
            pointer = pile.PutBytes(large);
            killed = files.Fork();
        }

        using (ObjectPile pile = CutLife.Open(killed))
        {
            Assert.Equal(PileOpening.RolledForward, pile.RecoveryReport().Opening);
            pile.Commit();
            using SimulatedFiles cut = killed.EnumerateCuts(int.MaxValue).First();
            using ObjectPile opened = CutLife.Open(cut);
            Assert.Equal(large, opened.Get<byte[]>(pointer));
        }

        killed.Dispose();
    }

    [Fact]
    public void PagesThatAKilledProcessFreedAreNotUsedBeforeAFlush()
    {
        byte[] first = [.. Enumerable.Range(0, LargeBytes).Select(static index => (byte)index)];
        byte[] second = [1, 2, 3];
        using var files = new SimulatedFiles();
        PilePointer pointer;
        SimulatedFiles killed;
        using (ObjectPile pile = CutLife.Open(files))
        {
            pointer = pile.PutBytes(first);
            pile.Commit();
            pile.UpdateBytes(pointer, second);
            killed = files.Fork();
        }

        using (ObjectPile pile = CutLife.Open(killed))
        {
            Assert.Equal(PileOpening.RolledForward, pile.RecoveryReport().Opening);
            _ = pile.PutBytes(new byte[LargeBytes]);
            for (int seed = 0; seed < 40; seed++)
            {
                using SimulatedFiles cut = killed.PowerCut(new Random(seed));
                using ObjectPile opened = CutLife.Open(cut);
                byte[] found = opened.Get<byte[]>(pointer);
                Assert.Equal(found.Length == second.Length ? second : first, found);
            }
        }

        killed.Dispose();
    }
}
