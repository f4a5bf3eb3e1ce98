using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Tool.Tests;

/// <summary>What each verb writes: text of 40 columns, JSON, objects of every lane; closed output; lines that are wrong.</summary>
public sealed class OutputTests : IDisposable
{
    private readonly Piles _piles = new();

    public void Dispose() => _piles.Dispose();

    [Theory]
    [InlineData("2>/dev/full")]
    [InlineData("2>&-")]
    public async Task WhereErrorsCanNotBeWrittenTheWorkIsDoneAndTheCodeSaysHow(string redirection)
    {
        string cache = Caches.Make(_piles);
        string target = _piles.PathOf("unheard");
        _ = (await ToolProcess.RunByShellAsync(redirection, "copy", cache, target)).Expect(0);
        _ = (await ToolProcess.RunAsync("verify", target)).Expect(0);
        _ = (await ToolProcess.RunByShellAsync(redirection, "copy", cache)).Expect(2);
        using var document = JsonDocument.Parse((await ToolProcess.RunByShellAsync(redirection, "copy", cache, target, "--json")).Expect(5).Output);
        Assert.Equal(5, document.RootElement.GetProperty("error").GetProperty("exitCode").GetInt32());
    }

    [Theory]
    [InlineData(5, "info {pile} --json")]
    [InlineData(5, "info {pile}")]
    [InlineData(3, "info {pile}.missing --json")]
    [InlineData(2, "copy {pile} --json")]
    [InlineData(5, "--help")]
    [InlineData(5, "--version")]
    [InlineData(5, "verify --help")]
    public async Task WhereNoDocumentCanBeWrittenTheCodeSaysHow(int code, string line)
    {
        string[] words = line.Replace("{pile}", _piles.Make(), StringComparison.Ordinal).Split(' ');
        foreach (string redirection in (string[])[">/dev/full", ">&-"])
        {
            string errors = (await ToolProcess.RunByShellAsync(redirection, words)).Expect(code).Errors;
            Assert.DoesNotContain("Unhandled", errors, StringComparison.Ordinal);
            Assert.True(code != 5 || errors.Contains("Standard output: ", StringComparison.Ordinal), errors);
        }
    }

    [Fact]
    public async Task FortyColumnsAreEnoughForEachVerb()
    {
        string path = _piles.Make();
        Dictionary<string, string> narrow = new() { ["COLUMNS"] = "40" };
        foreach (string[] verb in DirectoryStateTests.Reading(path).Append(["show", path, "ada"]).Append(["ls", path, "--objects"]).Append(["info", path, "--files"])
            .Append(["copy", path, _piles.PathOf("copy")]).Append(["recover", path, _piles.PathOf("recovered")]).Append(["compact", _piles.PathOf("copy")]).Append(["bench", _piles.PathOf(""), "--requests", "1000", "--keys", "1000"]))
        {
            ToolProcess.Outcome outcome = (await ToolProcess.RunAsync(narrow, verb)).Expect(0);
            Assert.NotEmpty(outcome.Output);
            Assert.All(verb.Contains("--as") ? [] : outcome.Lines, line => Assert.True(line.Length <= 40, $"{verb[0]}: {line.Length} columns: {line}"));
            Assert.True(verb.Contains("--as") || !outcome.Output.Contains('\u001B', StringComparison.Ordinal), outcome.Output);
            Assert.DoesNotContain('\u001B', outcome.Errors);
        }
    }

    [Fact]
    public async Task GetWritesEachLaneAsItIsUsed()
    {
        string path = _piles.Make();
        Assert.Equal(Piles.Text + "\n", (await ToolProcess.RunAsync("show", path, "text", "--as", "value")).Expect(0).Output);
        Assert.Equal("\u4E16\u754C\n", (await ToolProcess.RunAsync("show", path, "root:wide", "--as", "value")).Expect(0).Output);
        string file = _piles.PathOf("large.bin");
        _ = (await ToolProcess.RunAsync("show", path, "large", "--output", file)).Expect(0);
        Assert.Equal(Piles.Large, await File.ReadAllBytesAsync(file, TestContext.Current.CancellationToken));
        ToolProcess.Outcome again = (await ToolProcess.RunAsync("show", path, "large", "-o", file)).Expect(5);
        Assert.Contains("there already", again.Errors, StringComparison.Ordinal);
        using (var document = JsonDocument.Parse((await ToolProcess.RunAsync("show", path, "ada", "--as", "value")).Expect(0).Output))
        {
            Assert.Equal("Ada", document.RootElement.GetProperty("Name").GetString());
        }

        Assert.Equal([1, 0, 0, 0, 0, 0, 0, 0, 2], (await ToolProcess.RunAsync("show", path, "span", "--as", "raw")).Expect(0).Output.Take(9).Select(static letter => (int)letter));
        JsonElement value = await ToolProcess.JsonAsync(0, "show", path, "value");
        Assert.Equal("Value", value.GetProperty("lane").GetString());
        Assert.Equal(42.5, BinaryPrimitives.ReadDoubleLittleEndian(Convert.FromBase64String(value.GetProperty("value").GetString()!)));
    }

