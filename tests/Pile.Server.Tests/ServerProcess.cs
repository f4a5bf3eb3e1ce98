using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>The program as a process of its own: what can be killed, and whose memory is nobody else's.</summary>
internal sealed class ServerProcess : IAsyncDisposable
{
    private const string Mark = "Now listening on: ";
    private const int LinesKept = 100;

    private static readonly TimeSpan _waitMost = TimeSpan.FromMinutes(1);

    private readonly Process _process;
    private readonly Queue<string> _lines = [];
    private readonly StringBuilder _errors = new();
    private readonly TaskCompletionSource<Uri> _address = new(TaskCreationOptions.RunContinuationsAsynchronously);

    private ServerProcess(Process process)
    {
        _process = process;
        process.OutputDataReceived += (_, line) => Keep(line.Data);
        process.ErrorDataReceived += (_, line) =>
        {
            _ = line.Data is null ? _errors : _errors.AppendLine(line.Data);
            Keep(line.Data);
        };
        process.BeginOutputReadLine();
        process.BeginErrorReadLine();
    }

    internal Uri Address { get; private set; } = null!;

    internal int Id => _process.Id;

    internal bool HasEnded => _process.HasExited;

    /// <summary>The exit code, once it has ended.</summary>
    internal int ExitCode => _process.ExitCode;

    /// <summary>What it has said on the stream of errors, once it has ended.</summary>
    internal string Errors => _errors.ToString();

    /// <summary>The last lines of its log.</summary>
    internal string Log
    {
        get
        {
            lock (_lines)
            {
                return string.Join('\n', _lines);
            }
        }
    }

    /// <summary>Bytes that it has in memory now.</summary>
    internal long WorkingSetBytes
    {
        get
        {
            _process.Refresh();
            return _process.WorkingSet64;
        }
    }

    /// <summary>Starts it, and waits until it listens.</summary>
    internal static async Task<ServerProcess> StartAsync(string[] args, params (string Name, string Value)[] environment)
    {
        ServerProcess server = Run(args, environment);
        try
        {
            server.Address = await server._address.Task.WaitAsync(_waitMost, TestContext.Current.CancellationToken);
        }
        catch (Exception failure)
        {
            await server.DisposeAsync();
            throw new InvalidOperationException($"The server did not listen within {_waitMost}: {server.Log}", failure);
        }

        return server;
    }

    /// <summary>Starts the program and waits for nothing.</summary>
    internal static ServerProcess Run(string[] args, params (string Name, string Value)[] environment)
    {
        var start = new ProcessStartInfo("dotnet", [Path.Combine(AppContext.BaseDirectory, "Pile.Server.dll"), .. args]) { RedirectStandardOutput = true, RedirectStandardError = true };
        foreach ((string name, string value) in environment)
        {
            start.Environment[name] = value;
        }

        return new ServerProcess(Process.Start(start)!);
    }

    /// <summary>Ends it as a power cut ends a program: nothing of it runs any more.</summary>
    internal Task KillAsync()
    {
        _process.Kill();
        return EndAsync();
    }

    /// <summary>Waits until its log has a text.</summary>
    internal Task SaysAsync(string text) => Soon.HoldsAsync(() => Log.Contains(text, StringComparison.Ordinal) || HasEnded, $"it says '{text}'");

    /// <summary>Waits for its end, and for the last of its log.</summary>
    internal async Task EndAsync()
    {
        using var late = new CancellationTokenSource(_waitMost);
        try
        {
            await _process.WaitForExitAsync(late.Token);
        }
        catch (OperationCanceledException)
        {
            throw new TimeoutException($"The server did not end within {_waitMost}: {Log}");
        }
    }

    public async ValueTask DisposeAsync()
    {
        if (!_process.HasExited)
        {
            await KillAsync();
        }

        _process.Dispose();
    }

    private void Keep(string? line)
    {
        if (line is null)
        {
            return;
        }

        lock (_lines)
        {
            _lines.Enqueue(line);
            if (_lines.Count > LinesKept)
            {
                _ = _lines.Dequeue();
            }
        }

        int at = line.IndexOf(Mark, StringComparison.Ordinal);
        if (at >= 0)
        {
            _ = _address.TrySetResult(new Uri(line[(at + Mark.Length)..].Trim()));
        }
    }
}
