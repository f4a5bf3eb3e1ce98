using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Threading.Tasks;
using Pile.Cache;
using Pile.Tests.Durability.Hostile;
using Xunit;

namespace Pile.Tool.Tests;

/// <summary>The verbs on entries, on a cache in a directory.</summary>
public sealed class EntryTests : IDisposable
{
    private readonly Piles _piles = new();

    public void Dispose() => _piles.Dispose();

    [Fact]
    public async Task CompactMovesTheEntriesOfACache()
    {
        string path = Caches.Make(_piles);
        for (int run = 0; run < 5; run++)
        {
            using PileCache cache = PileCache.Open(path, Caches.Options);
            PileTable<string, string> texts = cache.GetOrCreateTable<string, string>("texts");
            Assert.True(texts.Set("run" + run, new string('x', 50_000)).IsStored);
            Assert.True(texts.Set("gone", new string('y', 50_000)).IsStored);
            Assert.True(texts.Remove("gone"));
        }

        JsonElement tables = await ToolProcess.JsonAsync(0, "tables", path);
        JsonElement compact = await ToolProcess.JsonAsync(0, "compact", path);
        long before = compact.GetProperty("usedBytesBefore").GetInt64();
        Assert.InRange(compact.GetProperty("usedBytesAfter").GetInt64(), 1, before * 3 / 4);
        Assert.NotEqual(0, compact.GetProperty("movedBytes").GetInt64());
        Assert.InRange((await ToolProcess.JsonAsync(0, "compact", path)).GetProperty("usedBytesAfter").GetInt64(), 1, before * 3 / 4);
        _ = (await ToolProcess.RunAsync("verify", path)).Expect(0);
        Assert.Equal(tables.GetProperty("tables").GetRawText(), (await ToolProcess.JsonAsync(0, "tables", path)).GetProperty("tables").GetRawText());
        using PileCache after = PileCache.Open(path, Caches.Options);
        Assert.True(after.GetOrCreateTable<string, string>("texts").TryGet("run3", out string? text));
        Assert.Equal(50_000, text!.Length);
    }

    [Fact]
    public async Task ValuesAreReadByWordsOfEachTypeOfKey()
    {
        string cache = Caches.Make(_piles);
        Assert.Equal(Piles.Text + "\n", await GetAsync(cache, "texts", "greeting"));
        Assert.Equal("\u4E16\u754C\n", await GetAsync(cache, "texts", "json:\"a\\nb\""));
        Assert.Equal("\u0001\u0002\u0003", await GetAsync(cache, "default", "hex:00ff"));
        Assert.Equal("Ada", await GetAsync(cache, "default", "name"));
        Assert.Equal("Ada", await GetAsync(cache, "default", "text:name"));
        Assert.Equal("1.75\n", await GetAsync(cache, "numbers", "7"));
        using var order = JsonDocument.Parse(await GetAsync(cache, "objects", "00112233-4455-6677-8899-aabbccddeeff"));
        Assert.Equal(7, order.RootElement.GetProperty("Number").GetInt32());

        string file = _piles.PathOf("file");
        _ = (await ToolProcess.RunAsync("get", cache, "large", "--output", file)).Expect(0);
        Assert.Equal(Piles.Large, await File.ReadAllBytesAsync(file, TestContext.Current.CancellationToken));
        JsonElement name = await ToolProcess.JsonAsync(0, "get", cache, "name");
        Assert.Equal(("name", "Ada", 3), (name.GetProperty("key").GetString(), name.GetProperty("text").GetString(), name.GetProperty("bytes").GetInt32()));
        Assert.Equal("Ada"u8.ToArray(), name.GetProperty("value").GetBytesFromBase64());
    }

