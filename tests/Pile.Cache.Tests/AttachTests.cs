using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using Pile.Cache.Tests.Model;
using Pile.Memory;
using Pile.Tests.Durability;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>A cache that comes to a pile in files, or goes from it: what it leaves behind in the pile and in the directory.</summary>
public sealed class AttachTests
{
    [Fact]
    public void ASharedCacheThatEndsBeforeItsPileKeepsItsTablesInFiles()
    {
        using var files = new SimulatedFiles();
        using (ObjectPile pile = ObjectPile.Open(MappedCache.Directory, MappedCache.Options(files)))
        using (PileCache cache = PileCache.Share(pile))
        {
            PileTable<int, int> table = cache.GetOrCreateTable<int, int>("table");
            table.Set(1, 7);
            cache.Dispose();
            Assert.Throws<ObjectDisposedException>(() => table.TryGet(1, out int _));
            Assert.Throws<ObjectDisposedException>(() => table.Set(1, 8));
            Assert.Throws<ObjectDisposedException>(() => cache.GetOrCreateTable<int, int>("table"));
            Assert.True(pile.Verify().IsGood);
        }

        using ObjectPile again = ObjectPile.Open(MappedCache.Directory, MappedCache.Options(files));
        using PileCache second = PileCache.Share(again);
        Assert.Equal(1, Assert.Single(second.Recovery).Entries);
        Assert.True(second.GetOrCreateTable<int, int>("table").TryGet(1, out int value));
        Assert.Equal(7, value);
    }

    [Fact]
    public void ACacheThatCannotComeToAPileGivesBackWhatItTook()
    {
        using var files = new SimulatedFiles();
        using (var first = new MappedCache(files))
        {
            foreach (string name in new[] { "a", "b", "c" })
            {
                first.Cache.GetOrCreateTable<int, int>(name).Set(1, 1);
            }
        }

        int calls = CallsOfShare(files);
        Assert.True(calls > 5);
        for (int call = 1; call <= calls; call++)
        {
            using SimulatedFiles tried = files.Fork();
            using ObjectPile pile = Open(tried);
            long before = pile.GetStatistics().UsedBytes;
            tried.FailAt(tried.Calls + call, FileFailure.Other);
            PileCache? cache = null;
            Exception? failure = Record.Exception(() => cache = PileCache.Share(pile));
            if (cache is null)
            {
                Assert.False(failure is FileCallException, $"call {call}: the failure has a type that programs can't name");
                Assert.Equal(before, pile.GetStatistics().UsedBytes);
                Assert.True(pile.Verify().IsGood);

                // What was open is closed: it can be tried again.
                cache = PileCache.Share(pile);
            }

            foreach (PileTableRecovery kept in cache.Recovery.Where(static table => table.IsKept))
            {
                Assert.True(cache.GetOrCreateTable<int, int>(kept.Name).ContainsKey(1));
            }

            Assert.True(pile.Verify().IsGood);
        }
    }

    /// <summary>The last that a cache does when it comes is to look at removals by tag, which asks for the time.</summary>
    [Fact]
    public void ACacheWhoseClockThrowsWhileItComesCanBeSharedAgain()
    {
        using var files = new SimulatedFiles();
        using (var first = new MappedCache(files))
        {
            PileTable<int, int> table = first.Table<int, int>(DurableTests.Durable);
            table.Set(1, 1, new PileEntryOptions { Tags = ["red"] });
            table.Set(2, 2, new PileEntryOptions { Tags = ["blue"] });
            first.Cache.RemoveByTag("red");
        }

        int thrown = 0;
        for (int read = 1; thrown == read - 1; read++)
        {
            using SimulatedFiles tried = files.Fork();
            using ObjectPile pile = Open(tried);
            int reads = 0;
            var clock = new ManualClock { AtRead = () => _ = ++reads == read ? throw new NotSupportedException("the test wants it so") : 0 };
            Exception? failure = Record.Exception(() => PileCache.Share(pile, new PileCacheOptions { TimeProvider = clock }).Dispose());
            thrown += failure is null ? 0 : 1;
            if (failure is not null)
            {
                var good = new ManualClock();
                using PileCache cache = PileCache.Share(pile, new PileCacheOptions { TimeProvider = good });
                PileTable<int, int> table = cache.GetOrCreateTable<int, int>("table");
                table.Set(3, 3, new PileEntryOptions { TimeToLive = TimeSpan.FromSeconds(1) });
                Assert.Equal([false, true, true], Enumerable.Range(1, 3).Select(table.ContainsKey));
                good.Move(TimeSpan.FromSeconds(2));
                table.RemoveByTag("blue");
                Assert.Equal([false, false, false], Enumerable.Range(1, 3).Select(table.ContainsKey));
                Assert.Equal(["table"], cache.TableNames);
                Assert.True(pile.Verify().IsGood);
            }
        }

        Assert.True(thrown > 2, $"{thrown}");
    }

    [Fact]
    public void OfTwoThatShareAPileAtOnceOneIsRefused()
    {
        using var files = new SimulatedFiles();
        using (var first = new MappedCache(files))
        {
            first.Table<int, int>().Set(1, 1);
        }

        using ObjectPile pile = Open(files);
        Thread? other = null;
        Exception? refused = null;
        files.AtCall = call =>
        {
            if (other is null)
            {
                // In the midst of the first one's work.
                other = new Thread(() => refused = Record.Exception(() => PileCache.Share(pile)));
                files.AtCall = null;
                other.Start();
            }
        };
        using PileCache cache = PileCache.Share(pile);
        other!.Join();
        Assert.IsType<InvalidOperationException>(refused);
        Assert.True(Assert.Single(cache.Recovery).IsKept);
        Assert.True(cache.GetOrCreateTable<int, int>("table").ContainsKey(1));
        Assert.True(pile.Verify().IsGood);
    }

