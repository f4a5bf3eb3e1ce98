using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;

namespace Pile.Bench.Mapped;

/// <summary>A process of ours that opens a pile, and tells by lines. It ends when it is told to, or killed.</summary>
internal sealed class Child : IDisposable
{
    private readonly Process _process;

    /// <summary>Starts one.</summary>
    /// <param name="program">The folder of the program, this one's or a copy with another library.</param>
    /// <param name="arguments">What it shall do.</param>
    internal Child(string program, params IEnumerable<string> arguments)
    {
        string name = typeof(Child).Assembly.GetName().Name!;
        var start = new ProcessStartInfo(Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet", [Path.Combine(program, name + ".dll"), MappedChild.Verb, .. arguments])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        };
        _process = Process.Start(start)!;
    }

    /// <summary>Its process id.</summary>
    internal int Id => _process.Id;

    /// <summary>What it tells next, in words.</summary>
    internal string[] Next() => _process.StandardOutput.ReadLine()?.Split(' ') ?? throw new InvalidOperationException($"The child ended with {Ended()}.");

    /// <summary>Has it begin, where it waits for that.</summary>
    internal void Go() => _process.StandardInput.WriteLine();

    /// <summary>Has it close its pile and end.</summary>
    internal void Close()
    {
        _process.StandardInput.Close();
        int code = Ended();
        if (code != 0)
        {
            throw new InvalidOperationException($"The child ended with {code}.");
        }
    }

    /// <summary>Ends it at once, as kill -9 does.</summary>
    internal void Kill()
    {
        _process.Kill();
        _process.WaitForExit();
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (!_process.HasExited)
        {
            Kill();
        }

        _process.Dispose();
    }

    private int Ended()
    {
        _process.WaitForExit();
        return _process.ExitCode;
    }
}
