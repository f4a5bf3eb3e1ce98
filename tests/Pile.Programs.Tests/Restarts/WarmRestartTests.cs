using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;
using System.Xml.Linq;
using Xunit;

namespace Pile.Programs.Tests.Restarts;

/// <summary>The demonstration as a stranger runs it, small: it fails by itself when an acknowledged object is not there. How long
/// anything took is not looked at.</summary>
public sealed class WarmRestartTests
{
    private const int TimeoutMinutes = 5;
    private const int Packages = 300;
    private const int Writes = 2000;

    [Fact]
    public async Task AfterAKillAndAfterAPowerCutEverythingAcknowledgedIsThere()
    {
        string svg = Path.Combine(AppContext.BaseDirectory, "warm-restart.svg");
        (int exitCode, string said, string errors) = await RunAsync("--packages", $"{Packages}", "--writes", $"{Writes}", "--seed", "7", "--json", "--svg", svg);
        Assert.True(exitCode == 0, errors);

        using var json = JsonDocument.Parse(said);
        JsonElement result = json.RootElement;
        Assert.Equal(Packages, result.GetProperty("packages").GetInt32());
        Assert.True(result.GetProperty("writes").GetInt32() >= Writes - 32);
        JsonElement[] restarts = [.. result.GetProperty("restarts").EnumerateArray()];
        Assert.Equal(["pile, after SIGKILL", "pile, after a power cut", "dictionary, filled again"], restarts.Select(static restart => restart.GetProperty("way").GetString()));
        Assert.Equal(["RolledForward", "Crawled", null], restarts.Select(static restart => restart.GetProperty("opening").GetString()));

        // A kill loses nothing; a power cut what no flush had acknowledged, and this one took some of it.
        int[] promised = [.. restarts.Select(static restart => restart.GetProperty("promised").GetInt32())];
        Assert.True(promised[0] >= Packages + (Writes / 4) - 32);
        Assert.Equal(Packages, promised[1]);
        Assert.Equal(promised, restarts.Select(static restart => restart.GetProperty("present").GetInt32()));
        Assert.Equal(0, restarts[0].GetProperty("notFlushed").GetInt32());
        Assert.True(restarts[1].GetProperty("notFlushed").GetInt32() > 0);
        Assert.InRange(result.GetProperty("sectorsDropped").GetInt64(), 1, result.GetProperty("sectorsDiffering").GetInt64() - 1);
        Assert.Equal(1, restarts[2].GetProperty("availability").EnumerateArray().Last().GetProperty("part").GetDouble());
        Assert.Equal("svg", XDocument.Load(svg).Root!.Name.LocalName);
    }

    [Fact]
    public async Task PipedItPrintsAPlainTable()
    {
        (int exitCode, string said, string errors) = await RunAsync("--packages", "50", "--writes", "100");
        Assert.True(exitCode == 0, errors);
        Assert.Contains("present and equal", said, StringComparison.Ordinal);
        Assert.Contains("dictionary, filled again", said, StringComparison.Ordinal);
        Assert.DoesNotContain('\u001b', said);
        Assert.All(said, static at => Assert.InRange(at, '\n', '~'));
    }

    [Fact]
    public async Task ABadArgumentIsNamed()
    {
        (int exitCode, _, string errors) = await RunAsync("--packages", "0");
        Assert.Equal(1, exitCode);
        Assert.Contains("--packages must be at least 1", errors, StringComparison.Ordinal);
    }

    private static async Task<(int ExitCode, string Said, string Errors)> RunAsync(params string[] arguments)
    {
        string host = Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", "..", "dotnet"));
        var start = new ProcessStartInfo(host, [Path.Combine(AppContext.BaseDirectory, "WarmRestart.dll"), .. arguments]) { RedirectStandardOutput = true, RedirectStandardError = true };
        using Process process = Process.Start(start)!;
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        stop.CancelAfter(TimeSpan.FromMinutes(TimeoutMinutes));
        try
        {
            Task<string> errors = process.StandardError.ReadToEndAsync(stop.Token);
            string said = await process.StandardOutput.ReadToEndAsync(stop.Token);
            await process.WaitForExitAsync(stop.Token);
            return (process.ExitCode, said, await errors);
        }
        finally
        {
            process.Kill(entireProcessTree: true);
        }
    }
}
