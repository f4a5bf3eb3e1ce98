using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Programs.Tests.Cached;

/// <summary>Samples that run as processes, in a directory of their own, where no settings of another one lie.</summary>
internal sealed class SamplePrograms : IDisposable
{
    private const int TimeoutMinutes = 3;
    private const string Listening = "istening on";
    private readonly List<Process> _started = [];
    private readonly string _directory = Directory.CreateTempSubdirectory("pile-samples").FullName;

    /// <summary>What is told to each of them.</summary>
    internal Dictionary<string, string> Environment { get; } = [];

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose()
    {
        foreach (Process process in _started)
        {
            process.Kill(entireProcessTree: true);
            process.WaitForExit();
            process.Dispose();
        }

        Directory.Delete(_directory, recursive: true);
    }

    /// <summary>Starts a sample where it was built.</summary>
    internal Process Start(string sample, params string[] arguments)
    {
        string folder = AppContext.BaseDirectory.Replace(Path.Combine("tests", "Pile.Programs.Tests"), Path.Combine("samples", sample), StringComparison.Ordinal);
        string host = Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", "..", "dotnet"));
        ProcessStartInfo start = new(host, [Path.Combine(folder, sample + ".dll"), .. arguments])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = _directory,
        };
        foreach ((string name, string value) in Environment)
        {
            start.Environment[name] = value;
        }

        Process started = Process.Start(start)!;
        _started.Add(started);
        return started;
    }

    /// <summary>Starts a sample, waits for its end, and returns what it said.</summary>
    internal async Task<string> RunAsync(string sample, params string[] arguments)
    {
        Process process = Start(sample, arguments);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        stop.CancelAfter(TimeSpan.FromMinutes(TimeoutMinutes));
        Task<string> errors = process.StandardError.ReadToEndAsync(stop.Token);
        string said = await process.StandardOutput.ReadToEndAsync(stop.Token);
        await process.WaitForExitAsync(stop.Token);
        Assert.True(process.ExitCode == 0, said + await errors);
        return said;
    }

    /// <summary>A client of a web sample, once it has said where it listens.</summary>
    internal static async Task<HttpClient> ClientOfAsync(Process process)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        stop.CancelAfter(TimeSpan.FromMinutes(TimeoutMinutes));
        string said = "";
        while (!said.Contains(Listening, StringComparison.Ordinal))
        {
            string? line = await process.StandardOutput.ReadLineAsync(stop.Token);
            if (line is null)
            {
                Assert.Fail(said + await process.StandardError.ReadToEndAsync(stop.Token));
            }

            said += line + "\n";
        }

        string address = said.Split(Listening)[1].TrimStart(':', ' ').Split('\n').First();
        return new HttpClient { BaseAddress = new Uri(address + "/") };
    }

    /// <summary>Ends a sample as a kill -9 does.</summary>
    internal static async Task KillAsync(Process process)
    {
        process.Kill();
        await process.WaitForExitAsync(Cancel);
    }
}