    [Fact]
    public void ADirectoryInPlaceOfAnIndexDoesNotKeepTablesFromBeingMade()
    {
        using var directory = new TemporaryDirectory();
        using (PileCache first = OpenReal(directory))
        {
            first.GetOrCreateTable<int, int>("table").Set(1, 1);
        }

        string index = Path.Combine(directory.Path, "index.1");
        File.Delete(index);
        Directory.CreateDirectory(index);
        using PileCache second = OpenReal(directory);
        Assert.False(Assert.Single(second.Recovery).IsKept);
        Assert.True(second.GetOrCreateTable<int, int>("table").Set(1, 2).IsStored);
    }

    [Fact]
    public void FactsLargerThanAnyArrayAreNone()
    {
        using var directory = new TemporaryDirectory();
        using (PileCache first = OpenReal(directory))
        {
            first.GetOrCreateTable<int, int>("table").Set(1, 1);
        }

        using (FileStream facts = File.OpenWrite(Path.Combine(directory.Path, "cache.facts")))
        {
            facts.SetLength(3L << 30);
        }

        using PileCache second = OpenReal(directory);
        Assert.True(second.GetOrCreateTable<int, int>("table").ContainsKey(1));
    }

    [Fact]
    public void ATableThatCannotBeMadeLeavesNothingBehind()
    {
        using var files = new SimulatedFiles();
        int calls = 0;
        for (int call = 0; call <= calls; call++)
        {
            using SimulatedFiles tried = files.Fork();
            using ObjectPile pile = Open(tried);
            using PileCache cache = PileCache.Share(pile);
            long before = pile.GetStatistics().UsedBytes;
            int first = tried.Calls;
            if (call > 0)
            {
                tried.FailAt(first + call, FileFailure.Denied);
            }

            Exception? failure = Record.Exception(() => cache.GetOrCreateTable<int, int>("table"));
            calls = call == 0 ? tried.Calls - first : calls;
            Assert.False(failure is FileCallException, $"call {call}: the failure has a type that programs can't name");
            if (failure is not null)
            {
                Assert.Equal(before, pile.GetStatistics().UsedBytes);
                Assert.Empty(cache.TableNames);
            }

            Assert.True(pile.Verify().IsGood);
            if (pile.Durable!.Flusher.Failure is not null)
            {
                // What fails while an index takes room ends all writing, as it does in extents.
                _ = Assert.Throws<IOException>(pile.Dispose);
            }
        }

        Assert.True(calls > 5);
    }

    [Fact]
    public void ACacheThatIsDisposedWhileATableIsAskedForAnswersDisposed()
    {
        using var files = new SimulatedFiles();
        using (var first = new MappedCache(files))
        {
            first.Table<string, int>(new PileTableOptions { Comparer = new AskedComparer() }).Set("a", 1);
        }

        PileCache cache = PileCache.Open(MappedCache.Directory, new PileCacheOptions { MemoryLimitBytes = 8 << 20, BackgroundCleaning = false }, MappedCache.Options(files));
        var comparer = new AskedComparer { Asked = cache.Dispose };
        Assert.Throws<ObjectDisposedException>(() => cache.GetOrCreateTable<string, int>("table", new PileTableOptions { Comparer = comparer }));
    }

    [Fact]
    public void ADroppedTablesFileIsGoneBeforeTheDirectoryIsLetGo()
    {
        using var files = new SimulatedFiles();
        var first = new MappedCache(files);
        first.Table<int, int>().Set(1, 1);
        Assert.True(first.Cache.DropTable("table"));
        List<string> calls = [];
        files.AtCall = calls.Add;
        first.Dispose();
        files.AtCall = null;
        int removed = calls.FindIndex(static call => call.StartsWith("unlink", StringComparison.Ordinal) && call.EndsWith("index.1", StringComparison.Ordinal));
        int letGo = calls.FindLastIndex(static call => call.EndsWith("/lock", StringComparison.Ordinal));
        Assert.True(removed >= 0 && removed < letGo, string.Join('\n', calls));
    }

    private static PileCache OpenReal(TemporaryDirectory directory) =>
        PileCache.Open(directory.Path, new PileCacheOptions { MemoryLimitBytes = 8 << 20 }, PileOptions.Tiny);

    private static ObjectPile Open(SimulatedFiles files)
    {
        ObjectPile pile = ObjectPile.Open(MappedCache.Directory, MappedCache.Options(files));
        pile.Durable!.Core.WaitCounted();
        pile.Durable!.Core.Log.Flushes.Wanted = static () => { };
        return pile;
    }

    private static int CallsOfShare(SimulatedFiles files)
    {
        using SimulatedFiles tried = files.Fork();
        using ObjectPile pile = Open(tried);
        int before = tried.Calls;
        using PileCache cache = PileCache.Share(pile);
        return tried.Calls - before;
    }

    private sealed class AskedComparer : IPileKeyComparer
    {
        internal Action Asked { get; init; } = static () => { };

        public string Name
        {
            get
            {
                Asked();
                return "comparer";
            }
        }

        public ulong Hash(ReadOnlySpan<byte> key, ulong seed) => seed + (ulong)key.Length;

        public bool Equals(ReadOnlySpan<byte> stored, ReadOnlySpan<byte> sought) => stored.SequenceEqual(sought);
    }
}
