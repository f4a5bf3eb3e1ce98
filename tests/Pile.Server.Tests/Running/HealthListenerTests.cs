using System;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Grpc.Health.V1;
using Grpc.Net.Client;
using Microsoft.Extensions.Logging;
using Pile.Hosting.Tests;
using Pile.Tests.Durability;
using Xunit;
using Serving = Grpc.Health.V1.HealthCheckResponse.Types.ServingStatus;

namespace Pile.Server.Tests.Running;

/// <summary>What is seen of a server that recovers, serves and stops.</summary>
public sealed class HealthListenerTests
{
    private static readonly TimeSpan _longest = TimeSpan.FromMinutes(1);

    [Fact]
    public async Task HealthIsToldFromBeforeTheRecoveryToTheEndAndNothingElse()
    {
        using var directory = new TemporaryDirectory();
        using var folder = new TemporaryDirectory();
        _ = Directory.CreateDirectory(folder.Path);
        string socket = Path.Combine(folder.Path, "server");
        await using (TestServer before = await TestServer.StartAsync("--directory", directory.Path))
        {
            _ = await before.Entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes("a"), Value = Batches.Bytes("b") });
        }

        var log = new RecordedLog();
        var opens = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var mayOpen = new ManualResetEventSlim();
        bool wasLet = true;
        log.AtLine = line =>
        {
            if (line is { Id.Id: 101, Category: "Pile.Hosting" })
            {
                opens.SetResult();
                wasLet = mayOpen.Wait(_longest); // a recovery that takes as long as the test
            }
        };
        Task<TestServer> starting = Task.Run(() => TestServer.StartAsync(log, static builder => builder.Logging.SetMinimumLevel(LogLevel.Debug), "--directory", directory.Path, $"--listen=unix:{socket}", "--health=http://127.0.0.1:0"));
        await opens.Task.WaitAsync(_longest);

        const string Mark = "Now listening on: ";
        string address = log.Lines.First(static line => line.Message.StartsWith(Mark, StringComparison.Ordinal)).Message[Mark.Length..];
        using GrpcChannel channel = GrpcChannel.ForAddress(address);
        var health = new Health.HealthClient(channel);
        DateTime end = TimeProvider.System.GetUtcNow().UtcDateTime + _longest;
        using AsyncServerStreamingCall<HealthCheckResponse> watch = health.Watch(new HealthCheckRequest(), deadline: end);
        using AsyncServerStreamingCall<HealthCheckResponse> other = health.Watch(new HealthCheckRequest { Service = "other" }, deadline: end);
        Assert.Equal(Serving.NotServing, (await health.CheckAsync(new HealthCheckRequest(), deadline: end)).Status);
        Assert.Equal(Serving.NotServing, await NextAsync(watch));
        Assert.Equal(Serving.ServiceUnknown, await NextAsync(other));
        Assert.False(File.Exists(socket));
        Assert.False(starting.IsCompleted);

        mayOpen.Set();
        await using (TestServer server = await starting)
        {
            Assert.True(wasLet);
            Assert.Equal(Serving.Serving, await NextAsync(watch));
            Assert.Equal(Serving.Serving, (await health.CheckAsync(new HealthCheckRequest { Service = "pile.v1.Entries" }, deadline: end)).Status);
            Assert.True(File.Exists(socket));
            RpcException refused = await Assert.ThrowsAsync<RpcException>(async () => await new V1.Entries.EntriesClient(channel).GetAsync(new V1.GetRequest { Key = Batches.Bytes("a") }, deadline: end));
            Assert.Equal(StatusCode.Unimplemented, refused.StatusCode);

            await server.StopAsync().WaitAsync(_longest);
            Assert.Equal(Serving.NotServing, await NextAsync(watch));
            Assert.Equal(StatusCode.Unavailable, (await Assert.ThrowsAsync<RpcException>(() => NextAsync(watch))).StatusCode);
            Assert.Equal(StatusCode.Unavailable, (await Assert.ThrowsAsync<RpcException>(() => NextAsync(other))).StatusCode);
        }

        // It begins to listen before the cache is opened, and ends after it is closed.
        string[] order = [.. log.Lines.Where(static line => line.Id.Id is 101 or 107 && line.Category == "Pile.Hosting" || line.Message.StartsWith(Mark, StringComparison.Ordinal)).Select(static line => line.Message[..8])];
        Assert.Equal(4, order.Length);
        Assert.Equal([Mark[..8], Mark[..8]], [order[0], order[2]]);
    }

    [Fact]
    public async Task AHealthAddressThatIsTakenEndsTheStartBeforeTheCacheIsOpened()
    {
        using var directory = new TemporaryDirectory();
        await using TestServer first = await TestServer.StartAsync();
        _ = await Assert.ThrowsAnyAsync<IOException>(async () =>
        {
            await using TestServer second = await TestServer.StartAsync("--directory", directory.Path, $"--health={first.Address}");
        });
        Assert.False(Directory.Exists(directory.Path));
    }

    private static async Task<Serving> NextAsync(AsyncServerStreamingCall<HealthCheckResponse> watch)
    {
        Assert.True(await watch.ResponseStream.MoveNext(CancellationToken.None));
        return watch.ResponseStream.Current.Status;
    }
}
