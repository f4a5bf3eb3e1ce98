using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Pile.Memory;
using Pile.Tests.Memory.Simulation;
using Pile.Tests.Model;
using Xunit;

namespace Pile.Tests.Durability.Cuts;

/// <summary>Single cuts, each of which once left something wrong; <see cref="CutTests"/> finds such, these say which.</summary>
[Trait("Category", "Crash")]
public sealed class SmallCutTests
{
    private const int LargeBytes = 40_000;

    /// <summary>The life goes on behind the cut: a slot that its next flush freed is issued with the generation that a recovery of the image gives it, too. Nobody has both pointers.</summary>
    [Fact]
    public void APointerThatWasIssuedBehindACutMayBeIssuedAfterIt()
    {
        var files = new SimulatedFiles();
        using (ObjectPile pile = CutLife.Open(files))
        {
            PilePointer first = pile.PutBytes(new byte[16]);
            pile.Commit();
            Assert.True(pile.Delete(first));
        }

        SimulatedFiles killed;
        using (ObjectPile pile = CutLife.Open(files))
        {
            Assert.True(pile.Delete(pile.PutBytes(new byte[16])));
            killed = files.Fork();
        }

        files.Dispose();
        var model = new CutModel();
        using (ObjectPile pile = CutLife.Open(killed))
        {
            using SimulatedFiles image = killed.EnumerateCuts(int.MaxValue).First();
            pile.Commit();
            var state = new CutState(1, CutLane.Bytes, 64);
            model.Put(1, CutContent.Put(pile, 1, state), state);
            using ObjectPile opened = CutLife.Open(image);
            Assert.Equal("pointer issued twice", Assert.Throws<ModelMismatchException>(() => model.Compare(opened)).Detector);
            CutModel left = model.Compare(opened, lastKey: 0);
            opened.Commit();
            left.Put(2, CutContent.Put(opened, 2, state), state);
            Assert.Equal(model.Objects[0].Pointer, left.Objects[0].Pointer);
        }

        killed.Dispose();
    }

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
    public void ARetiredSegmentThatWasUsedAgainIsNoDamageToARecoverysRecovery()
    {
        using var files = new SimulatedFiles();
        using ObjectPile pile = CutLife.Open(files);
        List<PilePointer> kept = [];
        for (int index = 0; index < 40; index++)
        {
            PilePointer pointer = pile.PutBytes(Enumerable.Repeat((byte)index, 4000).ToArray());
            if (index % 8 == 0)
            {
                kept.Add(pointer);
                continue;
            }

            Assert.True(pile.Delete(pointer));
        }

        pile.Commit();
        for (int pass = 0; pass < 2; pass++)
        {
            pile.Durable!.Core.Cleaner.EnterRole();
            _ = pile.Durable.Core.Cleaner.Pass(wantedSegments: 4, utilisationMax: 0.98, waitMs: 0);
            pile.Durable.Core.Cleaner.ExitRole();
            pile.Commit();
        }

        for (int index = 0; index < 40; index++)
        {
            _ = pile.PutBytes(Enumerable.Repeat((byte)~index, 4000).ToArray());
            if (index % 4 == 0)
            {
                files.Snapshot();
            }
        }

        int opened = 0;
        for (int seed = 0; seed < 40; seed++)
        {
            var random = new Random(seed);
            List<SimulatedFiles> within = [];
            using SimulatedFiles cut = files.PowerCut(random);
            cut.AtCall = _ => within.Add(cut.PowerCut(random));
            AssertKept(cut);
            within.ForEach(AssertKept);
            within.ForEach(static files => files.Dispose());
        }

        Assert.True(opened > 400, $"{opened} opens");

        void AssertKept(SimulatedFiles image)
        {
            using ObjectPile found = CutLife.Open(image);
            image.AtCall = null;
            opened++;
            for (int index = 0; index < kept.Count; index++)
            {
                Assert.Equal(Enumerable.Repeat((byte)(index * 8), 4000), found.Get<byte[]>(kept[index]));
            }

            PileVerifyReport report = found.Verify();
            Assert.True(report.IsGood, string.Join("; ", report.Findings));
        }
    }

    [Fact]
    public void PagesOfALargeObjectThatWereUsedAgainAreNoDamageOfTheOneBefore()
    {
        using var files = new SimulatedFiles();
        using ObjectPile pile = CutLife.Open(files);
        PilePointer updated = pile.PutBytes(Large(1));
        pile.Commit();
        pile.UpdateBytes(updated, Large(2));
        pile.Commit();
        Assert.True(pile.Durable!.Core.Large.Reclaim(waitMs: 0) > 0);
        PilePointer committed = pile.PutBytes(Large(3));
        pile.Commit();
        pile.Commit();
        pile.UpdateBytes(committed, Large(4));
        pile.Commit();
        Assert.True(pile.Durable.Core.Large.Reclaim(waitMs: 0) > 0);
        PilePointer uncommitted = pile.PutBytes(Large(5));
        for (int seed = 0; seed < 40; seed++)
        {
            using SimulatedFiles cut = files.PowerCut(new Random(seed));
            using ObjectPile opened = CutLife.Open(cut);
            Assert.Empty(opened.RecoveryReport().Damages);
            Assert.Equal(Large(2), opened.Get<byte[]>(updated));
            Assert.Equal(Large(4), opened.Get<byte[]>(committed));
            if (opened.TryGet(uncommitted, out byte[]? found))
            {
                Assert.Equal(Large(5), found);
            }

            PileVerifyReport report = opened.Verify();
            Assert.True(report.IsGood, string.Join("; ", report.Findings));
        }

        static byte[] Large(byte content) => [.. Enumerable.Repeat(content, LargeBytes)];
    }

