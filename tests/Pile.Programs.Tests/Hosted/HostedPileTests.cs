using System;
using System.Diagnostics;
using System.IO;
using System.Runtime.InteropServices;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Programs.Tests.Hosted;

/// <summary>The worker service as a process: what it counted is there after an end of its own, a SIGTERM and a kill -9.</summary>
public sealed partial class HostedPileTests : IDisposable
{
    private const int TimeoutMinutes = 3;
    private readonly string _directory = Directory.CreateTempSubdirectory("pile-hosted").FullName;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose() => Directory.Delete(_directory, recursive: true);

    [Fact]
    public async Task WhatWasCountedIsThereAfterEachWayToEnd()
    {
        // By itself.
        (int code, string said) = await EndAsync(Start("--ticks", "3", "--everyMs", "5"));
        Assert.Equal(0, code);
        Assert.Equal(0, TicksFound(said));
        Assert.Contains("Created", said, StringComparison.Ordinal);

        // By SIGTERM, as a service manager ends it.
        using (Process running = Start("--everyMs", "5"))
        {
            said = await UntilCountingAsync(running);
            Assert.Contains("Clean", said, StringComparison.Ordinal);
            Assert.Equal(3, TicksFound(said));
            await WaitForATickAsync(running);
            using (Process kill = Process.Start("kill", ["-TERM", $"{running.Id}"]))
            {
                await kill.WaitForExitAsync(Cancel);
            }

            (code, _) = await EndAsync(running);
            Assert.Equal(0, code);
        }

        // By kill -9. The third tick is in the files, if no more: the pile is ProcessSafe against a kill.
        int found;
        using (Process running = Start("--everyMs", "5"))
        {
            said = await UntilCountingAsync(running);
            Assert.Contains("Clean", said, StringComparison.Ordinal);
            found = TicksFound(said);
            Assert.InRange(found, 3, int.MaxValue);
            await WaitForATickAsync(running);
            running.Kill();
            _ = await EndAsync(running);
        }

        (code, said) = await EndAsync(Start("--ticks", "1", "--everyMs", "5"));
        Assert.Equal(0, code);
        Assert.Contains("RolledForward", said, StringComparison.Ordinal);
        Assert.InRange(TicksFound(said), found, int.MaxValue);
    }

    [Fact]
    public async Task ASettingThatCannotBeEndsItWithThePathOfTheSetting()
    {
        (int code, string said) = await EndAsync(Start("--Pile:FlushInterval", "00:00:00.001"));
        Assert.NotEqual(0, code);
        Assert.Contains("Pile:FlushInterval", said, StringComparison.Ordinal);
        Assert.Empty(Directory.GetFileSystemEntries(_directory));
    }

    [GeneratedRegex("Found ([0-9]+) ticks")]
    private static partial Regex Found();

    private static int TicksFound(string said)
    {
        Match match = Found().Match(said);
        Assert.True(match.Success, said);
        return int.Parse(match.Groups[1].Value, System.Globalization.CultureInfo.InvariantCulture);
    }

    private Process Start(params string[] arguments)
    {
        string host = Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", "..", "dotnet"));
        var start = new ProcessStartInfo(host, [Path.Combine(AppContext.BaseDirectory, "HostedPile.dll"), "--Pile:Directory", Path.Combine(_directory, "data"), .. arguments])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        return Process.Start(start)!;
    }

    private static async Task<string> UntilCountingAsync(Process process)
    {
        string said = "";
        while (!Found().IsMatch(said))
        {
            string? line = await process.StandardOutput.ReadLineAsync(Cancel);
            Assert.True(line is not null, said);
            said += line + "\n";
        }

        return said;
    }

    /// <summary>Waits until the pile's files were written to since the call.</summary>
    private async Task WaitForATickAsync(Process process)
    {
        string extent = Path.Combine(_directory, "data", "extents", "00000001");
        Assert.False(process.HasExited);
        DateTime before = File.GetLastWriteTimeUtc(extent);
        using var watched = new CancellationTokenSource(TimeSpan.FromMinutes(TimeoutMinutes));
        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(10));
        while (File.GetLastWriteTimeUtc(extent) == before)
        {
            _ = await timer.WaitForNextTickAsync(watched.Token);
        }
    }

    private static async Task<(int Code, string Said)> EndAsync(Process process)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        stop.CancelAfter(TimeSpan.FromMinutes(TimeoutMinutes));
        try
        {
            Task<string> errors = process.StandardError.ReadToEndAsync(stop.Token);
            string said = await process.StandardOutput.ReadToEndAsync(stop.Token);
            await process.WaitForExitAsync(stop.Token);
            return (process.ExitCode, said + await errors);
        }
        finally
        {
            process.Kill(entireProcessTree: true);
            process.Dispose();
        }
    }
}
