using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Tool.Tests;

/// <summary>Directories in every state: no pile, another's, newer, in use, left by a kill. Reading changes none of them.</summary>
public sealed class DirectoryStateTests : IDisposable
{
    private readonly Piles _piles = new();

    public static TheoryData<string> Golden => [.. Piles.GoldenNames];

    public void Dispose() => _piles.Dispose();

    [Theory]
    [MemberData(nameof(Golden))]
    public async Task EachReadingVerbReadsAGoldenPileAndChangesNothing(string name)
    {
        string pile = _piles.Golden(name);
        string before = Piles.Fingerprint(pile);
        foreach (string[] verb in Reading(pile))
        {
            // Of a ProcessSafe pile that was cut off in another boot nobody knows what it has lost: what looks into it as a whole says so.
            bool isWhole = name != "crash-processsafe" || verb[0] is "info" or "show";
            JsonElement document = await ToolProcess.JsonAsync(isWhole ? 0 : 1, verb);
            Assert.Equal(pile, document.GetProperty("directory").GetString());
            Assert.True(before == Piles.Fingerprint(pile), $"{verb[0]} changed something.");
        }
    }

    [Theory]
    [InlineData("missing", 3, "There is no directory")]
    [InlineData("empty", 3, "holds no pile")]
    [InlineData("foreign", 3, "it is not a pile")]
    [InlineData("file", 5, "must be")]
    [InlineData("newer", 3, "format version 9")]
    public async Task WhatIsNoPileIsRefusedByItsPathAndLeftAlone(string kind, int code, string says)
    {
        string path = _piles.PathOf(kind);
        Prepare(kind, path);
        foreach (string[] verb in Reading(path).Append(["compact", path]).Append(["copy", path, _piles.PathOf("target")]).Append(["recover", path, _piles.PathOf("target")]))
        {
            ToolProcess.Outcome outcome = (await ToolProcess.RunAsync(verb)).Expect(code);
            Assert.Contains(path, outcome.Errors, StringComparison.Ordinal);
            Assert.True(kind == "file" || outcome.Errors.Contains(says, StringComparison.Ordinal), outcome.Errors);
            Assert.Single(outcome.Errors.Split('\n', StringSplitOptions.RemoveEmptyEntries));
            Assert.Empty(outcome.Output);
            Assert.False(Directory.Exists(_piles.PathOf("target")));
        }
    }

    [Fact]
    public async Task APileInUseIsDescribedAndOtherwiseRefusedByTheProcessThatHasIt()
    {
        string path = _piles.Make();
        using ObjectPile open = ObjectPile.Open(path, Piles.Options);
        JsonElement info = await ToolProcess.JsonAsync(0, "info", path);
        Assert.Equal(Environment.ProcessId, info.GetProperty("writerProcessId").GetInt32());
        Assert.Contains($"in use by process {Environment.ProcessId}", (await ToolProcess.RunAsync("info", path)).Output, StringComparison.Ordinal);
        foreach (string[] verb in Reading(path).Skip(1).Append(["compact", path]).Append(["copy", path, _piles.PathOf("target")]))
        {
            JsonElement error = (await ToolProcess.JsonAsync(4, verb)).GetProperty("error");
            Assert.Equal("InUse", error.GetProperty("code").GetString());
            Assert.Equal(4, error.GetProperty("exitCode").GetInt32());
            Assert.Equal(Environment.ProcessId, error.GetProperty("processId").GetInt32());
            Assert.Contains($"process {Environment.ProcessId}", error.GetProperty("message").GetString(), StringComparison.Ordinal);
        }

        Assert.False(Directory.Exists(_piles.PathOf("target")));
        Assert.Equal(Piles.Text, open.Get<string>(open.Roots.TryGet("text", out PilePointer text) ? text : default));
    }

    [Fact]
    public async Task ReadersDoNotKeepEachOtherOut()
    {
        string path = _piles.Make();
        using ObjectPile reader = ObjectPile.Open(path, Piles.Options with { OpenMode = PileOpenMode.ReadOnly });
        _ = (await ToolProcess.RunAsync("verify", path)).Expect(0);
        ToolProcess.Outcome refused = (await ToolProcess.RunAsync("compact", path)).Expect(4);
        Assert.Contains("open already", refused.Errors, StringComparison.Ordinal);
    }

    internal static IEnumerable<string[]> Reading(string path) =>
    [
        ["info", path], ["verify", path], ["ls", path], ["types", path], ["stat", path], ["show", path, "bytes"], ["show", path, "bytes", "--as", "value"],
    ];

    private static void Prepare(string kind, string path)
    {
        switch (kind)
        {
            case "empty":
                _ = Directory.CreateDirectory(path);
                break;
            case "foreign":
                _ = Directory.CreateDirectory(path);
                File.WriteAllText(Path.Combine(path, "letter.txt"), "Dear reader");
                break;
            case "file":
                File.WriteAllText(path, "Dear reader");
                break;
            case "newer":
                using (ObjectPile pile = ObjectPile.Open(path, Piles.Options))
                {
                    _ = pile.Put("something");
                }

                Versions.Raise(Path.Combine(path, "pile.meta"), 9);
                break;
        }
    }
}
