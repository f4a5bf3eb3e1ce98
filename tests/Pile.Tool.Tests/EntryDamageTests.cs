using System;
using System.IO;
using System.Text;
using System.Text.Json;
using System.Threading.Tasks;
using Pile.Cache;
using Pile.Client.Tests;
using Xunit;

namespace Pile.Tool.Tests;

/// <summary>Bytes flipped in an entry of a cache, which is a miss to programs: the command says that it is damaged.</summary>
public sealed class EntryDamageTests : IDisposable
{
    private const string Other = "another text, of an entry that is whole, of some length too";

    private readonly Piles _piles = new();

    public void Dispose() => _piles.Dispose();

    [Theory]
    [InlineData(PileTableKind.Speculative)]
    [InlineData(PileTableKind.Durable)]
    public async Task VerifyFindsADamagedEntry(PileTableKind kind)
    {
        string path = Make(kind);
        JsonElement whole = await ToolProcess.JsonAsync(0, "verify", path);
        Assert.Equal(kind == PileTableKind.Speculative ? 2 : 0, whole.GetProperty("cacheEntries").GetInt32());
        Flip(path);
        ToolProcess.Outcome verified = (await ToolProcess.RunAsync("verify", path)).Expect(1);
        Assert.Contains("damage    1\n", verified.Output, StringComparison.Ordinal);
        Assert.Contains(kind == PileTableKind.Speculative ? "PayloadChecksumInvalid: entry of the table 'texts', segment " : "PayloadChecksumInvalid: slot ", verified.Output, StringComparison.Ordinal);
        Assert.Equal(kind == PileTableKind.Speculative, verified.Output.Contains("a miss to its program", StringComparison.Ordinal));
        Assert.Equal(kind == PileTableKind.Durable, verified.Output.Contains("'pile recover'", StringComparison.Ordinal));
        Assert.Single((await ToolProcess.JsonAsync(1, "verify", path)).GetProperty("findings").EnumerateArray());
    }

    /// <summary>Which entries live is not said by those that were replaced or removed.</summary>
    [Fact]
    public async Task VerifyAsksNothingOfEntriesThatAreOver()
    {
        string path = Make(PileTableKind.Speculative);
        using (PileCache cache = PileCache.Open(path, Caches.Options))
        {
            Assert.True(cache.GetOrCreateTable<string, string>("texts").Remove("greeting"));
        }

        Flip(path);
        Assert.Equal(1, (await ToolProcess.JsonAsync(0, "verify", path)).GetProperty("cacheEntries").GetInt32());
    }

