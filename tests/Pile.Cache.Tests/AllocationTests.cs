// What costs no allocation, measured on the calling thread.
// Code that the runtime has not optimised yet may box: the work is repeated until a whole window of it allocates nothing.
using System;
using Pile.Cache.Tests.Model;
using Xunit;

namespace Pile.Cache.Tests;

public sealed class AllocationTests
{
    private const int Rounds = 2000;

    private const int WindowsMax = 2000;

    // A segment of a pile in files is taken by calls of the files, which allocate: a window that is short enough takes none.
    private const int RoundsInFiles = 50;

    [Fact]
    public void BytesUnderKeysOfAllKindsAllocateNothing()
    {
        AssertFree(42L);
        AssertFree(new Guid("00112233-4455-6677-8899-aabbccddeeff"));
        AssertFree("a key of text, \u00e4 too");
    }

    [Theory]
    [InlineData(PileTableKind.Speculative, false)]
    [InlineData(PileTableKind.Speculative, true)]
    [InlineData(PileTableKind.Durable, true)]
    public void UnmanagedValuesAndUpdatesAllocateNothing(PileTableKind kind, bool inFiles)
    {
        using TinyCache tiny = new(8 << 20, backgroundCleaning: false, inFiles);
        PileTable<long, long> table = tiny.Table<long, long>(new PileTableOptions { Kind = kind });
        AssertFree(() =>
        {
            Assert.True(table.Set(1, 1).IsStored);
            Assert.True(table.Update(1, 2L, static (value, more) => value + more).IsStored);
            Assert.True(table.TryGet(1, out long value) && value == 3);
            Assert.True(table.TryGet(1, out value, out PileEntryVersion version));
            Assert.True(table.TrySet(1, 5, version).IsStored);
            Assert.True(table.SizeOf(1) == 8);
            Assert.True(table.Refresh(1));
            Assert.True(table.Remove(1));
        }, inFiles ? RoundsInFiles : Rounds);
    }

    [Theory]
    [InlineData(PileTableKind.Speculative, false)]
    [InlineData(PileTableKind.Speculative, true)]
    [InlineData(PileTableKind.Durable, true)]
    public void TryGetPointerAndReadsOfSharedObjectsAllocateNothing(PileTableKind kind, bool inFiles)
    {
        using TinyCache tiny = new(8 << 20, backgroundCleaning: false, inFiles);
        PileTable<string, byte[]> table = tiny.Table<string, byte[]>(new PileTableOptions { Kind = kind });
        PilePointer[] pointers = [tiny.Cache.Pile.Put(new byte[100]), tiny.Cache.Pile.Put(new byte[40_000])];
        table.SetPointer("one", pointers[0]);
        table.SetPointer("other", pointers[1]);
        byte[] target = new byte[40_000];
        AssertFree(() =>
        {
            Assert.True(table.TryGetPointer("one", out PilePointer found) && found == pointers[0]);
            Assert.True(table.TryGetPointer("other", out found) && found == pointers[1]);
            Assert.True(table.TryGet("one", target, out int bytes) && bytes == 100);
            Assert.True(table.TryLease("other", out PileLease lease) && lease.Length == 40_000);
            lease.Dispose();
            Assert.True(table.ContainsKey("one") && table.SizeOf("other") == 40_000);
        });
    }

    [Fact]
    public void EntriesThatEndAllocateNothing()
    {
        using TinyCache tiny = new();
        PileTable<long, long> table = tiny.Table<long, long>();
        var options = new PileEntryOptions { SlidingExpiration = TimeSpan.FromSeconds(5), TimeToLive = TimeSpan.FromSeconds(50) };
        AssertFree(() =>
        {
            Assert.True(table.Set(1, 1, options).IsStored);
            Assert.True(table.TryGet(1, out long _));
            Assert.True(table.TryGetExpiration(1, out DateTimeOffset? end) && end is not null);
        });
    }

