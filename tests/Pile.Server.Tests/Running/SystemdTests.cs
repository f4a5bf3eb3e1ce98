using System;
using System.Diagnostics;
using System.IO;
using System.Net.Sockets;
using System.Text;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Server.Tests.Running;

/// <summary>What systemd is told by the real program, and the form of its lines.</summary>
public sealed class SystemdTests
{
    [Fact]
    public async Task ItIsReadyWhenItServesAndSaysThatItStops()
    {
        using var ends = new CancellationTokenSource(TimeSpan.FromMinutes(1));
        using var folder = new TemporaryDirectory();
        _ = Directory.CreateDirectory(folder.Path);
        string path = Path.Combine(folder.Path, "notify");
        using var notified = new Socket(AddressFamily.Unix, SocketType.Dgram, ProtocolType.Unspecified);
        notified.Bind(new UnixDomainSocketEndPoint(path));
        string socket = Path.Combine(folder.Path, "server");

        // The process above has another name, as one that the unit's ProtectProc hides has none.
        var start = new ProcessStartInfo("dotnet", [Path.Combine(AppContext.BaseDirectory, "Pile.Server.dll"), "--in-memory", "--memory-limit=64MiB", $"--listen=unix:{socket}"])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        start.Environment["NOTIFY_SOCKET"] = path;
        using Process process = Process.Start(start)!;
        using CancellationTokenRegistration kill = ends.Token.Register(() => process.Kill(entireProcessTree: true));
        Task<string> said = process.StandardOutput.ReadToEndAsync(CancellationToken.None);
        Task<string> errors = process.StandardError.ReadToEndAsync(CancellationToken.None);

        Assert.Contains("READY=1", await NextAsync(notified, ends.Token), StringComparison.Ordinal);
        Assert.True(File.Exists(socket));
        using Process signal = Process.Start("kill", ["-TERM", $"{process.Id}"]);
        Assert.Contains("STOPPING=1", await NextAsync(notified, ends.Token), StringComparison.Ordinal);
        await process.WaitForExitAsync(ends.Token);
        Assert.True(process.ExitCode == 0, $"{process.ExitCode}: {await said}{await errors}");
        Assert.StartsWith("<", await said, StringComparison.Ordinal); // the level, as systemd's log reads it
    }

    [Fact]
    public async Task LinesAreJsonWhereTheConfigurationSaysSo()
    {
        using var ends = new CancellationTokenSource(TimeSpan.FromMinutes(1));
        using Process process = Process.Start(new ProcessStartInfo("dotnet", [Path.Combine(AppContext.BaseDirectory, "Pile.Server.dll"), "--in-memory", "--memory-limit=64MiB", "--listen=http://127.0.0.1:0", "--Logging:Console:FormatterName", "json"])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        })!;
        using CancellationTokenRegistration kill = ends.Token.Register(process.Kill);
        Task<string> errors = process.StandardError.ReadToEndAsync(CancellationToken.None);
        string? line = await process.StandardOutput.ReadLineAsync(ends.Token);
        process.Kill();
        await process.WaitForExitAsync(ends.Token);

        Assert.True(line is not null, await errors);
        using var read = JsonDocument.Parse(line);
        Assert.Equal((206, "http://127.0.0.1:0"), (read.RootElement.GetProperty("EventId").GetInt32(), read.RootElement.GetProperty("State").GetProperty("Address").GetString()));
    }

    private static async Task<string> NextAsync(Socket socket, CancellationToken cancel)
    {
        byte[] message = new byte[256];
        return Encoding.UTF8.GetString(message, 0, await socket.ReceiveAsync(message, cancel));
    }
}
