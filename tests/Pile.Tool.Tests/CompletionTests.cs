using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Pile.Tests.Foreign;
using Xunit;

namespace Pile.Tool.Tests;

/// <summary>What shells are told can follow, and the scripts by which they ask.</summary>
public sealed class CompletionTests : IDisposable
{
    private readonly Piles _piles = new();

    public void Dispose() => _piles.Dispose();

    [Theory]
    [InlineData("pile ver", "verify")]
    [InlineData("pile show x --a", "--as")]
    [InlineData("pile show x y --as ", "tree raw value hex")]
    [InlineData("pile get --ta", "--table")]
    [InlineData("pile nothing --x", "")]
    [InlineData("pile tables x --ttl 5 --cre", "--create")]
    [InlineData("pile set x y --priority ", "low normal high neverremove")]
    public async Task WordsThatCanFollowAreThoseOfTheCommand(string line, string words) =>
        Assert.Superset(words.Split(' ', StringSplitOptions.RemoveEmptyEntries).ToHashSet(), (await ToolProcess.RunAsync("complete", line)).Expect(0).Lines.ToHashSet());

    [Fact]
    public async Task OnlyWordsThatBeginSoFollow()
    {
        Assert.Equal(["verify"], (await ToolProcess.RunAsync("complete", "pile ver")).Expect(0).Lines);
        Assert.Equal(["verify"], (await ToolProcess.RunAsync("complete", "pile ver shop", "--position", "8")).Expect(0).Lines);
        Assert.DoesNotContain("complete", (await ToolProcess.RunAsync("complete", "pile ")).Expect(0).Lines);
    }

    [Fact]
    [Trait("Category", "Foreign")]
    public async Task BashCompletesByItsScript()
    {
        const string Ask = "eval \"$(pile completion bash)\"; COMP_LINE='pile show x --a'; COMP_POINT=${#COMP_LINE}; COMP_WORDS=(pile show x --a); COMP_CWORD=3; _pile; printf '%s\\n' \"${COMPREPLY[@]}\"; complete -p pile";
        string[] lines = await ShellAsync("bash", "bash", Ask);
        Assert.Equal(["--as", "complete -o default -F _pile pile"], lines);
    }

    [Fact]
    [Trait("Category", "Foreign")]
    public async Task ZshTakesItsScript() =>
        Assert.Equal(["_pile"], await ShellAsync("zsh", "zsh", "autoload -U compinit; compinit -u -D; eval \"$(pile completion zsh)\"; print $_comps[pile]"));

    [Fact]
    [Trait("Category", "Foreign")]
    public async Task FishCompletesByItsScript() =>
        Assert.Equal(["--as"], await ShellAsync("fish", "fish", "pile completion fish | source; complete --do-complete 'pile show x --a'"));

    private async Task<string[]> ShellAsync(string shell, string package, string script)
    {
        string program = ForeignProgram.Require(shell, package);
        string folder = _piles.PathOf("bin");
        _ = Directory.CreateDirectory(folder);
        string command = Path.Combine(folder, "pile");
        await File.WriteAllTextAsync(command, $"#!/bin/sh\nexec \"{ToolProcess.Host}\" \"{ToolProcess.Program}\" \"$@\"\n", TestContext.Current.CancellationToken);
        File.SetUnixFileMode(command, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
        ToolProcess.Outcome outcome = await ToolProcess.RunProgramAsync(program, ["-c", script], new Dictionary<string, string> { ["PATH"] = folder + ":" + Environment.GetEnvironmentVariable("PATH"), ["HOME"] = folder });
        return outcome.Expect(0).Lines;
    }
}
