using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Threading.Tasks;

namespace Pile.Client.Tests;

/// <summary>The server's program as a process of its own, in memory unless the arguments say otherwise.</summary>
internal sealed class ServerProcess : IAsyncDisposable
{
    private readonly Process _process;

    private ServerProcess(Process process, string address)
    {
        _process = process;
        Address = address;
    }

    /// <summary>Where it listens.</summary>
    internal string Address { get; }

    internal static async Task<ServerProcess> StartAsync(params string[] args)
    {
        Process process = Process.Start(new ProcessStartInfo("dotnet", [Path.Combine(AppContext.BaseDirectory, "Pile.Server.dll"), .. Defaults(args), .. args])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        })!;
        Task<string> errors = process.StandardError.ReadToEndAsync();
        try
        {
            return new ServerProcess(process, await Within.AMinuteAsync(AddressAsync(process, errors), "the server's address"));
        }
        catch
        {
            await EndAsync(process);
            throw;
        }
    }

    internal Task KillAsync() => EndAsync(_process);

    public async ValueTask DisposeAsync()
    {
        await EndAsync(_process);
        _process.Dispose();
    }

    private static async Task EndAsync(Process process)
    {
        if (!process.HasExited)
        {
            process.Kill(entireProcessTree: true);
        }

        await Within.AMinuteAsync(process.WaitForExitAsync(), "the end of the server");
    }

    private static async Task<string> AddressAsync(Process process, Task<string> errors)
    {
        const string Mark = "Now listening on: ";
        while (await process.StandardOutput.ReadLineAsync() is { } line)
        {
            if (line.Contains(Mark, StringComparison.Ordinal))
            {
                _ = process.StandardOutput.ReadToEndAsync();
                return line[(line.IndexOf(Mark, StringComparison.Ordinal) + Mark.Length)..].Trim();
            }
        }

        throw new InvalidOperationException("The server ended: " + await errors);
    }

    private static IEnumerable<string> Defaults(string[] args)
    {
        (string Name, string Value)[] defaults = [("--listen", "=http://127.0.0.1:0"), ("--directory", ""), ("--memory-limit", "=64MiB")];
        foreach ((string name, string value) in defaults)
        {
            if (!args.Any(arg => arg.StartsWith(name, StringComparison.Ordinal)))
            {
                yield return name == "--directory" ? "--in-memory" : name + value;
            }
        }
    }
}