    [Fact]
    public void ACommitMakesDurableWhereARecoveryHasCut()
    {
        using var files = new SimulatedFiles();
        SimulatedFiles cut;
        PilePointer pointer;
        using (ObjectPile pile = CutLife.Open(files))
        {
            pointer = pile.Put("committed");
            pile.Commit();
            cut = files.EnumerateCuts(int.MaxValue).First();
        }

        using (ObjectPile pile = CutLife.Open(cut))
        {
            Assert.Equal((PileOpening.Crawled, 1), (pile.RecoveryReport().Opening, pile.RecoveryReport().SegmentsCut));
            Assert.Equal((PileOpening.Crawled, 1), CutOnce());
            pile.Commit();
            Assert.Equal((PileOpening.Crawled, 0), CutOnce());
        }

        cut.Dispose();

        // The image that has only what was synced.
        (PileOpening Opening, int SegmentsCut) CutOnce()
        {
            using SimulatedFiles again = cut.EnumerateCuts(int.MaxValue).First();
            using ObjectPile opened = CutLife.Open(again);
            Assert.Equal("committed", opened.Get<string>(pointer));
            return (opened.RecoveryReport().Opening, opened.RecoveryReport().SegmentsCut);
        }
    }

    /// <summary>A large object whose pages are missing ends its segment, though what stands behind it is whole. Once the object's slot has a newer
    /// record nothing says so any more but the segment's header; that holds too where the first open that found it was killed before it had
    /// synced the header, and where that sync failed.</summary>
    [Theory]
    [InlineData(FirstOpen.Ends)]
    [InlineData(FirstOpen.IsKilled)]
    [InlineData(FirstOpen.FailsToSync)]
    public void WhatStoodBehindALargeObjectThatACutTookIsNotBackAfterTheNextCut(FirstOpen first)
    {
        int behind = 0;
        for (int seed = 0; seed < 24; seed++)
        {
            using var files = new SimulatedFiles();
            SimulatedFiles cut;
            PilePointer changed;
            PilePointer later;
            using (ObjectPile pile = CutLife.Open(files))
            {
                changed = pile.Put("first");
                later = pile.Put("before");
                pile.Commit();
                pile.Commit();
                pile.UpdateBytes(changed, [.. Enumerable.Range(0, LargeBytes).Select(static index => (byte)(index * 7))]);
                pile.Update(later, "behind");
                cut = files.PowerCut(new Random(seed));
            }

            if (After(first, cut) is not { } found)
            {
                continue;
            }

            cut = found;
            using (ObjectPile pile = CutLife.Open(cut))
            {
                Assert.Equal(PileOpening.Crawled, pile.RecoveryReport().Opening);
                if (pile.Get<string>(later) != "before")
                {
                    continue;
                }

                pile.Update(changed, "lost");
                pile.Update(changed, "second");
                for (int next = 0; next < 12; next++)
                {
                    using SimulatedFiles again = cut.PowerCut(new Random(next));
                    using ObjectPile opened = CutLife.Open(again);
                    Assert.Equal("before", opened.Get<string>(later));
                    behind += opened.Get<string>(changed) == "second" ? 1 : 0;
                }
            }

            cut.Dispose();
        }

        Assert.True(behind > 20, $"{behind} cuts left what was written last");
    }

    /// <summary>What an open leaves to the next one; null when it had nothing to sync.</summary>
    private static SimulatedFiles? After(FirstOpen first, SimulatedFiles files)
    {
        if (first == FirstOpen.Ends)
        {
            return files;
        }

        SimulatedFiles? next = null;
        files.AtCall = call =>
        {
            if (next is not null || !call.StartsWith("fdatasync", StringComparison.Ordinal) || !call.Contains("extents", StringComparison.Ordinal))
            {
                return;
            }

            next = first == FirstOpen.IsKilled ? files.Fork() : files;
            if (next == files)
            {
                throw new FileCallException("fdatasync", call, "the test wants it so", FileFailure.Other);
            }
        };
        try
        {
            ObjectPile pile = CutLife.Open(files);
            files.AtCall = null;
            pile.Dispose();
        }
        catch (IOException) when (next == files)
        {
            files.AtCall = null;
        }

        return next;
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