    [Fact]
    public async Task ShowMarksWhatIsSharedAndWhatIsCyclic()
    {
        string path = _piles.Make();
        string[] lines = (await ToolProcess.RunAsync("show", path, "ada")).Expect(0).Lines;
        Assert.Contains("Piles+Customer #1", lines[1], StringComparison.Ordinal);
        Assert.Contains("|- Name: \"Ada\"", lines);
        Assert.Contains(lines, static line => line.EndsWith("Friend: -> #1 (cycle)", StringComparison.Ordinal));
        Assert.Contains(lines, static line => line.EndsWith("Of: -> #2", StringComparison.Ordinal));
        Assert.Contains(lines, static line => line.EndsWith("Mark: 3 bytes 010203", StringComparison.Ordinal));
        string[] shallow = (await ToolProcess.RunAsync("show", path, "ada", "--depth", "1")).Expect(0).Lines;
        Assert.Contains(shallow, static line => line.EndsWith("Piles+Customer #2 ...", StringComparison.Ordinal));
        string[] large = (await ToolProcess.RunAsync("show", path, "large", "--items", "3")).Expect(0).Lines;
        Assert.Equal(5, large.Length);
        Assert.Contains("--as Hex shows all", large[^1], StringComparison.Ordinal);
        Assert.Equal(1 + (Piles.LargeBytes / 16), (await ToolProcess.RunAsync("show", path, "large", "--as", "hex")).Expect(0).Lines.Length);
        string hex = (await ToolProcess.RunAsync("show", path, "text", "--as", "hex")).Expect(0).Output;
        Assert.Contains("00000000  74 68 65 20 74 65 78 74  20 74 68 61 74 20 74 65  the text that te", hex, StringComparison.Ordinal);
    }

    [Fact]
    public async Task ListsCountRootsLanesAndTypes()
    {
        string path = _piles.Make();
        JsonElement list = await ToolProcess.JsonAsync(0, "ls", path);
        Assert.Equal(["ada", "bytes", "deleted", "large", "span", "text", "value", "wide"], list.GetProperty("roots").EnumerateArray().Select(static root => root.GetProperty("name").GetString()));
        Assert.Equal("deleted", list.GetProperty("roots")[2].GetProperty("lane").GetString());
        JsonElement orders = list.GetProperty("groups").EnumerateArray().Single(static group => group.GetProperty("type").GetString()!.EndsWith("Piles+Order", StringComparison.Ordinal));
        Assert.Equal(100, orders.GetProperty("objects").GetInt64());
        Assert.Equal(107, list.GetProperty("groups").EnumerateArray().Sum(static group => group.GetProperty("objects").GetInt64()));
        Assert.Equal(107, (await ToolProcess.RunAsync("ls", path, "--objects")).Expect(0).Lines.Length);
        string[] some = (await ToolProcess.RunAsync("ls", path, "--objects", "--type", "order", "--limit", "7")).Expect(0).Lines;
        Assert.Equal(7, some.Length);
        Assert.All(some, static line => Assert.EndsWith("Piles+Order", line, StringComparison.Ordinal));
        JsonElement objects = await ToolProcess.JsonAsync(0, "ls", path, "--objects", "--kind", "Bytes");
        Assert.Equal([256, Piles.LargeBytes], objects.GetProperty("objects").EnumerateArray().Select(static found => found.GetProperty("bytes").GetInt32()).Order());
        JsonElement types = await ToolProcess.JsonAsync(0, "types", path);
        JsonElement customer = types.GetProperty("types").EnumerateArray().Single(static type => type.GetProperty("name").GetString()!.EndsWith("Piles+Customer", StringComparison.Ordinal));
        Assert.Equal(["Name", "Friend", "Orders"], customer.GetProperty("members").EnumerateArray().Select(static member => member.GetProperty("name").GetString()));
        JsonElement stats = await ToolProcess.JsonAsync(0, "stat", path);
        Assert.Equal(107, stats.GetProperty("objects").GetInt64());
        long live = stats.GetProperty("segments").EnumerateArray().Sum(static segment => segment.GetProperty("liveBytes").GetInt64());
        Assert.InRange(live, stats.GetProperty("liveBytes").GetInt64(), stats.GetProperty("segmentBytes").GetInt64());
    }

