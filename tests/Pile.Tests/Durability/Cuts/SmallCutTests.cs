using System.Linq;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Durability.Cuts;

/// <summary>Single cuts, each of which once left something wrong; <see cref="CutTests"/> finds such, these say which.</summary>
[Trait("Category", "Crash")]
public sealed class SmallCutTests
{
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
}
