using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using System.Text;
using System.Text.Json;
using System.Threading.Tasks;
using Pile.Cache;
using Pile.Format;
using Pile.Heap;
using Pile.Memory;
using Pile.Persistence;
using Pile.Tests.Durability;
using Pile.Tests.Foreign;
using Pile.Tests.Memory.Simulation;
using Xunit;

namespace Pile.Tests.Golden;

/// <summary>docs/FORMAT.md suffices to read the cache in a pile's files: samples/FileReader, which was written from it, finds the entries that the cache finds.</summary>
[Trait("Category", "Foreign")]
[SupportedOSPlatform("linux")]
public sealed class CacheReaderTests : IDisposable
{
    private const string Directory = "/cache";
    private const int Keys = 100;

    private readonly TemporaryDirectory _directory = new();

    public void Dispose() => _directory.Dispose();

    [Theory]
    [InlineData("closed")]
    [InlineData("killed")]
    [InlineData("cut")]
    public async Task TheReaderInPythonFindsTheEntriesThatTheCacheFinds(string end)
    {
        var clock = new EarlierTime { By = TimeSpan.FromHours(10) };
        using var files = new SimulatedFiles();
        using (ObjectPile pile = Open(files))
        using (PileCache cache = PileCache.Share(pile, new PileCacheOptions { TimeProvider = clock }))
        {
            Fill(cache);
            Use(cache, clock);
            pile.Commit();
            Change(cache, from: 0);
            _ = pile.Compact(cancellationToken: TestContext.Current.CancellationToken);
            if (end != "closed")
            {
                Change(cache, from: 3);
                files.Snapshot();
                using SimulatedFiles left = end == "killed" ? files.Fork() : files.PowerCut(new Random(1));
                await RequireSameAsync(left, durableAlone: true);
                return;
            }
        }

        await RequireSameAsync(files, durableAlone: false);
    }

    /// <summary>The file of tables says that they are gone, and their entries are in the log.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task EntriesOfATableThatWasClearedOrDroppedCountForNothing(bool isDropped)
    {
        using var files = new SimulatedFiles();
        using ObjectPile pile = Open(files);
        using PileCache cache = PileCache.Share(pile);
        Fill(cache);
        PileTable<int, int> table = cache.GetOrCreateTable<int, int>("gone", new PileTableOptions { Kind = PileTableKind.Durable });
        for (int key = 0; key < Keys; key++)
        {
            Assert.True(table.Set(key, key).IsStored);
        }

        SimulatedFiles? left = null;
        bool isRenamed = false;
        files.AtCall = call =>
        {
            isRenamed |= call.StartsWith("rename", StringComparison.Ordinal);
            left ??= isRenamed && call == $"fsync {Directory}" ? files.Fork() : null;
        };
        if (isDropped)
        {
            Assert.True(cache.DropTable("gone"));
        }
        else
        {
            table.Clear();
        }

        files.AtCall = null;
        using SimulatedFiles killed = Assert.IsType<SimulatedFiles>(left);
        await RequireSameAsync(killed, durableAlone: true);
    }

    /// <summary>An entry was removed and stored again, and the cut took the tombstone alone.</summary>
    [Fact]
    public async Task OfTwoEntriesOfOneKeyTheLaterCounts()
    {
        using var files = new SimulatedFiles();
        using ObjectPile pile = Open(files);
        using PileCache cache = PileCache.Share(pile);
        Fill(cache);
        PileTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("durable");
        pile.Commit();
        Assert.True(table.Remove(2));
        for (int key = 0; key < 8; key++)
        {
            Assert.True(table.Set(1000 + key, Value(key, 12_000)).IsStored);
        }

        Assert.True(table.Set(2, Value(2, 50)).IsStored);
        for (int seed = 0; ; seed++)
        {
            Assert.True(seed < 1000, "no cut took the tombstone alone");
            using SimulatedFiles cut = files.PowerCut(new Random(seed));
            using SimulatedFiles same = cut.Fork();
            using (ObjectPile opened = Open(same))
            {
                if (Entries(opened, 2) < 2)
                {
                    continue;
                }
            }

            await RequireSameAsync(cut, durableAlone: true);
            return;
        }
    }

    [Fact]
    public async Task ADamagedIndexIsNamed()
    {
        using var files = new SimulatedFiles();
        using (ObjectPile pile = Open(files))
        using (PileCache cache = PileCache.Share(pile))
        {
            cache.GetOrCreateTable<int, int>("table").Set(1, 1);
        }

        Write(files);
        string index = System.IO.Directory.GetFiles(_directory.Path, "index.*").Single();
        byte[] bytes = File.ReadAllBytes(index);
        bytes[8192 + 6] ^= 1;
        File.WriteAllBytes(index, bytes);
        (int code, string said, string errors) = await RunAsync("cache_files.py");
        Assert.Equal(1, code);
        Assert.Empty(said);
        Assert.Contains("it is not what it was when the cache was closed", errors, StringComparison.Ordinal);
    }