    [Fact]
    public void HitsOfGetOrAddAllocateNothing()
    {
        using TinyCache tiny = new();
        PileTable<long, long> table = tiny.Table<long, long>();
        var safe = new PileFactoryOptions { Entry = new PileEntryOptions { TimeToLive = TimeSpan.FromSeconds(50), Tags = ["tag"] }, FailSafe = TimeSpan.FromSeconds(5), Jitter = TimeSpan.FromSeconds(1) };
        _ = table.GetOrAdd(1, static _ => 3L);
        _ = table.GetOrAdd(2, static _ => 3L, safe);
        AssertFree(() =>
        {
            Assert.True(table.GetOrAdd(1, static _ => 5L) == 3);
            Assert.True(table.GetOrAdd(1, 7, static (_, state) => state) == 3);
            Assert.True(table.GetOrAdd(2, static _ => 5L, safe) == 3);
            Assert.True(table.TryGetOrAdd(1, 7, static (_, _) => default, out long value) && value == 3);
            System.Threading.Tasks.ValueTask<long> made = table.GetOrAddAsync(1, 7, static (_, _, _) => new System.Threading.Tasks.ValueTask<long>(5));
            Assert.True(made.IsCompletedSuccessfully);
        });
    }

    [Theory]
    [InlineData(PileTableKind.Speculative, false)]
    [InlineData(PileTableKind.Durable, true)]
    public void BatchesOfUnmanagedKeysAllocateNothing(PileTableKind kind, bool inFiles)
    {
        using TinyCache tiny = new(8 << 20, backgroundCleaning: false, inFiles);
        PileTable<long, long> table = tiny.Table<long, long>(new PileTableOptions { Kind = kind });
        long[] keys = new long[50];
        long[] values = new long[50];
        bool[] found = new bool[50];
        for (int key = 0; key < keys.Length; key++)
        {
            keys[key] = key;
        }

        AssertFree(() =>
        {
            Assert.True(table.SetMany<long, long>(keys, values) == 50);
            Assert.True(table.GetMany(keys, values.AsSpan(), found) == 50);
            var visitor = default(Summer);
            Assert.True(table.LeaseMany<long, long, Summer>(keys, ref visitor) == 50 && visitor.Bytes == 400);
            Assert.True(table.RemoveMany<long, long>(keys.AsSpan(0, 20)) == 20);
        }, inFiles ? RoundsInFiles / 10 : Rounds);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void WritesOfATableThatIsWatchedAllocateNothing(bool inFiles)
    {
        using TinyCache tiny = new(8 << 20, backgroundCleaning: false, inFiles);
        PileTable<long, long> table = tiny.Table<long, long>(new PileTableOptions { EventBytes = 65_536 });
        using PileWatch<long> watch = table.Watch();
        AssertFree(() =>
        {
            Assert.True(table.Set(1, 1).IsStored);
            Assert.True(table.Set(1, 2).IsStored);
            Assert.True(table.Remove(1));
            Assert.False(table.TryGet(1, out long _));
        }, inFiles ? RoundsInFiles : Rounds);
        Assert.True(watch.TryRead(out PileTableEvent<long> told) && told.Kind is PileEventKinds.Lost or PileEventKinds.Inserted);
        AssertFree(() =>
        {
            Assert.True(table.Set(1, 1).IsStored);
            Assert.True(watch.TryRead(out PileTableEvent<long> _));
        }, inFiles ? RoundsInFiles : Rounds);
    }

    [Fact]
    public void SetsThatEvictAllocateNothing()
    {
        using TinyCache tiny = new(4 << 20);
        PileTable<long, byte[]> table = tiny.Table<long, byte[]>();
        byte[] bytes = new byte[1000];
        long key = 0;
        AssertFree(() => Assert.True(table.Set(key++, bytes.AsSpan()).IsStored));
        Assert.True(table.GetStatistics().Evictions > 1000);
    }

    private static void AssertFree<TKey>(TKey key)
        where TKey : notnull
    {
        using TinyCache tiny = new();
        PileTable<TKey, byte[]> table = tiny.Table<TKey, byte[]>();
        byte[] bytes = new byte[100];
        byte[] copy = new byte[100];
        AssertFree(() =>
        {
            Assert.True(table.Set(key, bytes.AsSpan()).IsStored);
            Assert.True(table.TryGet(key, copy, out int written) && written == 100);
            Assert.True(table.TryLease(key, out PileLease lease));
            lease.Dispose();
            Assert.True(table.ContainsKey(key));
            Assert.True(table.Remove(key));
        });
    }

    internal static void AssertFree(Action work, int rounds = Rounds)
    {
        long allocated = -1;
        for (int window = 0; window < WindowsMax && allocated != 0; window++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int round = 0; round < rounds; round++)
            {
                work();
            }

            allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        }

        Assert.Equal(0, allocated);
    }

    private struct Summer : IPileVisitor
    {
        internal int Bytes { get; private set; }

        public void Visit(int index, PileStatus status, ReadOnlySpan<byte> bytes) => Bytes += bytes.Length;
    }
}
