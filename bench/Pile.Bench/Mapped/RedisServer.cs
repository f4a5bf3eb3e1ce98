using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Net.Sockets;
using System.Threading;
using Pile.Bench.Running;

namespace Pile.Bench.Mapped;

/// <summary>A Redis of our own: its files and its socket in a folder, no port.</summary>
internal sealed class RedisServer : IDisposable
{
    private const string Program = "redis-server";
    private const int StartTries = 200;
    private const int StartPauseMs = 50;
    private readonly Process _process;

    /// <summary>Starts it.</summary>
    /// <param name="program">The program.</param>
    /// <param name="folder">Where its files are.</param>
    /// <param name="isDurable">Whether every command is synced before it is answered; else it writes nothing.</param>
    internal RedisServer(string program, string folder, bool isDurable = true)
    {
        _ = Directory.CreateDirectory(folder);
        // The name of a Unix socket has room for a hundred bytes: the folder's path may be longer.
        Socket = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
        string configuration = Path.Combine(folder, "redis.conf");
        File.WriteAllText(configuration, $"""
            port 0
            unixsocket {Socket}
            dir {folder}
            appendonly {(isDurable ? "yes" : "no")}
            appendfsync always
            no-appendfsync-on-rewrite no
            auto-aof-rewrite-percentage 0
            save ""
            daemonize no
            logfile {Path.Combine(folder, "redis.log")}
            """);
        _process = Process.Start(new ProcessStartInfo(program, [configuration]) { RedirectStandardOutput = true })!;
        WaitUntilItAnswers();
    }

    /// <summary>Its process id.</summary>
    internal int Id => _process.Id;

    /// <summary>Where it listens.</summary>
    internal string Socket { get; }

    /// <summary>The path of the program.</summary>
    internal static string Find() =>
        ((IEnumerable<string>)(Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator))
            .Select(folder => Path.Combine(folder, Program)).FirstOrDefault(File.Exists)
        ?? throw new NotAvailableException($"{Program} is not on the path: install the Debian package redis-server");

    /// <summary>Its name and version.</summary>
    internal static string Describe(string program)
    {
        using Process process = Process.Start(new ProcessStartInfo(program, ["--version"]) { RedirectStandardOutput = true })!;
        string[] words = process.StandardOutput.ReadToEnd().Split(' ');
        process.WaitForExit();
        return $"Redis {words.FirstOrDefault(word => word.StartsWith("v=", StringComparison.Ordinal))?[2..]}";
    }

    /// <inheritdoc/>
    public void Dispose()
    {
        _process.Kill();
        _process.WaitForExit();
        _process.Dispose();
        File.Delete(Socket);
    }

    private void WaitUntilItAnswers()
    {
        for (int attempt = 1; ; attempt++)
        {
            try
            {
                new RedisClient(Socket).Dispose();
                return;
            }
            catch (SocketException) when (attempt < StartTries && !_process.HasExited)
            {
                Thread.Sleep(StartPauseMs);
            }
        }
    }
}
