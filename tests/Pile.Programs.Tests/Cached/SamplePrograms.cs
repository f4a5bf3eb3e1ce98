using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Net.Http;
using System.Runtime.InteropServices;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Programs.Tests.Cached;

/// <summary>Samples that run as processes, in a directory of their own, where no settings of another one lie.</summary>
internal sealed partial class SamplePrograms : IDisposable
{
    private const int TimeoutMinutes = 1;
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
    internal Process Start(string sample, params string[] arguments) => StartIn(Path.Combine("samples", sample), sample, arguments);

    /// <summary>Starts the cache server, in the folder <c>cache</c> among the samples' own.</summary>
    internal Process StartServer(string address = "http://127.0.0.1:0", params string[] more) =>
        StartIn(Path.Combine("src", "Pile.Server"), "Pile.Server", ["--listen", address, "--directory", Path.Combine(_directory, "cache"), "--memory-limit", "128MiB", .. more]);

    // Port 0 is what was asked for, not where it listens.
    [GeneratedRegex("istening on:? (?<address>https?://[^ \n]+:[1-9][0-9]*)")]
    private static partial Regex Listening();

    private Process StartIn(string project, string name, params string[] arguments)
    {
        string folder = AppContext.BaseDirectory.Replace(Path.Combine("tests", "Pile.Programs.Tests"), project, StringComparison.Ordinal);
        string host = Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", "..", "dotnet"));
        ProcessStartInfo start = new(host, [Path.Combine(folder, name + ".dll"), .. arguments])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = _directory,
        };
        foreach ((string variable, string value) in Environment)
        {
            start.Environment[variable] = value;
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
    internal static async Task<HttpClient> ClientOfAsync(Process process) => new() { BaseAddress = new Uri(await AddressOfAsync(process) + "/") };

    /// <summary>Where a program listens, once it has said so.</summary>
    internal static async Task<string> AddressOfAsync(Process process)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        stop.CancelAfter(TimeSpan.FromMinutes(TimeoutMinutes));
        string said = "";
        try
        {
            while (!Listening().IsMatch(said))
            {
                string? line = await process.StandardOutput.ReadLineAsync(stop.Token);
                if (line is null)
                {
                    Assert.Fail(said + await process.StandardError.ReadToEndAsync(stop.Token));
                }

                said += line + "\n";
            }
        }
        catch (OperationCanceledException) when (!Cancel.IsCancellationRequested)
        {
            Assert.Fail($"After {TimeoutMinutes} minute still waiting for the address where it listens: {said}");
        }

        // What it goes on to say is read and let go: it must not wait for a reader.
        _ = process.StandardOutput.BaseStream.CopyToAsync(Stream.Null, CancellationToken.None);
        return Listening().Match(said).Groups["address"].Value;
    }

    /// <summary>Ends a sample as a kill -9 does.</summary>
    internal static async Task KillAsync(Process process)
    {
        process.Kill();
        await process.WaitForExitAsync(Cancel).WaitAsync(TimeSpan.FromMinutes(TimeoutMinutes), Cancel);
    }
}
