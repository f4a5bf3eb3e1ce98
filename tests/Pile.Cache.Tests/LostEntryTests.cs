using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Cache.Tests.Model;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>Durable tables over an object table that leads to no records for a while, because rows of segments read as zeros: the next open has all of
/// them again, and what is set meanwhile is lost to none.</summary>
public sealed class LostEntryTests
{
    private const int Keys = 600;

    /// <summary>Counted before the open returns: known before the cache comes.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void ACacheDoesNotComeOverADamagedTableAndTheNextOpenHasAll(bool hasFacts)
    {
        using SimulatedFiles files = Fill(hasFacts);
        RequireRefused(files);
        RequireAll(files, Enumerable.Repeat(100, Keys));
    }

    /// <summary>Counted beside the users: found by the walk over the slots, where one is made, which then has the count say it.</summary>
    [Fact]
    public void ACacheThatFindsTheDamageItselfDoesNotCome()
    {
        using SimulatedFiles files = Fill(hasFacts: false);
        RequireRefused(files, countsLater: true);
        RequireAll(files, Enumerable.Repeat(100, Keys));
    }

    /// <summary>Met by who sets, where the cache has come before the count.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ASetBesideALostEntryIsRefusedAndTheNextOpenHasBoth(bool isKilled)
    {
        using SimulatedFiles files = Fill(hasFacts: true);
        SimulatedFiles killed;
        int[] expected;
        using (ObjectPile pile = Open(files, countsLater: true))
        using (PileCache cache = PileCache.Share(pile))
        {
            pile.Durable!.Upkeep.Recounting.CountNow();
            expected = SetAll(Table(cache), refused: 100);
            Assert.All(expected.Take(Keys), static bytes => Assert.Equal(100, bytes));
            pile.Commit();
            killed = files.Fork();
        }

        using (killed)
        {
            RequireAll(isKilled ? killed : files, expected);
        }
    }

    /// <summary>What is stored before the count may take the place of what the rows do not show: that is lost, and nothing that was acknowledged since.</summary>
    [Fact]
    public void WhatIsSetBeforeTheCountIsThereWhateverBecomesOfTheLostOnes()
    {
        using SimulatedFiles files = Fill(hasFacts: true);
        int[] expected;
        using (ObjectPile pile = Open(files, countsLater: true))
        using (PileCache cache = PileCache.Share(pile))
        {
            expected = SetAll(Table(cache), refused: 0);
        }

        RequireRefused(files);
        int[] found;
        using (ObjectPile pile = Open(files))
        using (PileCache cache = PileCache.Share(pile))
        {
            found = [.. Enumerable.Range(0, expected.Length).Select(key => Table(cache).TryGet(key, out byte[]? value) ? value.Length : 0)];
        }

        Assert.All(found.Zip(expected), static pair => Assert.True(pair.First == pair.Second || (pair.First == 100 && pair.Second == 0)));
        RequireAll(files, found);
    }

    /// <summary>Entries of speculative tables have no slots; what has them in the same segments has the count write the rows again, and the next open has the old entries too.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void ASpeculativeTableShowsNoValueThatWasReplacedMeanwhile(bool isKilled)
    {
        using SimulatedFiles files = Fill(hasFacts: true, PileTableKind.Speculative);
        SimulatedFiles killed;
        using (ObjectPile pile = Open(files))
        using (PileCache cache = PileCache.Share(pile))
        {
            Assert.NotEqual(0, pile.GetStatistics().TableDamages);
            PileTable<int, byte[]> table = Table(cache, PileTableKind.Speculative);
            for (int key = 0; key < Keys; key++)
            {
                Assert.True(table.Set(key, new byte[9]).IsStored);
            }

            pile.Commit();
            killed = files.Fork();
        }

        using (killed)
        {
            for (int opens = 0; opens < 2; opens++)
            {
                using ObjectPile pile = Open(isKilled ? killed : files);
                using PileCache cache = PileCache.Share(pile);
                PileTable<int, byte[]> table = Table(cache, PileTableKind.Speculative);
                Assert.All(Enumerable.Range(0, Keys), key => Assert.Equal(isKilled ? 0 : 9, table.TryGet(key, out byte[]? value) ? value.Length : 0));
                Assert.Equal(isKilled ? 0 : Keys, table.Count);
                Assert.True(pile.Verify().IsGood);
            }
        }
    }

