using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Text;
using System.Text.Json;
using System.Text.RegularExpressions;
using System.Threading.Tasks;
using Pile.Cache;
using Pile.Client.Tests;
using Xunit;

namespace Pile.Tool.Tests;

/// <summary>docs/TOOL.md shows what the command writes, but for what differs from run to run. PILE_ACCEPT_TOOL=1 writes it anew.</summary>
public sealed partial class ToolDocTests : IDisposable
{
    private const string AcceptVariable = "PILE_ACCEPT_TOOL";
    private const string Prompt = "$ pile ";
    private const string Fence = "```";
    private const string Server = "unix:server.sock";

    private readonly Piles _piles = new();
    private string _resume = "";

    public void Dispose() => _piles.Dispose();

    [Fact]
    public async Task TheDocumentShowsWhatTheCommandWrites()
    {
        MakePiles();
        MakeCache();
        await using ServerProcess server = await ServerProcess.StartAsync(
            "--listen=unix:" + _piles.PathOf("server.sock"), "--directory", _piles.PathOf("served"), "--PileServer:AnonymousAccess=Read,Write,Admin", "--PileServer:CopyDirectory=" + _piles.PathOf("copies"));
        await FillServerAsync();
        string path = Path.Combine(Piles.Root, "docs", "TOOL.md");
        List<string> expected = [.. (await File.ReadAllTextAsync(path, TestContext.Current.CancellationToken)).Split('\n')];
        List<string> actual = [];
        HashSet<string> verbs = [];
        for (int line = 0; line < expected.Count; line++)
        {
            actual.Add(expected[line]);
            if (expected[line].StartsWith(Prompt, StringComparison.Ordinal))
            {
                string[] words = expected[line][Prompt.Length..].Split(' ');
                _ = verbs.Add(words[0]);
                actual.AddRange(await RunAsync(words));
                line = expected.FindIndex(line, static next => next == Fence) - 1;
            }
            else if (MemberRow().Match(expected[line]) is { Success: true } row)
            {
                actual[^1] = $"| `{row.Groups["verb"].Value}`{row.Groups["server"].Value} | {await MembersAsync(row.Groups["verb"].Value.Split(' '), row.Groups["server"].Length > 0)} |";
            }
        }

        if (Environment.GetEnvironmentVariable(AcceptVariable) == "1")
        {
            await File.WriteAllTextAsync(path, string.Join('\n', actual), TestContext.Current.CancellationToken);
            expected = actual;
        }

        Assert.Equal(expected.Select(Mask), actual.Select(Mask));
        string[] known = [.. (await ToolProcess.RunAsync("--help")).Expect(0).Lines.SkipWhile(static next => next != "Commands:").Skip(1).Select(static next => next.Trim().Split(' ')[0].TrimEnd(','))];
        Assert.Equal(known.Order(StringComparer.Ordinal), verbs.Order(StringComparer.Ordinal));
    }

    [Fact]
    public void TheDocumentHasEachExitCode()
    {
        string text = File.ReadAllText(Path.Combine(Piles.Root, "docs", "TOOL.md"));
        IEnumerable<string> rows = CodeRow().Matches(text).Select(static row => $"{row.Groups["code"].Value} {row.Groups["name"].Value}");
        Assert.Equal(Enum.GetValues<ExitCode>().Order().Select(static code => $"{(int)code} {code}"), rows);
    }