    [Theory]
    [InlineData(6, "default", "nobody", "There is no entry 'nobody'")]
    [InlineData(6, "texts", "ended", "There is no entry 'ended'")]
    [InlineData(6, "missing", "name", "It has 'default', 'numbers', 'objects', 'texts'")]
    [InlineData(2, "numbers", "seven", "'seven' is no System.Int64")]
    [InlineData(2, "default", "hex:0", "pairs of hexadecimal digits")]
    [InlineData(2, "default", "json:7", "a JSON string")]
    public async Task WhatCantBeReadIsSaid(int code, string table, string key, string words)
    {
        JsonElement error = (await ToolProcess.JsonAsync(code, "get", Caches.Make(_piles), key, "--table", table)).GetProperty("error");
        Assert.Contains(words, error.GetProperty("message").GetString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("get \"$2\" \"$(printf 'na\\351e')\"", "6e61e965")]
    [InlineData("set \"$2\" \"$(printf 'na\\351e')\" other", "6e61e965")]
    [InlineData("set \"$2\" name \"$(printf 'th\\351')\"", "7468e9")]
    [InlineData("del \"$2\" \"$(printf 'na\\374e')\"", "6e61fc65")]
    public async Task AWordThatIsNoUtf8IsRefused(string words, string bytes)
    {
        string cache = Caches.Make(_piles);
        _ = (await ToolProcess.RunAsync("set", cache, "na\uFFFDe", "of text")).Expect(0);
        ToolProcess.Outcome refused = (await ToolProcess.RunProgramAsync("/bin/sh", ["-c", $"exec \"$0\" \"$1\" {words}", ToolProcess.Host, ToolProcess.Program, cache], [])).Expect(2);
        Assert.Contains(bytes, refused.Errors, StringComparison.Ordinal);
        Assert.Contains("hex:00ff", refused.Errors, StringComparison.Ordinal);
        Assert.Equal("Ada", await GetAsync(cache, "default", "name"));
        Assert.Equal("of text", await GetAsync(cache, "default", "na\uFFFDe"));
    }

    [Fact]
    public async Task AKeyThatBeginsAsAFileOfArgumentsWouldIsAKey()
    {
        string cache = Caches.Make(_piles);
        string file = _piles.PathOf("names");
        await File.WriteAllTextAsync(file, "name\n", TestContext.Current.CancellationToken);
        string key = $"@{file}";
        _ = (await ToolProcess.RunAsync("set", cache, key, key)).Expect(0);
        Assert.Equal(key, await GetAsync(cache, "default", key));
        _ = (await ToolProcess.RunAsync("del", cache, key)).Expect(0);
        Assert.Equal("Ada", await GetAsync(cache, "default", "name"));
        _ = (await ToolProcess.RunAsync("get", cache, $"@{cache}")).Expect(6);
        _ = (await ToolProcess.RunAsync("get", cache, "@nobody")).Expect(6);
    }

    [Fact]
    public async Task WhatIsStoredIsThereForProgramsWithTheirTypes()
    {
        string path = Caches.Make(_piles);
        string file = _piles.PathOf("file");
        await File.WriteAllBytesAsync(file, Piles.Large, TestContext.Current.CancellationToken);
        Assert.Equal("stored\n", (await ToolProcess.RunAsync("set", path, "new", "caf\u00E9 \u4E16", "-t", "texts", "--tag", "red", "--tag", "blue")).Expect(0).Output);
        Assert.Equal("stored in place of another\n", (await ToolProcess.RunAsync("set", path, "7", "-0.5", "-t", "numbers")).Expect(0).Output);
        _ = (await ToolProcess.RunAsync("set", path, "file", "--input", file)).Expect(0);
        _ = (await ToolProcess.RunAsync("set", path, "hex:01", "hex:0203", "--ttl", "1h", "--priority", "high")).Expect(0);
        Assert.Equal("Refused", (await ToolProcess.JsonAsync(10, "set", path, "name", "Charles", "--when", "absent")).GetProperty("outcome").GetString());
        Assert.Equal("Refused", (await ToolProcess.JsonAsync(10, "set", path, "nobody", "Charles", "--when", "present")).GetProperty("outcome").GetString());

        using (PileCache cache = PileCache.Open(path, Caches.Options))
        {
            Assert.All(cache.Recovery, static table => Assert.Equal("it had been closed in order", table.Reason));
            PileTable<string, string> texts = cache.GetOrCreateTable<string, string>("texts");
            Assert.Equal("caf\u00E9 \u4E16", texts.TryGet("new", out string? text) ? text : null);
            Assert.Equal(-0.5, cache.GetOrCreateTable<long, double>("numbers").TryGet(7, out double number) ? number : double.NaN);
            PileTable<byte[], byte[]> bytes = cache.GetOrCreateTable<byte[], byte[]>("default");
            Assert.Equal(Piles.Large, bytes.TryGet("file"u8.ToArray(), out byte[]? large) ? large : null);
            Assert.Equal([2, 3], bytes.TryGet([1], out byte[]? few) ? few : null);
            Assert.Equal("Ada"u8.ToArray(), bytes.TryGet("name"u8.ToArray(), out byte[]? name) ? name : null);
        }

        _ = (await ToolProcess.RunAsync("del", path, "--tag", "red", "-t", "texts")).Expect(0);
        Assert.Equal(["a\nb", "greeting", "old"], await KeysAsync(path, "texts"));
    }

    [Fact]
    public async Task RemovalsSayWhatWasNotThere()
    {
        string cache = Caches.Make(_piles);
        JsonElement removed = await ToolProcess.JsonAsync(6, "del", cache, "0", "1", "5000", "-t", "numbers");
        Assert.Equal(2, removed.GetProperty("removed").GetInt32());
        Assert.Equal(["5000"], removed.GetProperty("missing").EnumerateArray().Select(static key => key.GetString()));
        _ = (await ToolProcess.RunAsync("del", cache, "2", "three", "-t", "numbers")).Expect(2);
        Assert.Equal(Caches.Many - 2, (await KeysAsync(cache, "numbers")).Length);
    }

    [Fact]
    public async Task AScanListsKeysAsGetTakesThem()
    {
        string cache = Caches.Make(_piles);
        string[] keys = (await ToolProcess.RunAsync("scan", cache, "--keys", "-t", "texts")).Expect(0).Lines;
        Assert.Equal(["greeting", "json:\"a\\nb\"", "old", "tagged"], keys.Order(StringComparer.Ordinal));
        foreach (string key in keys)
        {
            _ = (await ToolProcess.RunAsync("get", cache, key, "-t", "texts")).Expect(0);
        }

        Assert.Equal(["hex:00ff", "large", "name"], (await KeysAsync(cache, "default")).Order(StringComparer.Ordinal));
        Assert.Equal(["name  Ada"], (await ToolProcess.RunAsync("scan", cache, "--prefix", "na")).Expect(0).Lines);
        JsonElement numbers = await ToolProcess.JsonAsync(0, "scan", cache, "-t", "numbers");
        Assert.All(numbers.GetProperty("entries").EnumerateArray(), static entry => Assert.Equal(long.Parse(entry.GetProperty("key").GetString()!, CultureInfo.InvariantCulture) / 4.0, entry.GetProperty("value").GetDouble()));
        Assert.Equal(Caches.Many, numbers.GetProperty("entries").GetArrayLength());
        Assert.Equal(3, (await ToolProcess.RunAsync("scan", cache, "-t", "numbers", "--limit", "3")).Expect(0).Lines.Length);
    }

    [Fact]
    public async Task APrefixIsOfTheTypeOfItsKeys()
    {
        string cache = Caches.Make(_piles);
        Assert.Equal(["greeting"], (await ToolProcess.RunAsync("scan", cache, "--keys", "-t", "texts", "--prefix", "gr")).Expect(0).Lines);
        Assert.Equal(["json:\"a\\nb\""], (await ToolProcess.RunAsync("scan", cache, "--keys", "-t", "texts", "--prefix", "json:\"a\\n\"")).Expect(0).Lines);
        Assert.Equal(["hex:00ff"], (await ToolProcess.RunAsync("scan", cache, "--keys", "--prefix", "hex:00")).Expect(0).Lines);
        string refused = (await ToolProcess.RunAsync("scan", cache, "--keys", "-t", "numbers", "--prefix", "9")).Expect(2).Errors;
        Assert.Contains("Keys of the table 'numbers' are of System.Int64, and '9' is no beginning of one", refused, StringComparison.Ordinal);
        Assert.Contains("hex:0900000000000000 is the key 9.", refused, StringComparison.Ordinal);
        Assert.Equal(["9", "265", "521", "777"], (await ToolProcess.RunAsync("scan", cache, "--keys", "-t", "numbers", "--prefix", "hex:09")).Expect(0).Lines.OrderBy(static key => int.Parse(key, CultureInfo.InvariantCulture)));
        Assert.Contains("as hex:00ff.", (await ToolProcess.RunAsync("scan", cache, "-t", "numbers", "--prefix", "nine")).Expect(2).Errors, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("--drop")]
    [InlineData("--clear")]
    public async Task ATableThatIsNotThereIsAnsweredByThoseThatAre(string option) => Assert.Contains(
        "has no table 'names'. It has 'default', 'numbers', 'objects', 'texts'; give one of these.", (await ToolProcess.RunAsync("tables", Caches.Make(_piles), option, "names")).Expect(6).Errors, StringComparison.Ordinal);

    [Fact]
    public async Task TablesSayWhatTheyWereMadeWith()
    {
        string cache = Caches.Make(_piles);
        JsonElement[] tables = [.. (await ToolProcess.JsonAsync(0, "tables", cache)).GetProperty("tables").EnumerateArray()];
        Assert.Equal(
            ["default Speculative System.Byte[] System.Byte[] 3", "numbers Durable System.Int64 System.Double 1000", "objects Speculative System.Guid Pile.Tool.Tests.Piles+Order 1", "texts Speculative System.String System.String 4"],
            tables.Select(static table => $"{table.GetProperty("name")} {table.GetProperty("kind")} {table.GetProperty("keyType")} {table.GetProperty("valueType")} {table.GetProperty("entries")}"));
        Assert.Equal(100_000, tables[0].GetProperty("entriesMax").GetInt64());
        Assert.Equal((long)TimeSpan.FromDays(3650).TotalMilliseconds, tables[0].GetProperty("timeToLiveMs").GetInt64());
    }

    [Fact]
    public async Task ATableOfTheCachesOwnIsCountedAsNone()
    {
        string source = Caches.Make(_piles);
        int tables = (await ToolProcess.JsonAsync(0, "tables", source)).GetProperty("tables").GetArrayLength();
        Assert.True(Directory.GetFiles(source, "index.*").Length > tables, "The removals of tags have no table.");

        Assert.Contains((await ToolProcess.RunAsync("info", source)).Expect(0).Lines, line => line.StartsWith("cache tables", StringComparison.Ordinal) && line.EndsWith($" {tables}", StringComparison.Ordinal));
        Assert.Contains($"its tables ({tables}) and their entries were left behind", (await ToolProcess.RunAsync("export", source, _piles.PathOf("the.export"))).Expect(0).Errors, StringComparison.Ordinal);
    }

    [Fact]
    public async Task APileWithoutACacheIsNone()
    {
        string pile = _piles.Make();
        string before = Piles.Fingerprint(pile);
        Assert.Equal((await ToolProcess.RunAsync("show", pile, "bytes", "--as", "value")).Expect(0).Output, (await ToolProcess.RunAsync("get", pile, "bytes")).Expect(0).Output);
        Assert.Contains("holds a pile without a cache", (await ToolProcess.RunAsync("get", pile, "bytes", "--table", "t")).Expect(3).Errors, StringComparison.Ordinal);
        foreach (string verb in EveryVerb.OfACache.Where(static verb => verb != "get"))
        {
            Assert.Contains("holds a pile without a cache", (await ToolProcess.RunAsync(EveryVerb.Line(verb, pile, ""))).Expect(3).Errors, StringComparison.Ordinal);
        }

        Assert.Equal(before, Piles.Fingerprint(pile));
        _ = (await ToolProcess.RunAsync("tables", _piles.PathOf("nothing"))).Expect(3);
        Assert.False(Path.Exists(_piles.PathOf("nothing")));
    }

    [Fact]
    public async Task StatCountsEntriesAsAlive()
    {
        string path = Caches.Make(_piles);
        long entries;
        using (PileCache cache = PileCache.Open(path, Caches.Options))
        {
            PileTable<string, string> texts = cache.GetOrCreateTable<string, string>("texts");
            for (int index = 0; index < Caches.Many; index++)
            {
                Assert.True(texts.Set($"key {index}", Piles.Text).IsStored);
            }

            entries = cache.GetStatistics().EntryBytes;
        }

        JsonElement stat = await ToolProcess.JsonAsync(0, "stat", path);
        Assert.Equal(((2 * Caches.Many) + 8, entries), (stat.GetProperty("cacheEntries").GetInt64(), stat.GetProperty("cacheEntryBytes").GetInt64()));
        long live = stat.GetProperty("liveBytes").GetInt64() + stat.GetProperty("largeBytes").GetInt64();
        Assert.True(live >= entries, $"Of {entries} bytes of entries {live} are counted as alive.");
    }

    [Fact]
    [Trait("Category", "Foreign")]
    public async Task OnAFullDeviceEntriesAreReadAndChangesRefused()
    {
        using var device = new SmallDevice(16);
        string path = device.Path;
        using (PileCache cache = PileCache.Open(path, Caches.Options with { MemoryLimitBytes = 8 << 20 }))
        {
            Assert.True(cache.GetOrCreateTable<byte[], byte[]>("default", new PileTableOptions { Kind = PileTableKind.Durable }).Set("name"u8.ToArray(), "Ada"u8).IsStored);
        }

        device.Leave(4096);
        Assert.Equal("Ada", (await ToolProcess.RunAsync("get", path, "name")).Expect(0).Output);
        JsonElement error = (await ToolProcess.JsonAsync(5, "set", path, "large", new string('x', 100_000))).GetProperty("error");
        Assert.Contains("no room", error.GetProperty("message").GetString(), StringComparison.Ordinal);
        Assert.Contains("no room", (await ToolProcess.RunAsync("del", path, "name")).Expect(5).Errors, StringComparison.Ordinal);
        Assert.Equal("Ada", (await ToolProcess.RunAsync("get", path, "name")).Expect(0).Output);
    }

    [Fact]
    public async Task NoTypeIsWrittenThatOnlyProgramsHave()
    {
        string cache = Caches.Make(_piles);
        JsonElement error = (await ToolProcess.JsonAsync(10, "set", cache, "00112233-4455-6677-8899-aabbccddeeff", "{}", "-t", "objects")).GetProperty("error");
        Assert.Contains("only programs that have this type", error.GetProperty("message").GetString(), StringComparison.Ordinal);
    }

    private static async Task<string> GetAsync(string cache, string table, string key) => (await ToolProcess.RunAsync("get", cache, key, "--table", table)).Expect(0).Output;

    private static async Task<string[]> KeysAsync(string cache, string table)
    {
        JsonElement entries = (await ToolProcess.JsonAsync(0, "scan", cache, "--table", table, "--keys")).GetProperty("entries");
        IEnumerable<string> words = entries.EnumerateArray().Select(static entry => entry.GetProperty("key").GetString()!);
        return [.. words.Select(static key => key.StartsWith("json:", StringComparison.Ordinal) ? JsonDocument.Parse(key[5..]).RootElement.GetString()! : key).Order(StringComparer.Ordinal)];
    }
}
