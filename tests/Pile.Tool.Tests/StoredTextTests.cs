using System;
using System.Linq;
using System.Text.Json;
using System.Threading.Tasks;
using Pile.Cache;
using Pile.Tests.Foreign;
using Pile.Tool.Output;
using Xunit;

namespace Pile.Tool.Tests;

/// <summary>Text that is stored may be any: nothing of it steers a terminal, and none ends a verb.</summary>
public sealed class StoredTextTests : IDisposable
{
    private const string Red = "\u001B[31mred\u009B0m";

    private readonly Piles _piles = new();

    public void Dispose() => _piles.Dispose();

    [Fact]
    public async Task TextThatIsNotWellFormedIsListedAndRead()
    {
        string path = Make(texts =>
        {
            _ = texts.Set("a", "before");
            _ = texts.Set("lone", "x\uD800y");
            _ = texts.Set("z", "behind");
        });

        Assert.Equal("x\uFFFDy\n", (await ToolProcess.RunAsync("get", path, "lone", "--table", "texts")).Expect(0).Output);
        Assert.Equal("x\uFFFDy", (await ToolProcess.JsonAsync(0, "get", path, "lone", "--table", "texts")).GetProperty("value").GetString());
        Assert.Equal(3, (await ToolProcess.RunAsync("scan", path, "--table", "texts")).Expect(0).Lines.Length);
        string[] all = [.. (await ToolProcess.JsonAsync(0, "scan", path, "--table", "texts")).GetProperty("entries").EnumerateArray().Select(static entry => entry.GetProperty("text").GetString()!)];
        Assert.Equal(["before", "behind", "x\uFFFDy"], all.Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task ControlCharactersOfNamesDoNotReachTheTerminalByErrors()
    {
        string path = Make(static _ => { }, $"table{Red}");

        string errors = (await ToolProcess.RunAsync("get", path, "key", "--table", "none")).Expect(6).Errors;
        Assert.Contains("'table\\u001B[31mred\\u009B0m'", errors, StringComparison.Ordinal);
        Assert.DoesNotContain(errors.TrimEnd('\n'), char.IsControl);
        Assert.DoesNotContain((await ToolProcess.RunAsync("get", path, "key", $"--{Red}")).Expect(2).Errors.Replace("\n", "", StringComparison.Ordinal), char.IsControl);
        JsonElement error = (await ToolProcess.JsonAsync(6, "get", path, "key", "--table", "none")).GetProperty("error");
        Assert.Contains($"'table{Red}'", error.GetProperty("message").GetString(), StringComparison.Ordinal);
    }

    [Fact]
    [Trait("Category", "Foreign")]
    public async Task OnATerminalTextHasItsLinesAndNoOtherControlCharacters()
    {
        string path = Make(texts => _ = texts.Set("key", $"one\n\t{Red}\rtwo"));

        string command = $"exec '{ToolProcess.Host}' '{ToolProcess.Program}' get '{path}' key --table texts --quiet";
        ToolProcess.Outcome shown = await ToolProcess.RunProgramAsync(ForeignProgram.Require("script", "bsdutils"), ["-qec", command, "/dev/null"], []);
        Assert.Contains("one\n\t\\u001B[31mred\\u009B0m\\rtwo\n", shown.Expect(0).Output.Replace("\r\n", "\n", StringComparison.Ordinal), StringComparison.Ordinal);
        Assert.Equal($"one\n\t{Red}\rtwo\n", (await ToolProcess.RunAsync("get", path, "key", "--table", "texts")).Expect(0).Output);
    }

    [Fact]
    public void TextForATerminalKeepsLinesAndTabs() => Assert.Equal("a\n\tb\\u001Bc\\u0085d", TextOutput.Lines("a\n\tb\u001Bc\u0085d"));

    [Fact]
    public async Task ALongTextIsCutBetweenItsCharacters()
    {
        string path = Make(texts => _ = texts.Set("smile", new string('a', 199) + "\U0001F600 and more"));

        string line = Assert.Single((await ToolProcess.RunAsync("scan", path, "--table", "texts")).Expect(0).Lines);

        Assert.Contains($"{new string('a', 199)}... (210 chars)", line, StringComparison.Ordinal);
        Assert.DoesNotContain('\uFFFD', line);
    }

    private string Make(Action<PileTable<string, string>> fill, string table = "texts")
    {
        string path = _piles.PathOf("cache");
        using PileCache cache = PileCache.Open(path, Caches.Options);
        fill(cache.GetOrCreateTable<string, string>(table));
        return path;
    }
}
