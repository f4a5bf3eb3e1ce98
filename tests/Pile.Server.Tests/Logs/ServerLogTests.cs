using System;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Threading.Tasks;
using Grpc.Core;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Console;
using Microsoft.Extensions.Options;
using Pile.Hosting.Tests;
using Pile.Server.Calls;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Server.Tests.Logs;

/// <summary>The server's lines: their ids and levels, and the line of a slow call.</summary>
public sealed class ServerLogTests
{
    [Fact]
    public void IdsAndLevelsStayAsTheyAre()
    {
        string[] expected =
        [
            "301 Serving Information", "302 Stopping Information", "303 Slow Warning", "304 Failed Error", "305 Refused Warning", "306 Listening Information", "307 InTheClear Warning",
            "308 CertificateLoaded Information", "309 CertificateUnreadable Error", "310 StreamsOutlast Warning", "311 KeysLoaded Information", "312 KeysUnreadable Error", "313 AuthorityUnreachable Error",
            "314 TableLeftOut Error", "315 CertificateRefused Warning", "316 FewConnections Warning",
        ];
        string[] there = [.. typeof(ServerLog).GetMethods(BindingFlags.Static | BindingFlags.NonPublic)
            .Select(static method => (method.Name, Line: method.GetCustomAttribute<LoggerMessageAttribute>()))
            .Where(static method => method.Line is not null).OrderBy(static method => method.Line!.EventId)
            .Select(static method => $"{method.Line!.EventId} {method.Name} {method.Line.Level}")];

        Assert.Equal(expected, there);
    }

    [Theory]
    [InlineData("nothing", ConsoleLoggerQueueFullMode.DropWrite)]
    [InlineData("argument", ConsoleLoggerQueueFullMode.Wait)]
    [InlineData("file", ConsoleLoggerQueueFullMode.Wait)]
    public async Task ALogThatNobodyReadsKeepsNoCallUnlessItIsConfiguredSo(string configured, ConsoleLoggerQueueFullMode expected)
    {
        using var directory = new TemporaryDirectory();
        _ = Directory.CreateDirectory(directory.Path);
        string file = Path.Combine(directory.Path, "server.json");
        await File.WriteAllTextAsync(file, """{ "Logging": { "Console": { "QueueFullMode": "Wait" } } }""", TestContext.Current.CancellationToken);
        string[] args = configured switch
        {
            "argument" => ["--Logging:Console:QueueFullMode=Wait"],
            "file" => ["--config", file],
            _ => [],
        };
        await using TestServer server = await TestServer.StartAsync(args);

        Assert.Equal(expected, server.Services.GetRequiredService<IOptionsMonitor<ConsoleLoggerOptions>>().CurrentValue.QueueFullMode);
    }

    [Fact]
    public async Task OneThatCanNotListenDoesNotSayThatItServes()
    {
        await using TestServer first = await TestServer.StartAsync();
        var log = new RecordedLog();
        _ = await Assert.ThrowsAsync<IOException>(() => TestServer.StartAsync(log, static _ => { }, $"--listen={first.Address}"));

        Assert.Contains(first.Log.Lines, static line => line.Id.Id == 301);
        Assert.DoesNotContain(log.Lines, static line => line.Id.Id == 301);
    }

    [Theory]
    [InlineData(MethodType.Unary, 500, false)]
    [InlineData(MethodType.Unary, 501, true)]
    [InlineData(MethodType.DuplexStreaming, 501, false)]
    public async Task ACallThatTakesLongerThanItMayIsNamed(MethodType type, int milliseconds, bool isNamed)
    {
        var time = new MovedTime();
        var log = new RecordedLog();
        await using TestServer server = await TestServer.StartAsync(log, builder => builder.Services.AddSingleton<TimeProvider>(time), "--PileServer:SlowCall=00:00:00.500");
        var context = new DefaultHttpContext();
        context.Features.Set<IRequestBodyPipeFeature>(new RequestBodyPipeFeature(context));
        context.Connection.RemoteIpAddress = System.Net.IPAddress.Loopback;
        RequestDelegate call = server.Services.GetRequiredService<CallGate>().Before(new CalledMethod(
            _ =>
            {
                time.Move(TimeSpan.FromMilliseconds(milliseconds));
                return Task.CompletedTask;
            },
            "pile.v1.Entries/Get", type, PileServerAccess.Read, Server.Packed.PackedKind.None));

        await call(context);

        LogLine[] lines = [.. log.Lines.Where(static line => line.Id.Id == 303)];
        Assert.Equal(isNamed ? ["Warning: pile.v1.Entries/Get took 501 ms for 127.0.0.1 (lines like this one left out before it: 0)"] : [], lines.Select(static line => $"{line.Level}: {line.Message}"));
    }

    [Fact]
    public async Task LinesThatClientsCauseAreCountedWhenThereAreTooMany()
    {
        var time = new MovedTime();
        var log = new RecordedLog();
        await using TestServer server = await TestServer.StartAsync(log, builder => builder.Services.AddSingleton<TimeProvider>(time), "--PileServer:AnonymousAccess=None");
        for (int call = 0; call < ServerLimits.LinesMax + 5; call++)
        {
            await RefuseAsync(server);
        }

        time.Move(ServerLimits.LinesWhile);
        await RefuseAsync(server);

        LogLine[] lines = [.. log.Lines.Where(static line => line.Id.Id == 305)];
        Assert.Equal(ServerLimits.LinesMax + 1, lines.Length);
        Assert.StartsWith("pile.v1.Entries/Get was refused to a client without a name from ", lines[^1].Message, StringComparison.Ordinal);
        Assert.EndsWith("Unauthenticated (lines like this one left out before it: 5)", lines[^1].Message, StringComparison.Ordinal);
        Assert.All(lines[..^1], static line => Assert.EndsWith(" (lines like this one left out before it: 0)", line.Message, StringComparison.Ordinal));
    }

    private static async Task RefuseAsync(TestServer server) =>
        _ = await Failure.OfAsync(StatusCode.Unauthenticated, async () => await server.Entries.GetAsync(new V1.GetRequest { Key = Batches.Bytes("a") }));
}
