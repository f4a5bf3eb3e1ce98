using System;
using System.IO;
using System.Text.Json;
using System.Threading.Tasks;
using Pile.Tool.Output;
using Pile.Tool.Running;
using Xunit;

namespace Pile.Tool.Tests;

/// <summary>Files beside a pile, which verbs read and write.</summary>
public sealed class FileTests : IDisposable
{
    private readonly Piles _piles = new();

    public void Dispose() => _piles.Dispose();

    [Fact]
    public void OfTwoWritersOfOneFileTheSecondIsRefused()
    {
        string path = _piles.PathOf("out");
        ToolException refused = NewFile.Write(path, first =>
        {
            first.Write([1, 2, 3]);
            ToolException second = Assert.Throws<ToolException>(() => NewFile.Write(path, [7]));
            first.Write([4]);
            return second;
        });
        Assert.Equal(ExitCode.Failed, refused.Code);
        Assert.Contains($"'{path}' is being written by another process", refused.Message, StringComparison.Ordinal);
        Assert.Equal([1, 2, 3, 4], File.ReadAllBytes(path));
        Assert.Equal([path], Directory.GetFiles(_piles.PathOf("")));
    }

    [Fact]
    public void WhatAKillLeftIsReplacedAndAFailureLeavesNothing()
    {
        string path = _piles.PathOf("out");
        File.WriteAllBytes(path + ".partial", new byte[100]);
        NewFile.Write(path, [1, 2, 3]);
        Assert.Equal([1, 2, 3], File.ReadAllBytes(path));
        Assert.Throws<IOException>(() => NewFile.Write(path, [4]));
        Assert.Throws<InvalidOperationException>(() => NewFile.Write<int>(_piles.PathOf("second"), file =>
        {
            file.Write([1]);
            throw new InvalidOperationException();
        }));
        Assert.Equal([path], Directory.GetFiles(_piles.PathOf("")));
    }

    [Theory]
    [InlineData("out.mp")]
    [InlineData("extents/out.mp")]
    public async Task AnOutputWithinAPileIsRefused(string name)
    {
        string pile = _piles.Make();
        string path = Path.Combine(pile, name);
        string before = Piles.Fingerprint(pile);
        JsonElement error = (await ToolProcess.JsonAsync(5, "export", pile, path)).GetProperty("error");
        Assert.Equal(
            $"'{path}' lies within '{pile}', which is a pile: its directory holds nothing but its own files. Give a name outside. Nothing was written.",
            error.GetProperty("message").GetString());
        Assert.Equal(before, Piles.Fingerprint(pile));
    }

    [Theory]
    [InlineData("show", "text", "--output")]
    [InlineData("export")]
    public async Task AnOutputWithoutADirectoryIsNamedAsItWasGiven(string verb, params string[] more)
    {
        string path = _piles.PathOf("nowhere/out");
        JsonElement error = (await ToolProcess.JsonAsync(5, [verb, _piles.Make(), .. more, path])).GetProperty("error");
        Assert.Equal($"'{path}' can't be written: there is no directory '{_piles.PathOf("nowhere")}'. Make it, or give another name.", error.GetProperty("message").GetString());
    }

    [Fact]
    public async Task AnInputThatIsMissingIsNoMissingPile()
    {
        string missing = _piles.PathOf("missing");
        JsonElement import = (await ToolProcess.JsonAsync(5, "import", missing, _piles.PathOf("target"))).GetProperty("error");
        Assert.Equal($"'{missing}' can't be read: there is no such file. Give a file that 'pile export' or a program's Export wrote, or - for standard input.", import.GetProperty("message").GetString());
        JsonElement set = (await ToolProcess.JsonAsync(5, "set", Caches.Make(_piles), "key", "--input", missing)).GetProperty("error");
        Assert.Equal($"'{missing}' can't be read: there is no such file. Give a file with the value, or - for standard input.", set.GetProperty("message").GetString());
        Assert.Contains("it is a directory", (await ToolProcess.RunAsync("import", _piles.PathOf(""), _piles.PathOf("target"))).Expect(5).Errors, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AValueOfMoreBytesThanAnyMayHaveIsRefusedBeforeItIsAllRead()
    {
        string file = _piles.PathOf("file");
        await using (FileStream large = File.Create(file))
        {
            large.SetLength(268_435_456);
        }

        ToolProcess.Outcome refused = (await ToolProcess.RunAsync("set", _piles.PathOf("nothing"), "key", "--input", file)).Expect(2);
        Assert.Contains($"'{file}' has more bytes than a value may have (ValueBytesMax = 268,435,455).", refused.Errors, StringComparison.Ordinal);
    }
}