    private void MakePiles()
    {
        string shop = _piles.PathOf("shop");
        using (ObjectPile pile = ObjectPile.Open(shop, Piles.Options with { UsedOverLive = 4, FlushInterval = TimeSpan.FromHours(1) }))
        {
            var ada = new Piles.Customer { Name = "Ada" };
            var charles = new Piles.Customer { Name = "Charles", Friend = ada };
            ada.Friend = charles;
            ada.Orders.AddRange([new Piles.Order { Number = 1, Of = ada, Mark = [1, 2, 3] }, new Piles.Order { Number = 2, Of = charles }]);
            pile.Roots.Set("customer", pile.Put(ada));
            pile.Roots.Set("greeting", pile.Put(Piles.Text));
            PilePointer[] orders = [.. Enumerable.Range(0, 20_000).Select(index => pile.Put(new Piles.Order { Number = index, Mark = new byte[index % 100] }))];
            pile.Roots.Set("first order", orders[0]);
            pile.Roots.Set("catalogue", pile.PutBytes(Piles.Large));
            foreach (PilePointer pointer in orders.Where(static (_, index) => index is > 2000 and < 6000 || index % 5 == 1))
            {
                _ = pile.Delete(pointer);
            }
        }

        CopyFiles(shop, _piles.PathOf("damaged"));
        (string file, long offset) = Piles.Find(_piles.PathOf("damaged"), Encoding.Latin1.GetBytes(Piles.Text));
        Piles.Flip(file, offset);
    }

    private void MakeCache()
    {
        using PileCache cache = PileCache.Open(_piles.PathOf("cache"), Caches.Options);
        PileTable<byte[], byte[]> bytes = cache.GetOrCreateTable<byte[], byte[]>("default", new PileTableOptions { MaximumEntries = 100_000 });
        Assert.True(bytes.Set("row"u8.ToArray(), "value"u8).IsStored && bytes.Set([0, 255], [1, 2, 3]).IsStored);
        PileTable<long, double> prices = cache.GetOrCreateTable<long, double>("prices", new PileTableOptions { Kind = PileTableKind.Durable });
        Assert.True(prices.Set(7, 9.95).IsStored);
        PileTable<string, Piles.Order> orders = cache.GetOrCreateTable<string, Piles.Order>("orders", new PileTableOptions { DefaultTimeToLive = TimeSpan.FromHours(1) });
        Assert.True(orders.Set("first", new Piles.Order { Number = 1 }).IsStored);
    }

    private async Task FillServerAsync()
    {
        // A place in the table's changes, from where the document's watch goes on.
        using (Process watch = ToolProcess.Start(["watch", Server, "--count", "1", "--json"], directory: _piles.PathOf("")))
        {
            Assert.NotNull(await Within.AMinuteAsync(watch.StandardError.ReadLineAsync(TestContext.Current.CancellationToken).AsTask(), "the watch"));
            _ = (await ToolProcess.RunInAsync(_piles.PathOf(""), "set", Server, "Ada", "a countess")).Expect(0);
            using var change = JsonDocument.Parse(await Within.AMinuteAsync(watch.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken), "a change"));
            _resume = change.RootElement.GetProperty("resume").GetString()!;
            await Within.AMinuteAsync(watch.WaitForExitAsync(TestContext.Current.CancellationToken), "the end of the watch");
        }