    [Fact]
    public async Task VerifySaysOfHowManyTablesItComparesNothing()
    {
        string path = Make(PileTableKind.Speculative);
        Piles.Flip(Path.Combine(path, "index.1"), 50);
        Assert.Contains("entries   0 of speculative tables; tables that the next open takes for empty, not compared: 1\n", (await ToolProcess.RunAsync("verify", path)).Expect(0).Output, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(PileTableKind.Speculative)]
    [InlineData(PileTableKind.Durable)]
    public async Task WhatMayBeADamagedEntryIsNoMissingOne(PileTableKind kind)
    {
        string path = Make(kind);
        Flip(path);
        JsonElement error = (await ToolProcess.JsonAsync(1, "get", path, "greeting", "-t", "texts")).GetProperty("error");
        Assert.Equal("Damaged", error.GetProperty("code").GetString());
        Assert.Contains("No entry 'greeting' in the table 'texts' can be read, and one of the cache was found to be damaged", error.GetProperty("message").GetString(), StringComparison.Ordinal);
        ToolProcess.Outcome scan = (await ToolProcess.RunAsync("scan", path, "-t", "texts")).Expect(1);
        Assert.Equal($"other  {Other}\n", scan.Output);
        Assert.Contains("one of the cache was found to be damaged, and not listed", scan.Errors, StringComparison.Ordinal);
        Assert.Equal(Other + "\n", (await ToolProcess.RunAsync("get", path, "other", "-t", "texts")).Expect(0).Output);
        _ = (await ToolProcess.RunAsync("set", path, "greeting", "anew", "-t", "texts")).Expect(0);
        Assert.Equal("anew\n", (await ToolProcess.RunAsync("get", path, "greeting", "-t", "texts")).Expect(0).Output);

        // Whose it was nobody knows: what is stored under its key leaves it where it is.
        _ = (await ToolProcess.RunAsync("verify", path)).Expect(1);
        if (kind == PileTableKind.Speculative)
        {
            _ = (await ToolProcess.RunAsync("tables", path, "--clear", "texts")).Expect(0);
            _ = (await ToolProcess.RunAsync("verify", path)).Expect(0);
            return;
        }

        string recovered = _piles.PathOf("recovered");
        _ = (await ToolProcess.RunAsync("recover", path, recovered)).Expect(1);
        _ = (await ToolProcess.RunAsync("verify", recovered)).Expect(0);
        Assert.Equal("anew\n", (await ToolProcess.RunAsync("get", recovered, "greeting", "-t", "texts")).Expect(0).Output);
    }

    [Theory]
    [InlineData(PileTableKind.Speculative)]
    [InlineData(PileTableKind.Durable)]
    public async Task WhatAServersReadsHaveMetIsNoMissingOneAndIsCounted(PileTableKind kind)
    {
        string path = _piles.PathOf("served");
        using (PileCache cache = PileCache.Open(path, Caches.Options))
        {
            // As the server would have made it: with a row of its list, which has the kind.
            Assert.True(cache.GetOrCreateTable<byte[], byte[]>("pile.server.tables", new PileTableOptions { Kind = PileTableKind.Durable }).Set("texts"u8.ToArray(), kind == PileTableKind.Durable ? [8, 1] : []).IsStored);
            PileTable<byte[], byte[]> texts = cache.GetOrCreateTable<byte[], byte[]>("texts", new PileTableOptions { Kind = kind });
            Assert.True(texts.Set("greeting"u8.ToArray(), Encoding.Latin1.GetBytes(Piles.Text)).IsStored);
            Assert.True(texts.Set("other"u8.ToArray(), Encoding.Latin1.GetBytes(Other)).IsStored);
        }

        Flip(path);
        await using ServerProcess server = await ServerProcess.StartAsync("--directory", path);
        string at = server.Address;
        Assert.Contains("There is no entry 'nobody'", (await ToolProcess.RunAsync("get", at, "nobody", "-t", "texts")).Expect(6).Errors, StringComparison.Ordinal);
        JsonElement error = (await ToolProcess.JsonAsync(1, "get", at, "greeting", "-t", "texts")).GetProperty("error");
        Assert.Contains("No entry 'greeting' in the table 'texts' can be read, and one of the cache was found to be damaged", error.GetProperty("message").GetString(), StringComparison.Ordinal);
        ToolProcess.Outcome scan = (await ToolProcess.RunAsync("scan", at, "-t", "texts")).Expect(1);
        Assert.Equal($"other  {Other}\n", scan.Output);
        Assert.Contains("one of the cache was found to be damaged, and not listed", scan.Errors, StringComparison.Ordinal);
        Assert.Equal(1, (await ToolProcess.JsonAsync(0, "stat", at)).GetProperty("damagedEntries").GetInt32());
    }

    private string Make(PileTableKind kind)
    {
        string path = _piles.PathOf("cache");
        using PileCache cache = PileCache.Open(path, Caches.Options);
        PileTable<string, string> texts = cache.GetOrCreateTable<string, string>("texts", new PileTableOptions { Kind = kind });
        Assert.True(texts.Set("greeting", Piles.Text).IsStored);
        Assert.True(texts.Set("other", Other).IsStored);
        return path;
    }

    private static void Flip(string path)
    {
        (string file, long offset) = Piles.Find(path, Encoding.Latin1.GetBytes(Piles.Text));
        Piles.Flip(file, offset + 7);
    }
}
