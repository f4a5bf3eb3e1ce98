using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Threading.Tasks;
using Pile.Cache;
using Xunit;

namespace Pile.Tool.Tests;

/// <summary>Each verb on a pile in each state: healthy, damaged in each way, in use; and with output that is narrow or closed.</summary>
public sealed class EveryVerbTests : IDisposable
{
    private readonly Piles _piles = new();

    public static TheoryData<string> Damaged => [.. Damages.All];

    public static TheoryData<string> Verbs => [.. EveryVerb.Names];

    public void Dispose() => _piles.Dispose();

    [Theory]
    [InlineData("verify", "The pile or cache: its directory")]
    [InlineData("copy", "The pile or cache: its directory")]
    [InlineData("stat", "The pile or cache: its directory")]
    [InlineData("compact", "The pile or cache: its directory")]
    [InlineData("get", "The pile or cache: its directory")]
    [InlineData("scan", "The cache: its directory")]
    public async Task HelpSaysWhatAVerbWorksOn(string verb, string where) =>
        Assert.Contains($"{where}, or a server's address", (await ToolProcess.RunAsync(verb, "--help")).Expect(0).Output, StringComparison.Ordinal);

    [Fact]
    public async Task EachVerbOfTheHelpIsAmongThem()
    {
        string[] known = [.. (await ToolProcess.RunAsync("--help")).Expect(0).Lines.SkipWhile(static next => next != "Commands:").Skip(1).Select(static next => next.Trim().Split(' ')[0].TrimEnd(','))];
        Assert.Equal(known.Order(StringComparer.Ordinal), EveryVerb.Names.Concat(EveryVerb.OfAServer).Order(StringComparer.Ordinal));
    }

    [Theory]
    [MemberData(nameof(Verbs))]
    public async Task OfAHealthyPileItIsTextFortyColumnsWideAndADocument(string verb)
    {
        string pile = await SourceAsync(verb);
        ToolProcess.Outcome text = (await ToolProcess.RunAsync(new Dictionary<string, string> { ["COLUMNS"] = "40" }, EveryVerb.Line(verb, pile, _piles.PathOf("text")))).Expect(0);
        Assert.NotEmpty(text.Output);
        Assert.Empty(text.Errors);
        Assert.DoesNotContain('\u001B', text.Output);
        Assert.All(verb is "get" or "completion" ? [] : text.Lines, line => Assert.True(line.Length <= 40, $"{line.Length} columns: {line}"));
        JsonElement document = await ToolProcess.JsonAsync(0, EveryVerb.Line(verb, verb == "del" ? Caches.Make(_piles, "again") : pile, _piles.PathOf("json")));
        Assert.False(document.TryGetProperty("error", out _));
        foreach (string made in (string[])[_piles.PathOf("text"), _piles.PathOf("json")])
        {
            Assert.Equal(EveryVerb.Making.Contains(verb), Path.Exists(made));
            await RequireWholeAsync(made);
        }
    }

    [Theory]
    [MemberData(nameof(Damaged))]
    public async Task OfADamagedPileItShowsOrRefusesAndChangesNothing(string damage)
    {
        string pile = _piles.Make();
        Damages.Do(pile, damage);
        string before = Piles.Fingerprint(pile);

        // All that read at once: they do not keep each other out.
        await Task.WhenAll(EveryVerb.OfAPile.SkipLast(1).Select(verb => ShowOrRefuseAsync(verb, pile)));
        Assert.Equal(before, Piles.Fingerprint(pile));
        await ShowOrRefuseAsync(EveryVerb.OfAPile.Last(), pile);
    }

    [Theory]
    [MemberData(nameof(Verbs))]
    public async Task APileInUseIsRefusedByTheProcessThatHasIt(string verb)
    {
        string pile = _piles.Make();
        string source = verb == "import" ? await SourceAsync(verb) : pile;
        string target = verb is "import" or "bench" or "doctor" ? pile : _piles.PathOf("target");
        if (EveryVerb.OfACache.Contains(verb))
        {
            using PileCache cache = PileCache.Open(pile, Caches.Options);
            Caches.Fill(cache);
        }

        using (ObjectPile open = ObjectPile.Open(pile, Piles.Options))
        {
            ToolProcess.Outcome outcome = await ToolProcess.RunAsync(EveryVerb.Line(verb, source, target));
            if (verb == "info" || EveryVerb.Alone.Contains(verb))
            {
                _ = outcome.Expect(0);
            }
            else
            {
                _ = outcome.Expect(4);
                Assert.Contains($"process {Environment.ProcessId}", Single(outcome.Errors), StringComparison.Ordinal);
            }

            Assert.Equal(Piles.Text, open.Get<string>(open.Roots.TryGet("text", out PilePointer text) ? text : default));
        }

        Assert.False(Path.Exists(_piles.PathOf("target")));
        _ = (await ToolProcess.RunAsync("verify", pile)).Expect(0);
    }

