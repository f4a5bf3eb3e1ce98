using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using Pile.Bench.Reports;
using Pile.Bench.Running;

namespace Pile.Bench.Serving;

/// <summary>A process that has one core to itself: servers core 0, clients core 1.</summary>
internal sealed class Pinned : IDisposable
{
    internal const int ServerCore = 0;
    internal const int ClientCore = 1;
    private const int StopMs = 60_000;
    private const int ListenTries = 3_000;
    private const int ListenPauseMs = 10;
    private readonly Process _process;

    internal Pinned(int core, string program, params IEnumerable<string> arguments)
    {
        var start = new ProcessStartInfo("taskset", ["-c", core.ToString(CultureInfo.InvariantCulture), program, .. arguments])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
        };
        try
        {
            _process = Process.Start(start)!;
        }
        catch (System.ComponentModel.Win32Exception missing)
        {
            throw new NotAvailableException($"{program} on a core of its own: {missing.Message} (Debian packages util-linux, redis-server, redis-tools, nghttp2-client)");
        }
    }

    /// <summary>Seconds of a processor that it has used so far.</summary>
    internal double CpuSeconds
    {
        get
        {
            _process.Refresh();
            return _process.TotalProcessorTime.TotalSeconds;
        }
    }

    /// <summary>A program of this repository, built before.</summary>
    internal static Pinned Ours(int core, string project, params IEnumerable<string> arguments)
    {
        string name = Path.GetFileName(project);
        string path = Path.Combine(ResultFolder.Root(), project, "bin", "Release", "net10.0", name + ".dll");
        return File.Exists(path)
            ? new Pinned(core, Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet", [path, .. arguments])
            : throw new NotAvailableException($"{project}, which bench/server.sh builds");
    }

    /// <summary>A port of the loopback address that nobody has.</summary>
    internal static int FreePort()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }

    /// <summary>Waits until somebody listens.</summary>
    internal Pinned Listening(int port)
    {
        for (int attempt = 1; ; attempt++)
        {
            try
            {
                using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
                socket.Connect(IPAddress.Loopback, port);
                return this;
            }
            catch (SocketException) when (attempt < ListenTries && !_process.HasExited)
            {
                Thread.Sleep(ListenPauseMs);
            }
        }
    }

    /// <summary>The next line that it tells.</summary>
    internal string Next() => _process.StandardOutput.ReadLine() ?? throw new InvalidOperationException($"{_process.StartInfo.ArgumentList[2]} has ended.");

    /// <summary>The answer to a line.</summary>
    internal string Ask(string line)
    {
        _process.StandardInput.WriteLine(line);
        return Next();
    }

    /// <summary>All that it says till it ends.</summary>
    internal string End()
    {
        string said = _process.StandardOutput.ReadToEnd();
        _process.WaitForExit();
        return _process.ExitCode == 0 ? said : throw new InvalidOperationException($"{string.Join(' ', _process.StartInfo.ArgumentList)} has ended with {_process.ExitCode}: {said}");
    }

    /// <summary>Has it stop as a host's stop does.</summary>
    internal void Stop()
    {
        using Process kill = Process.Start("kill", ["-TERM", _process.Id.ToString(CultureInfo.InvariantCulture)]);
        kill.WaitForExit();
        _process.StandardOutput.ReadToEnd();
        if (!_process.WaitForExit(StopMs))
        {
            throw new InvalidOperationException("The server has not stopped in a minute.");
        }
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
            _process.WaitForExit();
        }

        _process.Dispose();
    }
}