    /// <summary>What the reader says of the files, and then what the cache finds in them.</summary>
    private async Task RequireSameAsync(SimulatedFiles files, bool durableAlone)
    {
        Write(files);
        (int code, string said, string errors) = await RunAsync("cache_files.py");
        Assert.True(code == 0, errors);
        Assert.Equal(durableAlone, errors.Contains("its entries are left out", StringComparison.Ordinal));
        (code, string objects, errors) = await RunAsync("pile_files.py");
        Assert.True(code == 0, errors);
        using ObjectPile pile = Open(files);
        List<string> pointers = [];
        foreach (PileItem item in pile.Enumerate())
        {
            pointers.Add(item.Pointer.ToString());
        }

        Assert.Equal(pointers, Lines(objects, "object").Select(static line => line.Split(' ')[1]));
        using PileCache cache = PileCache.Share(pile);
        string[] expected = [.. EntriesOf(cache, durableAlone).Order(StringComparer.Ordinal)];
        Assert.True(expected.Length > Keys / 4, $"{expected.Length} entries");
        Assert.Equal(expected, Lines(said, "entry").Order(StringComparer.Ordinal));
    }

    /// <summary>Entries of a key in the first table, by the log alone.</summary>
    private static int Entries(ObjectPile pile, int key)
    {
        HeapCore<DurableRecord> core = pile.Durable!.Core;
        int found = 0;
        for (uint slot = 1; slot < core.Slots.HighWater; slot++)
        {
            ulong entry = core.Table.Read(slot);
            if (EntryWord.IsLive(entry) && LogRecord.TryRead(core.Extents, core.Directory, core.Log.Identity, EntryWord.Location(entry), out LogRecord record)
                && record.Code == RecordCode.Extended)
            {
                ReadOnlySpan<byte> payload = core.Directory.Space.Bytes(record.Location, DurableRecord.HeaderBytes, record.PayloadBytes);
                ulong a = payload[0] == (byte)ExtendedKind.CacheEntry ? MemoryMarshal.Read<ulong>(payload[KeyedPrefix.Bytes..]) : 0;
                found += KeyedHead.Table(a) == 1 && MemoryMarshal.Read<int>(payload[(KeyedPrefix.Bytes + KeyedHead.KeyOffset(a))..]) == key ? 1 : 0;
            }
        }

        return found;
    }

    private static void Fill(PileCache cache)
    {
        var durable = new PileTableOptions { Kind = PileTableKind.Durable };
        PileTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("durable", durable);
        PileTable<int, string> cleared = cache.GetOrCreateTable<int, string>("cleared", durable);
        PileTable<string, byte[]> speculative = cache.GetOrCreateTable<string, byte[]>("speculative");
        for (int key = 0; key < Keys; key++)
        {
            Assert.True(table.Set(key, Value(key, key), OptionsOf(key)).IsStored);
            Assert.True(speculative.Set($"key {key} \u00E9", Value(key + 1, key), OptionsOf(key)).IsStored);
            Assert.True(cleared.Set(key, "before").IsStored);
        }

        PilePointer shared = cache.Pile.PutBytes(Value(7, 33));
        PilePointer sharedLarge = cache.Pile.PutBytes(Value(8, 30_000));
        cache.Pile.Roots.Set("of the program", cache.Pile.Put("an object of the program"));
        Assert.True(table.SetPointer(-1, shared).IsStored);
        Assert.True(table.SetPointer(-2, shared).IsStored);
        Assert.True(table.SetPointer(-3, sharedLarge).IsStored);
        Assert.True(speculative.SetPointer("shared", shared).IsStored);
        cleared.Clear();
        Assert.True(cleared.Set(1, "after, wide: \u4E16").IsStored);
        Assert.True(cleared.Set(2, "after, narrow: \u00E9").IsStored);
    }

    /// <summary>Entries that live longer for having been read, and a key that has no value.</summary>
    private static void Use(PileCache cache, EarlierTime clock)
    {
        PileTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("durable");
        PileTable<string, byte[]> speculative = cache.GetOrCreateTable<string, byte[]>("speculative");
        var slides = new PileEntryOptions { SlidingExpiration = TimeSpan.FromHours(6) };
        Assert.True(table.Set(-10, Value(1, 4), slides).IsStored);
        Assert.True(table.Set(-11, Value(1, 5), slides).IsStored);
        Assert.True(speculative.Set("read", Value(1, 6), slides).IsStored);
        Assert.True(speculative.Set("not read", Value(1, 7), slides).IsStored);
        clock.By = TimeSpan.FromHours(5);
        Assert.True(table.TryGet(-10, out _));
        Assert.True(speculative.TryGet("read", out _));
        Assert.False(table.TryGetOrAdd(-12, 0, static (_, _) => new PileAnswer<byte[]>(TimeSpan.FromDays(1)), out _));
        clock.By = TimeSpan.FromHours(10);
    }