    [Theory]
    [InlineData("ls")]
    [InlineData("ls --json")]
    public async Task ClosedOutputEndsItWithoutAWord(string verb)
    {
        string path = _piles.Make(many: 20_000);
        using Process process = ToolProcess.Start([.. verb.Split(' '), path, "--objects", "--quiet"]);
        _ = await process.StandardOutput.ReadLineAsync(TestContext.Current.CancellationToken);
        process.StandardOutput.Close();
        string errors = await process.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
        await process.WaitForExitAsync(TestContext.Current.CancellationToken);
        Assert.Equal((141, ""), (process.ExitCode, errors));
    }

    [Theory]
    [InlineData("")]
    [InlineData("frobnicate")]
    [InlineData("info")]
    [InlineData("ls {pile} --limit -1")]
    [InlineData("ls {pile} --kind Nonsense")]
    [InlineData("show {pile} ada --depth 1000")]
    [InlineData("compact {pile} --ratio 0.5")]
    [InlineData("bench --objects 0")]
    [InlineData("set {pile} key --input")]
    [InlineData("tables {pile} --ttl")]
    public async Task AWrongLineEndsWithTwoAndSaysWhereHelpIs(string line)
    {
        string path = line.Contains("{pile}", StringComparison.Ordinal) ? _piles.Make() : "";
        ToolProcess.Outcome outcome = (await ToolProcess.RunAsync([.. line.Split(' ', StringSplitOptions.RemoveEmptyEntries).Select(word => word.Replace("{pile}", path, StringComparison.Ordinal))])).Expect(2);
        Assert.Empty(outcome.Output);
        Assert.Contains("--help' says what can be given", outcome.Errors, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AnEmptyTagIsRefusedByItsOption() =>
        Assert.Contains("--tag is empty", (await ToolProcess.RunAsync("del", _piles.PathOf("none"), "--tag", "")).Expect(2).Errors, StringComparison.Ordinal);

    [Theory]
    [InlineData("tables", "--create")]
    [InlineData("tables", "--clear")]
    [InlineData("tables", "--drop")]
    [InlineData("get", "--table")]
    [InlineData("set", "--table")]
    [InlineData("del", "--table")]
    [InlineData("scan", "--table")]
    [InlineData("watch", "--table")]
    public async Task ANameThatNoTableCanHaveIsRefusedByItsOption(string verb, string option)
    {
        // A server takes the empty name for the table 'default'.
        string[] words = verb is "get" or "del" ? ["key"] : verb == "set" ? ["key", "value"] : [];
        Assert.Contains($"{option} is empty: give the name of a table, which has 1 to 256 chars.", (await ToolProcess.RunAsync([verb, "http://127.0.0.1:1", .. words, option, ""])).Expect(2).Errors, StringComparison.Ordinal);
        string name = new('n', 257);
        Assert.Contains($"{option} = '{name}' has 257 chars, and the name of a table has 1 to 256.", (await ToolProcess.RunAsync([verb, "http://127.0.0.1:1", .. words, option, name])).Expect(2).Errors, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("", "Required command was not provided.")]
    [InlineData("frobnicate", "'frobnicate'")]
    [InlineData("get", "<where> is missing. The pile or cache: its directory, or a server's address: http://host:port, https://host:port, unix:path. <key> is missing.")]
    [InlineData("show pile", "<object> is missing.")]
    [InlineData("ls pile --limit -1", "--limit must lie between 0 and 2147483647, not '-1'.")]
    [InlineData("ls pile --limit many", "--limit must lie between 0 and 2147483647, not 'many'.")]
    [InlineData("ping http://127.0.0.1:1 --count 99999999999", "--count must lie between 1 and 1000000, not '99999999999'.")]
    [InlineData("bench pile --bytes 10 --bytes x", "--bytes must lie between 1 and 1048576, not 'x'.")]
    [InlineData("compact pile --ratio NaN", "--ratio must lie between 1.05 and 16, not 'NaN'.")]
    [InlineData("tables http://127.0.0.1:1 --create a --bytes-max 1MiB", "--bytes-max must lie between 1 and 9223372036854775807, not '1MiB'.")]
    [InlineData("tables http://127.0.0.1:1 --create a --entries-max 0", "--entries-max must lie between 1 and 9223372036854775807, not '0'.")]
    [InlineData("tables http://127.0.0.1:1 --create a --ttl 5", "'5' is no span of time")]
    [InlineData("tables http://127.0.0.1:1 --durable", "--durable, --ttl, --entries-max and --bytes-max say what --create makes")]
    [InlineData("tables http://127.0.0.1:1 --clear a --drop a", "--clear and --drop are both of 'a': a table that is dropped has no entries left to clear. Give one of them.")]
    [InlineData("tables http://127.0.0.1:1 --create a --drop a", "--create and --drop are both of 'a', which would be made and removed. Give one of them.")]
    [InlineData("stat --watch", "<where> is missing.")]
    [InlineData("stat pile --watch", "'pile' is a directory")]
    [InlineData("top http://127.0.0.1:1 --every 30d", "--every must be 1d at most, not '30d'.")]
    [InlineData("watch http://127.0.0.1:1 --resume zz", "--resume must be hexadecimal digits as --json writes them behind 'resume', not 'zz'.")]
    [InlineData("set pile key --input a --input b", "'--input'")]
    [InlineData("set pile key value --ttl 0.00001ms", "'0.00001ms' is no span of time")]
    [InlineData("set pile key value --ttl 9999999d", "at most 5000000d")]
    [InlineData("set pile key value --priority 7", "--priority must be one of Low, Normal, High or NeverRemove, not '7'.")]
    [InlineData("set pile key value --when never", "--when must be one of Always, Absent or Present, not 'never'.")]
    [InlineData("ls pile --kind 1", "--kind must be one of ")]
    [InlineData("show pile ada --as 1", "--as must be one of Tree, Value, Raw or Hex, not '1'.")]
    [InlineData("completion 1", "<shell> must be one of Bash, Zsh or Fish, not '1'.")]
    public async Task AWrongLineSaysWhatIsWrongInJsonToo(string line, string said)
    {
        using var document = JsonDocument.Parse((await ToolProcess.RunAsync([.. line.Split(' ', StringSplitOptions.RemoveEmptyEntries), "--json"])).Expect(2).Output);
        JsonElement error = document.RootElement.GetProperty("error");
        Assert.Equal(line.Contains(' ', StringComparison.Ordinal) || line == "get" ? line.Split(' ')[0] : "pile", document.RootElement.GetProperty("verb").GetString());
        Assert.Equal(("Usage", 2), (error.GetProperty("code").GetString(), error.GetProperty("exitCode").GetInt32()));
        Assert.DoesNotContain("System.", error.GetProperty("message").GetString(), StringComparison.Ordinal);
        Assert.Contains(said, error.GetProperty("message").GetString(), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("frobnicate")]
    [InlineData("--frobnicate")]
    [InlineData("frobnicate", "http://127.0.0.1:1", "--table", "a")]
    public async Task AWordThatIsNoVerbIsToldByOneLine(params string[] words)
    {
        string[] lines = (await ToolProcess.RunAsync(words)).Expect(2).Errors.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        Assert.Equal([$"pile: '{words[0]}' is neither a verb nor an option of pile.", "'pile --help' says what can be given."], lines);
    }

    [Fact]
    public async Task AnObjectThatIsNotThereEndsWithSix()
    {
        string path = _piles.Make();
        foreach (string name in (string[])["nobody", "root:nobody", "deleted", "99999.1@130", "1.1@1"])
        {
            JsonElement error = (await ToolProcess.JsonAsync(6, "show", path, name)).GetProperty("error");
            Assert.Equal("NotFound", error.GetProperty("code").GetString());
            _ = (await ToolProcess.RunAsync("show", path, name)).Expect(6);
        }
    }
}
