using System;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Pile.Cache;
using Xunit;

namespace Pile.Tool.Tests;

/// <summary>A directory whose list of durable tables is missing, damaged or another pile's: the cache refuses it, and every verb that says what is well says so too.</summary>
public sealed class CacheListTests : IDisposable
{
    private readonly Piles _piles = new();

    public void Dispose() => _piles.Dispose();

    [Theory]
    [InlineData("missing", "it is missing")]
    [InlineData("missing with the indexes", "there are entries of a durable table with number")]
    [InlineData("zeroed", "Restore the file")]
    [InlineData("another's", "it belongs to another pile")]
    public async Task WithoutItsListOfDurableTablesNoVerbCallsACacheGood(string what, string said)
    {
        string path = Caches.Make(_piles);
        string list = Path.Combine(path, "cache.tables");
        switch (what)
        {
            case "zeroed":
                File.WriteAllBytes(list, new byte[new FileInfo(list).Length]);
                break;
            case "another's":
                File.Copy(Path.Combine(Caches.Make(_piles, "other"), "cache.tables"), list, overwrite: true);
                break;
            default:
                File.Delete(list);
                foreach (string index in Directory.GetFiles(path, "index.*").Where(_ => what != "missing"))
                {
                    File.Delete(index);
                }

                break;
        }

        _ = Assert.ThrowsAny<PileException>(() => PileCache.Open(path, Caches.Options));

        ToolProcess.Outcome verified = (await ToolProcess.RunAsync("verify", path)).Expect(1);
        Assert.Contains("cache.tables: ", verified.Output, StringComparison.Ordinal);
        Assert.Contains(said, verified.Output, StringComparison.OrdinalIgnoreCase);
        if (what != "missing with the indexes")
        {
            // The rest needs the pile open, which info does not do.
            Assert.Contains("cache.tables: ", (await ToolProcess.RunAsync("info", path)).Expect(1).Output, StringComparison.Ordinal);
        }

        Assert.Contains("cache.tables': ", (await ToolProcess.RunAsync("copy", path, _piles.PathOf("copied"))).Expect(1).Errors, StringComparison.Ordinal);
        Assert.False(Directory.Exists(_piles.PathOf("copied")));
        string target = _piles.PathOf("recovered");
        ToolProcess.Outcome recovered = (await ToolProcess.RunAsync("recover", path, target)).Expect(1);
        Assert.Contains("cache.tables: ", recovered.Output, StringComparison.Ordinal);
        Assert.DoesNotContain("came along", recovered.Errors, StringComparison.Ordinal);
        ToolProcess.Outcome again = (await ToolProcess.RunAsync("verify", target)).Expect(1);
        Assert.Contains("cache.tables: ", again.Output, StringComparison.Ordinal);
        Assert.All([verified, again], static outcome => Assert.DoesNotContain("'pile recover'", outcome.Output, StringComparison.Ordinal));
        Assert.All([verified, again], static outcome => Assert.Contains("'pile export' and 'pile import'", outcome.Output, StringComparison.Ordinal));
        string exported = _piles.PathOf("exported");
        _ = (await ToolProcess.RunAsync("export", target, exported)).Expect(0);
        _ = (await ToolProcess.RunAsync("import", exported, _piles.PathOf("imported"))).Expect(0);
        _ = (await ToolProcess.RunAsync("verify", _piles.PathOf("imported"))).Expect(0);
        using PileCache cache = PileCache.Open(_piles.PathOf("imported"), Caches.Options);
        Assert.Empty(cache.Recovery);
    }

    /// <summary>Nobody said so, no open mended it, and each copy had it: with the other half all durable tables would have been gone.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public async Task ADamagedCopyOfTheListIsToldAndMended(int half)
    {
        string path = Caches.Make(_piles);
        string list = Path.Combine(path, "cache.tables");
        byte[] whole = File.ReadAllBytes(list);
        byte[] bytes = [.. whole];
        bytes[(half * (bytes.Length / 2)) + 40] ^= 1;
        File.WriteAllBytes(list, bytes);

        string said = half == 0 ? "cache.tables: of the first copy, " : "cache.tables: of the second copy, ";
        foreach (string verb in (string[])["verify", "info"])
        {
            string output = (await ToolProcess.RunAsync(verb, path)).Expect(1).Output;
            Assert.Contains(said, output, StringComparison.Ordinal);
            Assert.Contains("the other holds, nothing is lost, and an open of the cache for writing mends it", output, StringComparison.Ordinal);
            Assert.DoesNotContain("Nothing brings the list of durable tables back", output, StringComparison.Ordinal);
        }

        Assert.Contains("nothing is lost", (await ToolProcess.RunAsync("copy", path, _piles.PathOf("copied"))).Expect(1).Errors, StringComparison.Ordinal);
        Assert.Contains("came along", (await ToolProcess.RunAsync("recover", path, _piles.PathOf("recovered"))).Expect(0).Errors, StringComparison.Ordinal);
        PileCache.Open(path, Caches.Options).Dispose();

        Assert.Equal(whole, File.ReadAllBytes(list));
        _ = (await ToolProcess.RunAsync("verify", path)).Expect(0);
        _ = (await ToolProcess.RunAsync("copy", path, _piles.PathOf("copied"))).Expect(0);
    }

    [Fact]
    public async Task WithItsListItIsGood()
    {
        string path = Caches.Make(_piles);
        _ = (await ToolProcess.RunAsync("verify", path)).Expect(0);
        _ = (await ToolProcess.RunAsync("info", path)).Expect(0);
        string target = _piles.PathOf("recovered");
        Assert.Contains("came along", (await ToolProcess.RunAsync("recover", path, target)).Expect(0).Errors, StringComparison.Ordinal);
        _ = (await ToolProcess.RunAsync("verify", target)).Expect(0);
    }
}
