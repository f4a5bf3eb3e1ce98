using System;
using System.Buffers.Binary;
using System.IO;
using Pile.Cache.Engine;
using Pile.Cache.Tests.Model;
using Pile.Format;
using Pile.Primitives;
using Pile.Segments;
using Pile.Tests.Durability;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Cache.Tests;

/// <summary>What an open makes of entries of durable tables that can't be as they should: two of one key, cleared ones, those of nobody.</summary>
public sealed class DurableRebuildTests
{
    [Theory]
    [InlineData(1, true)]
    [InlineData(-1, false)]
    public void OfTwoEntriesWithOneKeyTheLaterIsKept(int versionDelta, bool isNewerKept)
    {
        using var files = new SimulatedFiles();
        using var first = new MappedCache(files);
        PileTable<string, byte[]> table = first.Table<string, byte[]>(DurableTests.Durable);
        table.Set("before", [1]);
        table.Set("key", [1, 2, 3, 4]);
        PutTwin(table, "key", versionDelta, static key => key);
        using SimulatedFiles killed = files.Fork();
        using var second = new MappedCache(killed, first.Clock);
        PileTable<string, byte[]> again = second.Table<string, byte[]>();
        Assert.True(again.TryGet("key", out byte[]? value));
        Assert.Equal(isNewerKept ? [1, 2, 3, 0xEE] : [1, 2, 3, 4], value);
        Assert.Equal(2, again.Count);
        Assert.Equal(2, second.Cache.Pile.GetStatistics().Objects);
        Assert.True(again.Remove("key"));
        Assert.False(again.ContainsKey("key"));
        second.Verify();
    }

    [Fact]
    public void OfTwoKeysThatTheComparerTakesForOneTheLaterIsKept()
    {
        using var files = new SimulatedFiles();
        using var first = new MappedCache(files);
        PileTable<string, byte[]> table = first.Table<string, byte[]>(DurableTests.Durable with { Comparer = PileKeyComparers.OrdinalIgnoreCase });
        table.Set("key", [1, 2, 3, 4]);
        PutTwin(table, "key", versionDelta: 1, static key => key.ToUpperInvariant());
        using SimulatedFiles killed = files.Fork();
        using var second = new MappedCache(killed, first.Clock);
        PileTable<string, byte[]> again = second.Table<string, byte[]>(DurableTests.Durable with { Comparer = PileKeyComparers.OrdinalIgnoreCase });
        Assert.True(again.TryGet("Key", out byte[]? value));
        Assert.Equal([1, 2, 3, 0xEE], value);
        Assert.Equal(1, again.Count);
        Assert.Equal(1, second.Cache.Pile.GetStatistics().Objects);
        second.Verify();
    }

    [Fact]
    public void TwoKeysThatNobodyHasDecidedAboutAreFoundAfterACleanStopToo()
    {
        PileTableOptions options = DurableTests.Durable with { Comparer = new SometimesComparer() };
        using var files = new SimulatedFiles();
        using var first = new MappedCache(files);
        PileTable<string, byte[]> table = first.Table<string, byte[]>(options);
        table.Set("key", [1, 2, 3, 4]);
        PutTwin(table, "key", versionDelta: 1, static key => key.ToUpperInvariant());
        using SimulatedFiles killed = files.Fork();

        // Opened and closed in order by a program that does not ask for the table.
        using (var second = new MappedCache(killed, first.Clock))
        {
            Assert.Equal("table", Assert.Single(second.Cache.TableNames));
        }

        using var third = new MappedCache(killed, first.Clock);

        // A call that fails in the midst leaves the table where it was.
        Assert.Throws<NotSupportedException>(() => third.Table<string, byte[]>(DurableTests.Durable with { Comparer = new SometimesComparer { Throws = true } }));
        PileTable<string, byte[]> again = third.Table<string, byte[]>(options);
        Assert.Equal(1, again.Count);
        Assert.True(again.TryGet("Key", out byte[]? value));
        Assert.Equal([1, 2, 3, 0xEE], value);
        Assert.True(again.Remove("key"));
        Assert.False(again.ContainsKey("KEY"));
        third.Verify();
    }

    [Fact]
    public void AClearThatWasKilledIsWhole()
    {
        using var files = new SimulatedFiles();
        using var first = new MappedCache(files, limitBytes: 24 << 20);
        PileTable<int, byte[]> table = first.Table<int, byte[]>(DurableTests.Durable);
        for (int key = 0; key < 2000; key++)
        {
            table.Set(key, RestartTests.Value(key, key % 100 == 0 ? 40_000 : 40));
        }

        first.Cache.Pile.Commit();
        SimulatedFiles? killed = null;
        int calls = 0;

        // Somewhere between the new list and the deletions.
        files.AtCall = _ => killed ??= ++calls == 4 ? files.Fork() : null;
        table.Clear();
        files.AtCall = null;
        table.Set(1, [1]);
        Assert.Equal(1, table.Count);
        using SimulatedFiles after = files.PowerCut(new Random(3));
        using var third = new MappedCache(after, first.Clock, 24 << 20);
        PileTable<int, byte[]> cut = third.Table<int, byte[]>();
        Assert.InRange(cut.Count, 0, 1);
        third.Verify();
        Assert.NotNull(killed);
        using (var second = new MappedCache(killed, first.Clock, 24 << 20))
        {
            PileTable<int, byte[]> again = second.Table<int, byte[]>();
            Assert.True(again.Count is 0 or 2000, $"{again.Count} entries");
            second.Verify();
        }

        killed.Dispose();
    }

