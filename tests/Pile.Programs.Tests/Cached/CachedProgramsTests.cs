using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Net.Http.Json;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Programs.Tests.Cached;

/// <summary>The samples with a HybridCache in files, as processes: what was made once is there after a kill -9.</summary>
public sealed class CachedProgramsTests : IDisposable
{
    private const int TimeoutMinutes = 3;
    private const string WarmApi = "WarmApi.dll";
    private const string Listening = "Now listening on: ";
    private readonly List<Process> _started = [];
    private readonly string _directory = Directory.CreateTempSubdirectory("pile-cached").FullName;

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

    [Fact]
    public async Task TheWebApiAnswersWarmAfterAKill()
    {
        Process running = Start(WarmApi, "--urls", "http://127.0.0.1:0");
        int first = running.Id;
        using (HttpClient client = await ClientOfAsync(running))
        {
            Assert.Equal((7, "Product 7", first), await GetAsync(client, 7));
            Assert.Equal((8, "Product 8", first), await GetAsync(client, 8));
            Assert.Equal("Healthy", await client.GetStringAsync("health", Cancel));
            await KillAsync(running);
        }

        Process again = Start(WarmApi, "--urls", "http://127.0.0.1:0");
        using (HttpClient client = await ClientOfAsync(again))
        {
            Assert.Equal((7, "Product 7", first), await GetAsync(client, 7));
            Assert.Equal((8, "Product 8", first), await GetAsync(client, 8));
            Assert.Equal((9, "Product 9", again.Id), await GetAsync(client, 9));

            using HttpResponseMessage removed = await client.DeleteAsync("products", Cancel);
            Assert.True(removed.IsSuccessStatusCode);
            Assert.Equal((7, "Product 7", again.Id), await GetAsync(client, 7));
        }
    }

    [Fact]
    public async Task TheConsoleProgramFindsWhatItHasCountedBefore()
    {
        Assert.Equal(["one: 3 chars, counted", "three: 5 chars, counted"], await LinesAsync("lengths", "one", "three"));
        Assert.Equal(["three: 5 chars, from the cache", "seven: 5 chars, counted"], await LinesAsync("lengths", "three", "seven"));
    }

    private static async Task<(int Id, string Name, int LoadedBy)> GetAsync(HttpClient client, int id)
    {
        Answer? answer = await client.GetFromJsonAsync<Answer>($"products/{id}", Cancel);
        return (answer!.Id, answer.Name, answer.LoadedBy);
    }

    private async Task<string[]> LinesAsync(params string[] arguments)
    {
        Process process = Start("CachedConsole.dll", arguments);
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        stop.CancelAfter(TimeSpan.FromMinutes(TimeoutMinutes));
        Task<string> errors = process.StandardError.ReadToEndAsync(stop.Token);
        string said = await process.StandardOutput.ReadToEndAsync(stop.Token);
        await process.WaitForExitAsync(stop.Token);
        Assert.True(process.ExitCode == 0, said + await errors);
        return said.Split('\n', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries);
    }

    /// <summary>Starts a program in the directory of the test, where no settings of another one lie.</summary>
    private Process Start(string program, params string[] arguments)
    {
        string tests = Path.Combine("tests", "Pile.Programs.Tests");
        string folder = program == WarmApi ? AppContext.BaseDirectory.Replace(tests, Path.Combine("samples", "WarmApi"), StringComparison.Ordinal) : AppContext.BaseDirectory;
        string host = Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", "..", "dotnet"));
        Process started = Process.Start(new ProcessStartInfo(host, [Path.Combine(folder, program), .. arguments])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = _directory,
        })!;
        _started.Add(started);
        return started;
    }

    private static async Task<HttpClient> ClientOfAsync(Process process)
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

        string address = said.Split(Listening)[1].Split('\n').First();
        return new HttpClient { BaseAddress = new Uri(address + "/") };
    }

    private static async Task KillAsync(Process process)
    {
        process.Kill();
        await process.WaitForExitAsync(Cancel);
    }

    private sealed record Answer(int Id, string Name, int LoadedBy);
}
