using System;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Security.Cryptography.X509Certificates;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.Logging;
using Pile.Server.Tests;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>What callers are told where there is no connection: why, and each time.</summary>
public sealed class UnreachedTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(true, "refused")]
    [InlineData(false, "refused")]
    [InlineData(true, "No TLS")]
    [InlineData(false, "No TLS")]
    public async Task EveryCallSaysWhyThereIsNoConnection(bool isBlocking, string expected)
    {
        await using ServerDouble clear = await ServerDouble.StartAsync(static (_, _, _) => Task.CompletedTask);

        // A port that nobody listens at: it is held.
        using var held = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        held.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        await using var client = new PileClient(new PileClientOptions
        {
            Address = expected == "No TLS" ? clear.Address.Replace("http:", "https:", StringComparison.Ordinal) : $"http://{held.LocalEndPoint}",
            Deadline = TimeSpan.FromSeconds(1),
        });
        var cache = new PileClientDistributedCache(client);
        for (int call = 0; call < 3; call++)
        {
            PileClientException failure = await Assert.ThrowsAsync<PileClientException>(() => Within.AMinuteAsync(
                isBlocking ? Task.Factory.StartNew(() => cache.Get("a"), Cancel, TaskCreationOptions.LongRunning, TaskScheduler.Default) : client.Table().GetAsync("a", Cancel).AsTask(), "the call"));

            // The first may come to its end before the first connection has come to its own.
            Assert.True(call == 0 || (failure is { Code: StatusCode.Unavailable, IsRetrySafe: true } && failure.Message.Contains(expected, StringComparison.Ordinal)), failure.ToString());
        }
    }

    [Theory]
    [InlineData(true, "The server has closed the connection before it said anything. Does it listen by TLS (https://)?")]
    [InlineData(false, "The server speaks HTTP/1.1 at this address (HTTP_1_1_REQUIRED). Let it listen there by HTTP/2: HttpProtocols.Http2 of Kestrel.")]
    public async Task AServerThatSpeaksOtherwiseIsToldWithWhatToDo(bool isTls, string expected)
    {
        using var certificates = new TestCertificates();
        using X509Certificate2 certificate = certificates.Sign("server", isServer: true);
        WebApplicationBuilder builder = WebApplication.CreateBuilder();
        _ = builder.Logging.ClearProviders();
        _ = builder.WebHost.ConfigureKestrel(options => options.Listen(IPAddress.Loopback, 0, listen =>
        {
            if (isTls)
            {
                _ = listen.UseHttps(certificate);
            }
        }));
        await using WebApplication application = builder.Build();
        await application.StartAsync(Cancel);
        await using var client = new PileClient(new PileClientOptions { Address = application.Urls.First().Replace("https:", "http:", StringComparison.Ordinal), Deadline = TimeSpan.FromSeconds(5) });
        var cache = new PileClientDistributedCache(client);
        Func<Task>[] calls =
        [
            () => client.PingAsync(Cancel),
            () => client.Table().GetAsync("a", Cancel).AsTask(),
            () => Task.Factory.StartNew(() => cache.Get("a"), Cancel, TaskCreationOptions.LongRunning, TaskScheduler.Default),
        ];
        foreach (Func<Task> call in calls)
        {
            PileClientException failure = await Assert.ThrowsAsync<PileClientException>(() => Within.AMinuteAsync(call(), "the call"));
            Assert.Equal(StatusCode.Unavailable, failure.Code);
            Assert.Contains(expected, failure.Message, StringComparison.Ordinal);
        }
    }

    [Fact]
    public async Task ASilentConnectionBehindOneThatWasLostIsADeadlineWithThatAsItsCause()
    {
        int streams = 0;
        await using ServerDouble silent = await ServerDouble.StartAsync((_, _, context) =>
            Interlocked.Increment(ref streams) == 1 ? ServerDouble.EndAsync(context, StatusCode.Unavailable) : new TaskCompletionSource().Task.WaitAsync(context.RequestAborted));
        await using var client = new PileClient(new PileClientOptions { Address = silent.Address, Deadline = TimeSpan.FromSeconds(2) });
        PileClientException late = await Assert.ThrowsAsync<PileClientException>(() => Within.AMinuteAsync(client.Table().GetAsync("a", Cancel).AsTask(), "the call"));
        Assert.Equal(StatusCode.DeadlineExceeded, late.Code);
        Assert.Equal(StatusCode.Unavailable, Assert.IsType<PileClientException>(late.InnerException).Code);
    }
}
