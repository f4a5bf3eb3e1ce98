using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;
using System.Xml.Linq;
using Pile.HitRatio.Contestants;
using Pile.HitRatio.Reports;
using Pile.HitRatio.Running;
using Pile.HitRatio.Traces;
using Xunit;

namespace Pile.HitRatio.Tests;

/// <summary>The program as a stranger runs it, in its quick form: all contestants, all traces, all files of a result.</summary>
public sealed class QuickRunTests
{
    private const int TimeoutMinutes = 5;
    private static readonly string _trace = string.Concat(Enumerable.Range(0, 3000).Select(static index => $"{index},key-{index * index % 97},{100 + (index * index % 97)}\n"));

    [Fact]
    public async Task QuickRunsAllOfItAndWritesWhatItFound()
    {
        string folder = Path.Combine(AppContext.BaseDirectory, "hit-ratio-quick");
        Directory.CreateDirectory(folder);
        string file = Path.Combine(folder, "squares.csv");
        await File.WriteAllTextAsync(file, _trace, TestContext.Current.CancellationToken);

        (int code, string said, string errors) = await RunAsync("--quick", "--json", "--traces", string.Join(',', TraceList.Names), "--trace", file, "--out", folder);

        Assert.True(code == 0, errors);
        HitRatioResult result = HitRatioResult.FromJson(said);
        Assert.Equal(said.Trim(), (await ReadAsync(folder, "json")).Trim());
        Assert.Equal([.. TraceList.Names, "squares"], result.Traces.Select(static trace => trace.Name));
        IEntry[] entries = [.. Entries.All.Where(static entry => entry.CacheBytesMin == 0)];
        Assert.Equal(entries.Select(static entry => entry.Name), result.Contestants.Select(static contestant => contestant.Name));
        int cells = result.Traces.Count * 2 * entries.Length;
        Assert.Equal(cells, result.Cells.Count);
        Assert.All(result.Cells, static cell => Assert.InRange(cell.MissRatio, 1.0 / cell.Requests, 1));
        Assert.All(result.Cells, static cell => Assert.InRange(cell.MostUsedBytes, cell.Trace == "squares" ? 0 : 1, cell.CacheBytes));
        Assert.All(result.Traces, trace => Assert.All(result.Cells.Where(cell => cell.Trace == trace.Name), cell => Assert.InRange(cell.Misses, trace.Keys, trace.Requests)));
        Assert.Equal(9, result.Seed);
        Assert.Equal(1, result.Means.Single(static mean => mean.Contestant == "lru").OverLru);

        string[] lines = (await ReadAsync(folder, "csv")).Split('\n', StringSplitOptions.RemoveEmptyEntries).SkipWhile(static line => line[0] == '#').ToArray();
        Assert.Equal(Csv.Heads, lines[0]);
        Assert.Equal(cells, lines.Length - 1);
        Assert.All(lines, static line => Assert.Equal(Csv.Heads.Split(',').Length, line.Split(',').Length));
        XElement picture = XElement.Parse(await ReadAsync(folder, "svg"));
        Assert.Equal(cells + entries.Length + 1, picture.Elements().Count(static element => element.Name.LocalName == "rect"));
        string report = await ReadAsync(folder, "md");
        Assert.All(result.Traces, trace => Assert.Contains($"- {trace.Name}: {trace.Definition}.", report, StringComparison.Ordinal));
        Assert.Contains("| geometric mean vs LRU |", report, StringComparison.Ordinal);
    }

    [Fact]
    public async Task TheShippedCacheTakesPartAndIsNearItsModel()
    {
        (int code, string said, string errors) = await RunAsync(
            "--quick", "--json", "--traces", "zipf-0.8", "--keys", "400000", "--requests", "400000", "--sizes", "0.2", "--contestants", "pile-cache,s3-fifo,lru");

        Assert.True(code == 0, errors);
        HitRatioResult result = HitRatioResult.FromJson(said);
        double ours = result.Cells.Single(static cell => cell.Contestant == "pile-cache").MissRatio;
        Assert.InRange(ours, 0.5, result.Cells.Single(static cell => cell.Contestant == "s3-fifo").MissRatio * 1.1);
    }

    [Fact]
    public async Task ACacheThatIsTooSmallForAContestantIsNamed()
    {
        (int code, _, string errors) = await RunAsync("--quick", "--traces", "zipf-0.8", "--contestants", "pile-cache");

        Assert.Equal(2, code);
        Assert.StartsWith("pile-cache needs 1,048,576 bytes, and 1% of the trace 'zipf-0.8'", errors.Trim(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task ABadLineOfATraceFileEndsItWithOneLine()
    {
        string file = Path.Combine(AppContext.BaseDirectory, "hit-ratio-bad.csv");
        await File.WriteAllTextAsync(file, "time,key,size\n1,2,3\n4,5,six\n", TestContext.Current.CancellationToken);

        (int code, _, string errors) = await RunAsync("--quick", "--trace", file);

        Assert.Equal(2, code);
        Assert.Equal("hit-ratio-bad.csv, line 3: the size must be a whole number of bytes from 0 to 2,147,483,647, not 'six'.", errors.Trim());
    }

    [Fact]
    public void TheSameSeedGivesTheSameResult()
    {
        HitRatioResult once = RunHere(4);

        Assert.Equal(once.Cells, RunHere(4).Cells);
        Assert.NotEqual(once.Cells, RunHere(5).Cells);
    }

    private static HitRatioResult RunHere(int seed) =>
        new HitRatioRun(new HitRatioSettings { Traces = ["zipf-0.8", "mixed-sizes"], Keys = 5000, Requests = 20_000, Seed = seed, Contestants = ["s3-fifo", "lru", "sieve", "2q"] }, new Face(json: false, TextWriter.Null)).Run();

    private static Task<string> ReadAsync(string folder, string ending) => File.ReadAllTextAsync(Path.Combine(folder, $"hit-ratio.{ending}"), TestContext.Current.CancellationToken);

    private static async Task<(int Code, string Said, string Errors)> RunAsync(params string[] arguments)
    {
        string host = Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", "..", OperatingSystem.IsWindows() ? "dotnet.exe" : "dotnet"));
        var start = new ProcessStartInfo(host, [typeof(HitRatioSettings).Assembly.Location, .. arguments]) { RedirectStandardOutput = true, RedirectStandardError = true };
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