    /// <summary>Sets 9 bytes for twice as many keys.</summary>
    /// <returns>What each key is to have, as far as it was acknowledged.</returns>
    private static int[] SetAll(PileTable<int, byte[]> table, int refused)
    {
        int[] expected = [.. Enumerable.Repeat(refused, Keys), .. Enumerable.Repeat(0, Keys)];
        for (int key = 0; key < 2 * Keys; key++)
        {
            try
            {
                Assert.True(table.Set(key, new byte[9]).IsStored);
                Assert.True(table.TryGet(key, out byte[]? value) && value.Length == 9);
                expected[key] = 9;
            }
            catch (PileCorruptedException)
            {
                Assert.False(table.TryGet(key, out _));
            }
        }

        Assert.True(expected.Count(static bytes => bytes == 9) >= Keys - 10);
        return expected;
    }

    private static ObjectPile Open(SimulatedFiles files, bool countsLater = false)
    {
        PileOptions options = MappedCache.Options(files);
        return ObjectPile.Open(MappedCache.Directory, countsLater ? options with { RecountSlots = -1 } : options);
    }

    private static void RequireRefused(SimulatedFiles files, bool countsLater = false)
    {
        using ObjectPile pile = Open(files, countsLater);
        Assert.Contains("open it again", Assert.Throws<PileCorruptedException>(() => PileCache.Share(pile)).Message, StringComparison.Ordinal);
    }

    private static PileTable<int, byte[]> Table(PileCache cache, PileTableKind kind = PileTableKind.Durable) =>
        cache.GetOrCreateTable<int, byte[]>("d", new PileTableOptions { Kind = kind });

    /// <summary>A closed cache whose first extent says of all its segments that they hold nothing.</summary>
    private static SimulatedFiles Fill(bool hasFacts, PileTableKind kind = PileTableKind.Durable)
    {
        var files = new SimulatedFiles();
        using (ObjectPile pile = Open(files))
        using (PileCache cache = PileCache.Share(pile))
        {
            PileTable<int, byte[]> table = Table(cache, kind);
            for (int key = 0; key < Keys; key++)
            {
                Assert.True(table.Set(key, new byte[50]).IsStored);
                Assert.True(table.Set(key, new byte[100]).IsStored);
                _ = pile.PutBytes(new byte[50]);
            }
        }

        if (!hasFacts)
        {
            files.Delete(MappedCache.Directory + "/" + StoreNames.CacheFacts);
        }

        using StoreFile extent = files.Open(MappedCache.Directory + "/extents/00000001", FileOpening.OpenExisting);
        extent.Write(ExtentHeader.RowsOffset, new byte[ExtentHeader.CopyOffset - ExtentHeader.RowsOffset]);
        return files;
    }

    private static void RequireAll(SimulatedFiles files, IEnumerable<int> bytes)
    {
        int[] expected = [.. bytes];
        for (int opens = 0; opens < 3; opens++)
        {
            using ObjectPile pile = Open(files);
            Assert.Empty(pile.RecoveryReport().Damages);
            using PileCache cache = PileCache.Share(pile);
            PileTable<int, byte[]> table = Table(cache);
            Assert.Equal(expected, Enumerable.Range(0, expected.Length).Select(key => table.TryGet(key, out byte[]? value) ? value.Length : 0));
            Assert.Equal(expected.Count(static size => size > 0), table.Count);
            Assert.True(pile.Verify().IsGood);
            Assert.True(table.Set(0, new byte[expected[0] += 1]).IsStored);
        }
    }
}