    [Theory]
    [InlineData("copy")]
    [InlineData("recover")]
    public async Task ATargetInUseIsRefusedByTheProcessThatHasIt(string verb)
    {
        string target = _piles.Make("target");
        string source = _piles.Make();
        using ObjectPile open = ObjectPile.Open(target, Piles.Options);
        ToolProcess.Outcome outcome = (await ToolProcess.RunAsync(verb, source, target)).Expect(4);
        Assert.Contains($"process {Environment.ProcessId}", Single(outcome.Errors), StringComparison.Ordinal);
        Assert.Equal(Piles.Text, open.Get<string>(open.Roots.TryGet("text", out PilePointer text) ? text : default));
    }

    [Theory]
    [MemberData(nameof(Verbs))]
    public async Task WhoeverStopsReadingItsOutputEndsIt(string verb)
    {
        string pile = await SourceAsync(verb);
        string target = _piles.PathOf("target");
        using (Process process = ToolProcess.Start(EveryVerb.Line(verb, pile, target)))
        {
            process.StandardOutput.Close();
            string errors = await process.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
            await process.WaitForExitAsync(TestContext.Current.CancellationToken);
            Assert.Equal((141, ""), (process.ExitCode, errors));
        }

        await RequireWholeAsync(target);
    }

    [Theory]
    [MemberData(nameof(Verbs))]
    public async Task WithoutAnOutputItDoesItsWorkOrSaysWhyNot(string verb)
    {
        string pile = await SourceAsync(verb);
        string before = verb is "compact" or "import" || EveryVerb.Alone.Contains(verb) || EveryVerb.OfACache.Contains(verb) ? "" : Piles.Fingerprint(pile);
        string target = _piles.PathOf("target");
        ToolProcess.Outcome outcome = await ToolProcess.RunByShellAsync(">&-", EveryVerb.Line(verb, pile, target));
        Assert.True(outcome.Code is 0 or 5 or 141, $"{outcome.Code}: {outcome.Errors}");
        Assert.True(before.Length == 0 || before == Piles.Fingerprint(pile), "the pile was changed");
        await RequireWholeAsync(target);
    }

    [Theory]
    [MemberData(nameof(Verbs))]
    public async Task AFullDeviceForItsOutputIsAFailure(string verb)
    {
        string pile = await SourceAsync(verb);
        string target = _piles.PathOf("target");
        ToolProcess.Outcome outcome = (await ToolProcess.RunByShellAsync(">/dev/full", EveryVerb.Line(verb, pile, target))).Expect(5);
        Assert.Contains("No space left", Single(outcome.Errors), StringComparison.Ordinal);
        await RequireWholeAsync(target);
    }

    private async Task ShowOrRefuseAsync(string verb, string pile)
    {
        string target = _piles.PathOf(verb + ".target");
        ToolProcess.Outcome outcome = await ToolProcess.RunAsync([.. EveryVerb.Line(verb, pile, target), "--json"]);
        Assert.True(outcome.Code is 0 or 1 or 3 or 5, $"{verb} ended with {outcome.Code}: {outcome.Output} {outcome.Errors}");
        using var document = JsonDocument.Parse(outcome.Output);
        Assert.Equal(verb, document.RootElement.GetProperty("verb").GetString());
        bool isRefused = document.RootElement.TryGetProperty("error", out JsonElement error);
        Assert.True(outcome.Code is 0 or 1 || isRefused, $"{verb} ended with {outcome.Code} and says no error");
        if (isRefused)
        {
            Assert.Equal(outcome.Code, error.GetProperty("exitCode").GetInt32());
            Assert.True(Single(outcome.Errors).Length > verb.Length + 20, outcome.Errors);
            Assert.False(Path.Exists(target), $"{verb} was refused and left {target}");
        }
        else if (verb is "copy" or "export")
        {
            _ = outcome.Expect(0);
        }

        await RequireWholeAsync(target);
    }

    /// <summary>What the verb works on: a pile, or an export of one.</summary>
    private async Task<string> SourceAsync(string verb)
    {
        string pile = EveryVerb.OfACache.Contains(verb) ? Caches.Make(_piles) : _piles.Make();
        if (verb != "import")
        {
            return pile;
        }

        string file = _piles.PathOf("the.export");
        _ = (await ToolProcess.RunAsync("export", pile, file)).Expect(0);
        return file;
    }

    /// <summary>What a verb made is whole, or not there, and nothing is beside it.</summary>
    private async Task RequireWholeAsync(string target)
    {
        Assert.False(File.Exists(target + ".partial"));
        Assert.Empty(Directory.GetFileSystemEntries(_piles.PathOf("."), "pile-bench-*"));
        if (File.Exists(target))
        {
            _ = (await ToolProcess.RunAsync("import", target, target + ".imported")).Expect(0);
        }
        else if (Directory.Exists(target))
        {
            _ = (await ToolProcess.RunAsync("verify", target)).Expect(0);
        }
    }

    private static string Single(string errors) => Assert.Single(errors.Split('\n', StringSplitOptions.RemoveEmptyEntries));
}