        foreach (string name in (string[])["Ada", "Charles"])
        {
            _ = (await ToolProcess.RunInAsync(_piles.PathOf(""), "set", Server, name, "a mathematician")).Expect(0);
            _ = (await ToolProcess.RunInAsync(_piles.PathOf(""), "get", Server, name)).Expect(0);
        }
    }

    private static void CopyFiles(string source, string target)
    {
        foreach (string path in Directory.GetFiles(source, "*", SearchOption.AllDirectories))
        {
            string copy = Path.Combine(target, Path.GetRelativePath(source, path));
            _ = Directory.CreateDirectory(Path.GetDirectoryName(copy)!);
            File.Copy(path, copy);
        }
    }

    private async Task<IEnumerable<string>> RunAsync(string[] words)
    {
        // Quietly: on a slow machine it would show progress.
        ToolProcess.Outcome outcome = await ToolProcess.RunInAsync(_piles.PathOf(""), [.. words, .. words[0] == "watch" ? (string[])["--resume", _resume] : [], "--quiet"]);
        string shown = words[0] == "doctor" ? Advice().Replace(outcome.Output, "") : outcome.Output;
        string[] lines = (shown + outcome.Errors).TrimEnd('\n').Replace(_piles.PathOf("").TrimEnd('/'), "/data", StringComparison.Ordinal).Split('\n');

        // A scan has no order of its own.
        return words[0] == "scan" ? lines.Order(StringComparer.Ordinal) : lines;
    }

    private async Task<string> MembersAsync(string[] verb, bool isOfAServer)
    {
        string target = Guid.NewGuid().ToString("N");
        string[] more = verb[0] switch
        {
            "copy" when isOfAServer => [Server, target],
            "recover" or "copy" or "export" => ["shop", target],
            "import" => ["shop.export", target],
            "show" => ["shop", "customer"],
            "get" or "del" => ["cache", "row"],
            "set" => ["cache", "row", "value"],
            "tables" or "scan" => ["cache"],
            "completion" => ["bash"],
            "doctor" => ["."],
            "bench" => [".", "--requests", "100", "--keys", "100"],
            "watch" => [Server, "--count", "1", "--resume", _resume],
            "top" => [Server, "--count", "1", "--every", "10ms"],
            "stat" when isOfAServer => [Server, "--count", "1", "--every", "10ms"],
            _ when isOfAServer => [Server],
            _ => ["shop"],
        };
        ToolProcess.Outcome outcome = (await ToolProcess.RunInAsync(_piles.PathOf(""), [verb[0], .. more, .. verb.Skip(1), "--json"])).Expect(0);
        using var document = JsonDocument.Parse(outcome.Output);
        return string.Join(", ", document.RootElement.EnumerateObject().Where(static member => member.Name is not ("verb" or "directory" or "server")).Select(Describe));
    }

    private static string Describe(JsonProperty member) => member.Value.ValueKind == JsonValueKind.Array && member.Value.GetArrayLength() > 0 && member.Value[0].ValueKind == JsonValueKind.Object
        ? $"`{member.Name}` ({string.Join(", ", member.Value[0].EnumerateObject().Select(static inner => $"`{inner.Name}`"))})"
        : $"`{member.Name}`";

    /// <summary>Without what differs from run to run: dates, identities, tags of pointers, space on devices, durations.</summary>
    private static string Mask(string line)
    {
        line = Varying().Replace(line, "*");
        line = Device().Replace(line, "$1 *");
        return Bench().Replace(line, static row => row.Groups["what"].Value.TrimEnd() + " *");
    }

    [GeneratedRegex(@"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC|\b[0-9A-F]{16}\b|(?<=@)\d{3}|(?<=^tag +)\d{3}|(?<=^(used before|used after|moved|ratio|first answer|answers|version|calls|examined|system|memory|control group|address space|overcommit|swap|huge pages|mappings|open files|file system|space|rights|fsync) +).*$|(?<=^used +).* of .*$|^ {5,}[\d,]+ {3,}.*$|(?<=^unix:server\.sock: ).*$|^(Fit|Not fit) for piles.*$")]
    private static partial Regex Varying();

    [GeneratedRegex(@"^(free on the device|on the device|(?:extents/|lock|pile\.meta|sums\.|table\.)\S* +[a-z ]*?)\s+\d.*$")]
    private static partial Regex Device();

    [GeneratedRegex(@"^(?<what>set|get|mix|commit after a set|close|open after a close|what)  .*$")]
    private static partial Regex Bench();

    [GeneratedRegex(@"^\| `(?<verb>[a-z]+( --objects| --watch)?)`(?<server> of a server)? \|")]
    private static partial Regex MemberRow();

    [GeneratedRegex(@"^(better|change): .*\n", RegexOptions.Multiline)]
    private static partial Regex Advice();

    [GeneratedRegex(@"^\| (?<code>\d+) \| `(?<name>\w+)` \|", RegexOptions.Multiline)]
    private static partial Regex CodeRow();
}
