using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;
using Pile.Compare.Contestants;
using Pile.Compare.Reports;
using Pile.Compare.Running;
using Pile.Compare.Workloads;
using Xunit;

namespace Pile.Programs.Tests.Compare;

/// <summary>The comparison as a stranger runs it, in its quick form: all contestants, all workloads, equal bytes. What it measures
/// is not looked at.</summary>
public sealed class QuickRunTests
{
    private const int TimeoutMinutes = 5;

    [Fact]
    public async Task QuickRunsAllContestantsToEqualBytesAndPrintsEveryRow()
    {
        string folder = Path.Combine(AppContext.BaseDirectory, "quick-run");
        string json = Path.Combine(folder, "compare.json");

        string said = await RunAsync("--quick", "--json", json);

        CompareResult result = CompareResult.FromJson(await File.ReadAllTextAsync(json, TestContext.Current.CancellationToken));
        int workloads = WorkloadList.All.Count;
        Assert.Equal(Entries.All.Count, result.Contestants.Count);
        Assert.Equal(Entries.All.Count * workloads, result.Series.Count);
        Assert.All(result.Series, series => Assert.Equal(CompareSettings.RoundsMin, series.Rounds.Count));
        Assert.True(result.Trials.Count(trial => trial.Contestant == "FasterKV") >= 3);
        Assert.Single(result.Trials, trial => trial.IsUsed);
        Assert.Equal(WorkloadList.All.Sum(workload => workload.Rows.Count) + 4, result.Rows.Count);
        Assert.Equal(2, result.Rows.Count(row => row.Verdict == "runs"));
        Assert.All(result.Rows, row => Assert.Contains(row.Name, said, StringComparison.Ordinal));
        Assert.Equal(workloads, said.Split("equal bytes  [").Length - 1);
    }

    [Fact]
    public async Task ABadArgumentEndsItWithOneLine()
    {
        Assert.Equal("'--fast' is not an option: --quick, --objects N, --rounds R, --only workload;..., --without contestant;..., --note text, --json path.", (await RunAsync("--fast")).Trim());
    }

    private static async Task<string> RunAsync(params string[] arguments)
    {
        string host = Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", "..", OperatingSystem.IsWindows() ? "dotnet.exe" : "dotnet"));
        var start = new ProcessStartInfo(host, [typeof(CompareSettings).Assembly.Location, .. arguments]) { RedirectStandardOutput = true, RedirectStandardError = true };
        using Process process = Process.Start(start)!;
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        stop.CancelAfter(TimeSpan.FromMinutes(TimeoutMinutes));
        try
        {
            Task<string> errors = process.StandardError.ReadToEndAsync(stop.Token);
            string said = await process.StandardOutput.ReadToEndAsync(stop.Token);
            return said + await errors;
        }
        finally
        {
            process.Kill(entireProcessTree: true);
        }
    }
}