    /// <summary>Removes, replaces, and removes by tags; some of what went is stored again behind that.</summary>
    private static void Change(PileCache cache, int from)
    {
        PileTable<int, byte[]> table = cache.GetOrCreateTable<int, byte[]>("durable");
        PileTable<string, byte[]> speculative = cache.GetOrCreateTable<string, byte[]>("speculative");
        for (int key = from; key < Keys; key += 7)
        {
            _ = table.Remove(key);
            _ = speculative.Remove($"key {key} \u00E9");
            Assert.True(table.Set(key + 1, Value(key, key + 20_000 * (key % 2)), OptionsOf(key)).IsStored);
        }

        table.RemoveByTag("tag 1");
        cache.RemoveByTag("tag 2");
        Assert.True(table.Set(Keys + from, Value(1, 10), OptionsOf(1)).IsStored);
        Assert.True(speculative.Set($"again {from}", Value(2, 10), OptionsOf(2)).IsStored);
    }

    /// <summary>Every kind of entry; by the clock that they are stored with, all of them have hours to go.</summary>
    private static PileEntryOptions OptionsOf(int key) => new()
    {
        TimeToLive = (key % 5) switch { 0 => TimeSpan.FromHours(1), 1 => TimeSpan.FromDays(10), _ => null },
        SlidingExpiration = (key % 7) switch { 0 => TimeSpan.FromHours(2), 1 => TimeSpan.FromDays(2), _ => null },
        Tags = (key % 3) == 0 ? [$"tag {key % 4}", "tag of many"] : null,
        KeptPastEnd = key % 11 == 0 ? TimeSpan.FromDays(1) : null,
    };

    private static byte[] Value(int seed, int bytes) => [.. Enumerable.Range(0, bytes % 100 == 99 ? 20_000 : bytes).Select(index => (byte)(seed + (index / 3)))];

    private static IEnumerable<string> EntriesOf(PileCache cache, bool durableAlone)
    {
        foreach ((int key, byte[] value) in cache.GetOrCreateTable<int, byte[]>("durable").Enumerate())
        {
            yield return Entry("durable", MemoryMarshal.AsBytes([key]), "bytes", value);
        }

        foreach ((int key, string value) in cache.GetOrCreateTable<int, string>("cleared").Enumerate())
        {
            bool isWide = value.Any(static letter => letter > '\u00FF');
            yield return Entry("cleared", MemoryMarshal.AsBytes([key]), isWide ? "wide" : "narrow", (isWide ? Encoding.Unicode : Encoding.Latin1).GetBytes(value));
        }

        foreach ((string key, byte[] value) in durableAlone ? [] : cache.GetOrCreateTable<string, byte[]>("speculative").Enumerate())
        {
            yield return Entry("speculative", Encoding.UTF8.GetBytes(key), "bytes", value);
        }
    }

    private static string Entry(string table, ReadOnlySpan<byte> key, string lane, byte[] value) =>
        $"entry {JsonSerializer.Serialize(table)} {Convert.ToHexStringLower(key)} {lane} {Convert.ToHexStringLower(value)}".TrimEnd();

    private static ObjectPile Open(SimulatedFiles files)
    {
        ObjectPile pile = ObjectPile.Open(Directory, PileOptions.Tiny with { Files = files, MemoryLimitBytes = null, FlushInterval = TimeSpan.FromHours(1) });
        pile.Durable!.Core.Log.Flushes.Wanted = static () => { };
        return pile;
    }

    /// <summary>Writes the files into a real directory; what is zero takes no space.</summary>
    private void Write(SimulatedFiles files)
    {
        foreach (string folder in (string[])[Directory, Directory + "/extents"])
        {
            string target = _directory.Path + folder[Directory.Length..];
            _ = System.IO.Directory.CreateDirectory(target);
            foreach (string name in files.List(folder).Where(static name => name != "extents"))
            {
                using StoreFile source = files.Open($"{folder}/{name}", FileOpening.OpenExisting);
                using FileStream file = File.Create(Path.Combine(target, name));
                file.SetLength(source.Bytes);
                byte[] page = new byte[1 << 16];
                for (long offset = 0; offset < source.Bytes; offset += page.Length)
                {
                    Span<byte> part = page.AsSpan(0, (int)long.Min(page.Length, source.Bytes - offset));
                    source.Read(offset, part);
                    if (part.ContainsAnyExcept((byte)0))
                    {
                        file.Position = offset;
                        file.Write(part);
                    }
                }
            }
        }
    }

    private Task<(int Code, string Said, string Errors)> RunAsync(string program) => ForeignProgram.RunAsync(
        TimeSpan.FromMinutes(2),
        ForeignProgram.Require("python3", "python3"),
        [Path.Combine(AppContext.BaseDirectory, "Foreign", "Programs", program), _directory.Path],
        []);

    private static IEnumerable<string> Lines(string said, string kind) =>
        said.Split('\n', StringSplitOptions.RemoveEmptyEntries).Where(line => line.StartsWith(kind + " ", StringComparison.Ordinal));
}