    [Fact]
    public void ADroppedTableIsGoneAfterACutAndItsNumberIsNotUsedAgain()
    {
        using var files = new SimulatedFiles();
        using var first = new MappedCache(files);
        PileTable<int, byte[]> table = first.Table<int, byte[]>(DurableTests.Durable);
        for (int key = 0; key < 500; key++)
        {
            table.Set(key, [1]);
        }

        first.Cache.Pile.Commit();
        Assert.True(first.Cache.DropTable("table"));

        // The tombstones were not flushed: what a cut brings back of the entries is nobody's.
        using SimulatedFiles cut = files.PowerCut(new Random(5));
        using var second = new MappedCache(cut, first.Clock);
        Assert.Empty(second.Cache.TableNames);
        Assert.Equal(0, second.Cache.Pile.GetStatistics().Objects);
        PileTable<int, byte[]> made = second.Table<int, byte[]>(DurableTests.Durable);
        Assert.Equal(0, made.Count);
        Assert.True(((IPileTableCore)made).Core.Parts.Id > 1);
        second.Verify();
    }

    [Fact]
    public void AListOfTablesThatIsMissingOrDamagedIsRefused()
    {
        using var directory = new TemporaryDirectory();
        using (PileCache cache = PileCache.Open(directory.Path, new PileCacheOptions { MemoryLimitBytes = 8 << 20 }))
        {
            cache.GetOrCreateTable<int, int>("table", DurableTests.Durable).Set(1, 2);
        }

        string path = Path.Combine(directory.Path, "cache.tables");
        byte[] bytes = File.ReadAllBytes(path);
        File.Delete(path);
        PileCorruptedException missing = Assert.Throws<PileCorruptedException>(() => Open(directory.Path));
        Assert.Contains("cache.tables", missing.Message, StringComparison.Ordinal);
        Assert.Contains("Restore", missing.Message, StringComparison.Ordinal);

        // One of the two copies is enough.
        byte[] half = [.. bytes];
        half[70] ^= 1;
        File.WriteAllBytes(path, half);
        using (PileCache cache = Open(directory.Path))
        {
            Assert.True(cache.GetOrCreateTable<int, int>("table").TryGet(1, out int value) && value == 2);
        }

        half[70 + (half.Length / 2)] ^= 1;
        File.WriteAllBytes(path, half);
        PileCorruptedException damaged = Assert.Throws<PileCorruptedException>(() => Open(directory.Path));
        Assert.Contains("checksum", damaged.Message, StringComparison.Ordinal);
        File.WriteAllBytes(path, bytes);
        using (PileCache cache = Open(directory.Path))
        {
            Assert.True(cache.GetOrCreateTable<int, int>("table").TryGet(1, out int value) && value == 2);
        }

        static PileCache Open(string path) => PileCache.Open(path, new PileCacheOptions { MemoryLimitBytes = 8 << 20 });
    }

    /// <summary>Stores another entry beside one, in a slot of its own, as a power cut may leave it.</summary>
    private static void PutTwin(PileTable<string, byte[]> table, string key, int versionDelta, Func<string, string> change)
    {
        TableCore<DurableRecord> core = ((IPileTableCore)table).Core.Files!;
        System.Collections.Generic.List<long> locations = [];
        core.Walk.List(0, core.Index.Homes, core.Index.Homes, locations);
        long location = locations.Find(location => System.Text.Encoding.UTF8.GetString(core.Reads.KeyAt(location)) == key);
        byte[] payload = core.Space.Bytes(location, DurableRecord.HeaderBytes, RecordWord.PayloadBytes(core.Space.ReadWord(location))).ToArray();
        ulong b = BinaryPrimitives.ReadUInt64LittleEndian(payload.AsSpan(KeyedPrefix.Bytes + Limits.WordBytes));
        BinaryPrimitives.WriteUInt64LittleEndian(payload.AsSpan(KeyedPrefix.Bytes + Limits.WordBytes), (ulong)((long)b + versionDelta));
        System.Text.Encoding.UTF8.GetBytes(change(key)).CopyTo(payload.AsSpan(KeyedPrefix.Bytes + KeyedHead.WordsBytes));
        payload[^1] = 0xEE;
        Assert.Equal(PileStatus.Ok, core.Cache.Pile.Writes.TryPut(RecordCode.Extended, new BytesPayload(payload), out _));
    }
}
