using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;
using Pile.Client.Tests;
using Xunit;

namespace Pile.Tool.Tests;

/// <summary>Ctrl+C, the first one, while a command waits for something that does not come.</summary>
[Trait("Category", "Foreign")]
public sealed class StopTests : IDisposable
{
    private const int PipeBytesMost = 1 << 20;
    private readonly Piles _piles = new();

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose() => _piles.Dispose();

    [Fact]
    public async Task ASetWhoseInputStandsStillEnds()
    {
        using Process process = ToolProcess.StartHeeding(["set", _piles.PathOf("nothing"), "key", "--input", "-"]);
        await FeedAsync(process, new byte[2 * PipeBytesMost]);
        Assert.Equal(130, await InterruptAsync(process));
    }

    [Fact]
    public async Task ASetWhoseNamedPipeStandsStillEnds()
    {
        string pipe = _piles.PathOf("pipe");
        using (Process made = Process.Start("mkfifo", [pipe]))
        {
            await Within.AMinuteAsync(made.WaitForExitAsync(Cancel), "mkfifo");
        }

        using Process process = ToolProcess.StartHeeding(["set", _piles.PathOf("nothing"), "key", "--input", pipe]);

        // It opens when the command does, and is given more than it takes.
        await using FileStream writer = await Within.AMinuteAsync(Task.Run(() => new FileStream(pipe, FileMode.Open, FileAccess.Write, FileShare.ReadWrite), Cancel), "its reader");
        await Within.AMinuteAsync(writer.WriteAsync(new byte[2 * PipeBytesMost], Cancel).AsTask(), "its input");
        await Within.AMinuteAsync(writer.FlushAsync(Cancel), "its input");
        Assert.Equal(130, await InterruptAsync(process));
    }

    [Fact]
    public async Task AnImportWhoseInputStandsStillEndsAndLeavesNothing()
    {
        string source = _piles.PathOf("source");
        using (ObjectPile pile = ObjectPile.Open(source, Piles.Options))
        {
            _ = pile.Put(new byte[4 * PipeBytesMost]);
        }

        string export = _piles.PathOf("export");
        _ = (await ToolProcess.RunAsync("export", source, export)).Expect(0);
        string target = _piles.PathOf("target");
        using Process process = ToolProcess.StartHeeding(["import", "-", target]);
        await FeedAsync(process, (await File.ReadAllBytesAsync(export, Cancel))[..(3 * PipeBytesMost)]);
        Assert.Equal(130, await InterruptAsync(process));
        Assert.False(Directory.Exists(target) && Directory.EnumerateFileSystemEntries(target).Any());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task ARecoveryThatEndsBeforeItsResultIsVerifiedLeavesNothing(bool wasThere)
    {
        string source = _piles.PathOf("source");
        using (ObjectPile pile = ObjectPile.Open(source, Piles.Options))
        {
            for (int index = 0; index < 24; index++)
            {
                _ = pile.Put(new byte[16 * PipeBytesMost]);
            }
        }

        string target = _piles.PathOf("target");
        if (wasThere)
        {
            _ = Directory.CreateDirectory(target);
        }

        using Process process = ToolProcess.StartHeeding(["recover", source, target, "--quiet"]);
        while (!process.HasExited && !PileInspection.IsPile(target))
        {
            await Task.Yield();
        }

        // Verifying takes longer than a signal does; where it was over before, the result is told of.
        bool isStopped = await InterruptAsync(process) == 130;
        Assert.Equal(!isStopped, PileInspection.IsPile(target));
        Assert.Equal(!isStopped || wasThere, Directory.Exists(target));
        Assert.Equal(!isStopped, wasThere ? Directory.EnumerateFileSystemEntries(target).Any() : Directory.Exists(target));
    }

    [Theory]
    [InlineData("stat", "--watch", "--every", "10ms")]
    [InlineData("top", "--every", "10ms")]
    public async Task WhatGoesOnEndsWithADocumentOnALine(string verb, params string[] options)
    {
        await using ServerProcess server = await ServerProcess.StartAsync();
        using Process process = ToolProcess.StartHeeding([verb, server.Address, .. options, "--json"]);
        Assert.NotNull(await Within.AMinuteAsync(process.StandardOutput.ReadLineAsync(Cancel).AsTask(), "a line"));
        Task<string> output = process.StandardOutput.ReadToEndAsync(Cancel);
        Assert.Equal(130, await InterruptAsync(process));
        string[] lines = (await Within.AMinuteAsync(output, "the end of its output")).Split('\n', StringSplitOptions.RemoveEmptyEntries);
        using var last = JsonDocument.Parse(lines[^1]);
        Assert.Equal(130, last.RootElement.GetProperty("error").GetProperty("exitCode").GetInt32());
    }

    [Fact]
    public async Task WhatEndsBeforeItsFirstLineEndsWithADocumentOnALineToo()
    {
        await using ServerProcess server = await ServerProcess.StartAsync();
        string line = Assert.Single((await ToolProcess.RunAsync("watch", server.Address, "--table", "nothing", "--json")).Expect(6).Lines);
        using var document = JsonDocument.Parse(line);
        Assert.Equal(6, document.RootElement.GetProperty("error").GetProperty("exitCode").GetInt32());
    }

    // More than the pipe takes: when all is written, the command reads.
    private static async Task FeedAsync(Process process, byte[] bytes)
    {
        await Within.AMinuteAsync(process.StandardInput.BaseStream.WriteAsync(bytes, Cancel).AsTask(), "its input");
        await Within.AMinuteAsync(process.StandardInput.BaseStream.FlushAsync(Cancel), "its input");
    }

    private static async Task<int> InterruptAsync(Process process)
    {
        try
        {
            using (Process kill = Process.Start("kill", ["-INT", process.Id.ToString(CultureInfo.InvariantCulture)]))
            {
                await Within.AMinuteAsync(kill.WaitForExitAsync(Cancel), "kill");
            }

            await Within.AMinuteAsync(process.WaitForExitAsync(Cancel), "the end of the command");
            return process.ExitCode;
        }
        finally
        {
            if (!process.HasExited)
            {
                process.Kill();
            }
        }
    }
}
