// Removals by tag in files that are full: one whose entries make room for its note takes place, and of one that can't be noted nothing else is taken for removed.
using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Cache.Tests.Model;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class TagRoomTests
{
    [Theory]
    [InlineData(false, true)]
    [InlineData(true, true)]
    [InlineData(true, false)]
    public void NoEntryOfAFullTableIsLostForARemovalThatFindsNoRoom(bool isKnown, bool removes)
    {
        using var files = new SimulatedFiles();
        var clock = new ManualClock();
        int entries;
        bool isThere;
        using (var first = new MappedCache(files, clock, limitBytes: 2 << 20, flushes: true))
        {
            PileTable<int, byte[]> table = first.Table<int, byte[]>(DurableTests.Durable);
            _ = table.Set(-1, [1], Tagged("green"));
            if (isKnown)
            {
                table.RemoveByTag("green");
                _ = table.Set(-1, [1], Tagged("green"));
            }

            entries = Fill(table);
            bool isRemoved = removes && Record.Exception(() => table.RemoveByTag("green")) is not PileFullException;
            isThere = table.ContainsKey(-1);
            Assert.False(isRemoved && isThere);
            Assert.True(removes || isThere);
        }

        // What was full is full still.
        for (int open = 0; open < 3; open++)
        {
            using var again = new MappedCache(files, clock, limitBytes: 2 << 20, flushes: true);
            PileTable<int, byte[]> table = again.Table<int, byte[]>(DurableTests.Durable);
            Assert.Equal(entries, Enumerable.Range(0, entries).Count(table.ContainsKey));
            Assert.Equal(isThere, table.ContainsKey(-1));
        }
    }

    [Fact]
    public void TheFirstTagOfAFullPileIsRefusedAndLaterOnesHold()
    {
        using var files = new SimulatedFiles();
        var clock = new ManualClock();
        using (var first = new MappedCache(files, clock, limitBytes: 2 << 20, flushes: true))
        {
            PileTable<int, byte[]> table = first.Table<int, byte[]>(DurableTests.Durable);
            int entries = 0;
            for (int bytes = 2_000; bytes > 0; bytes /= 2)
            {
                while (table.Set(entries, new byte[bytes]).IsStored)
                {
                    entries++;
                }
            }

            _ = Assert.Throws<PileFullException>(() => table.RemoveByTag("green"));
            for (int key = 0; key < entries; key++)
            {
                Assert.True(table.Remove(key));
            }

            Assert.True(table.Set(-1, [1], Tagged("green")).IsStored);
            Assert.True(table.Set(-2, [1], Tagged("red")).IsStored);
            table.RemoveByTag("green");
        }

        using var second = new MappedCache(files, clock, limitBytes: 2 << 20, flushes: true);
        Assert.Equal([false, true], ((int[])[-1, -2]).Select(second.Table<int, byte[]>(DurableTests.Durable).ContainsKey));
    }

    [Fact]
    public void TheFirstEntryWithTagsOfAFullPileIsFullAndWhatItsFactoryMadeIsAnswered()
    {
        using var files = new SimulatedFiles();
        using var cache = new MappedCache(files, limitBytes: 2 << 20, flushes: true);
        PileTable<int, string> table = cache.Table<int, string>();
        PileTable<int, byte[]> durable = cache.Cache.GetOrCreateTable<int, byte[]>("full", DurableTests.Durable);
        for (int bytes = 2_000, entries = 0; bytes > 0; bytes /= 2)
        {
            while (durable.Set(entries, new byte[bytes]).IsStored)
            {
                entries++;
            }
        }

        Assert.Equal(PileSetOutcome.Full, table.Set(1, "value", Tagged("green")).Outcome);
        Assert.Equal("made", table.GetOrAdd(1, static _ => "made", new PileFactoryOptions { Entry = Tagged("green") }));
        var store = new FakeStore();
        Assert.Equal(PileSetOutcome.Full, table.WithStore(store, new PileFactoryOptions { Entry = Tagged("green") }).Set(1, "value").Outcome);
        Assert.Equal("value", store.Values[1]);
        Assert.False(table.ContainsKey(1));
    }

    /// <summary>What they leave is less than a segment, and enough for the note.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    [InlineData(4)]
    [InlineData(5)]
    [InlineData(6)]
    public void ARemovalWhoseEntriesMakeRoomForItsNoteTakesPlaceAndLasts(int seed)
    {
        using var files = new SimulatedFiles();
        var clock = new ManualClock();
        var random = new Random(seed);
        long limit = (2 << 20) + random.Next(1 << 20);
        List<int> tagged = [];
        List<int> others = [];
        using (var first = new MappedCache(files, clock, limitBytes: limit, flushes: true))
        {
            PileTable<int, byte[]> table = first.Table<int, byte[]>(DurableTests.Durable);
            for (int key = 0, full = 0; full < 40; key++)
            {
                bool isTagged = random.Next(60) == 0;
                if (table.Set(key, new byte[random.Next(key % 50 == 0 ? 30_000 : 600) >> (full / 8)], isTagged ? Tagged("green") : new PileEntryOptions()).IsStored)
                {
                    (isTagged ? tagged : others).Add(key);
                }
                else
                {
                    full++;
                }
            }

            table.RemoveByTag("green");
            Assert.DoesNotContain(tagged, table.ContainsKey);
        }

        using var again = new MappedCache(files, clock, limitBytes: limit, flushes: true);
        PileTable<int, byte[]> found = again.Table<int, byte[]>(DurableTests.Durable);
        Assert.NotEmpty(tagged);
        Assert.DoesNotContain(tagged, found.ContainsKey);
        Assert.All(others, key => Assert.True(found.ContainsKey(key)));
        Assert.True(found.Remove(others[0]));
    }

    /// <summary>Else a pile that is full could not be deleted from any more.</summary>
    [Fact]
    public void RemovalsOfTagsThatNoEntryHasTakeNoRoomOfDeletions()
    {
        using var files = new SimulatedFiles();
        using var cache = new MappedCache(files, limitBytes: 2 << 20, flushes: true);
        PileTable<int, byte[]> table = cache.Table<int, byte[]>(DurableTests.Durable);
        int entries = Fill(table);
        int refused = 0;
        for (int tag = 0; tag < 3000 && refused < 100; tag++)
        {
            refused += Record.Exception(() => table.RemoveByTag($"tag {tag % 60}")) is PileFullException full ? 1 : 0;
        }

        Assert.Equal(100, refused);
        Assert.All(Enumerable.Range(0, entries), key => Assert.True(table.Remove(key)));
    }

    /// <summary>Whether or not what one leaves is enough for its note.</summary>
    [Theory]
    [InlineData(1500, 1)]
    [InlineData(300, 14)]
    public void ManyRemovalsOfFewSmallEntriesLeaveAFullPileThatIsDeletedFrom(int tags, int entriesOfEach)
    {
        using var files = new SimulatedFiles();
        using var cache = new MappedCache(files, limitBytes: 2 << 20, flushes: true);
        PileTable<int, byte[]> table = cache.Table<int, byte[]>(DurableTests.Durable);
        for (int key = 0; key < tags * entriesOfEach; key++)
        {
            Assert.True(table.Set(-1 - key, [1], Tagged($"tag {key % tags}")).IsStored);
        }

        int entries = Fill(table);
        for (int tag = 0; tag < tags; tag++)
        {
            bool isRefused = Record.Exception(() => table.RemoveByTag($"tag {tag}")) is PileFullException;
            Assert.False(isRefused && entriesOfEach > 1);
        }

        Assert.All(Enumerable.Range(-tags * entriesOfEach, entries + (tags * entriesOfEach)).Where(table.ContainsKey), key => Assert.True(table.Remove(key)));
        Assert.Empty(table.Enumerate());
    }

    private static int Fill(PileTable<int, byte[]> table)
    {
        int entries = 0;
        for (int bytes = 2_000; bytes > 0; bytes /= 2)
        {
            while (table.Set(entries, new byte[bytes], Tagged("red")).IsStored)
            {
                entries++;
            }
        }

        return entries;
    }

    private static PileEntryOptions Tagged(string tag) => new() { Tags = [tag] };
}
