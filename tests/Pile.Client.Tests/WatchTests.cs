using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Channels;
using System.Threading.Tasks;
using Grpc.Core;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>Watches, also over the end of their server.</summary>
public sealed class WatchTests(SharedServer server) : IClassFixture<SharedServer>
{
    [Fact]
    public async Task ChangesAreToldInTheirOrder()
    {
        await using PileClient client = server.Client();
        PileClientTable table = await SharedServer.TableAsync(client);
        using var ends = new CancellationTokenSource();
        Channel<PileChange> seen = Channel.CreateUnbounded<PileChange>();
        Task watching = await BeginAsync(table, "a", seen, ends.Token);
        _ = await table.SetAsync("a1", new byte[1]);
        _ = await table.SetAsync("b1", new byte[1]);
        _ = await table.RemoveAsync("a1");
        await table.ClearAsync();

        Assert.Equal(["Set a1", "Removed a1", "Cleared "], [await NextAsync(seen), await NextAsync(seen), await NextAsync(seen)]);
        await ends.CancelAsync();
        _ = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within.AMinuteAsync(watching, "the watch's end"));
    }

    [Fact]
    public async Task AWatchOutlivesItsServerAndSaysWhatItMissed()
    {
        using var directory = new TemporaryDirectory();
        ServerProcess first = await ServerProcess.StartAsync("--directory", directory.Path);
        await using var client = new PileClient(new PileClientOptions { Address = first.Address, Deadline = TimeSpan.FromMinutes(1), RetriesMax = 10 });
        _ = await client.CreateTableAsync("t", new PileClientTableOptions { IsDurable = true });
        using var ends = new CancellationTokenSource();
        Channel<PileChange> seen = Channel.CreateUnbounded<PileChange>();
        Task watching = await BeginAsync(client.Table("t"), default, seen, ends.Token);
        _ = await client.Table("t").SetAsync("before", new byte[1]);
        Assert.Equal("Set before", await NextAsync(seen));
        await first.DisposeAsync();
        await using ServerProcess second = await ServerProcess.StartAsync("--directory", directory.Path, "--listen", first.Address);

        Assert.Equal("Lost ", await NextAsync(seen));
        await Within.UntilAsync(async () => await Record.ExceptionAsync(async () => await client.Table("t").SetAsync("after", new byte[1])) is null, "the client has found the server");
        Assert.Equal("Set after", await NextAsync(seen));
        _ = await client.DropTableAsync("t");
        PileClientException gone = await Assert.ThrowsAsync<PileClientException>(() => Within.AMinuteAsync(watching, "the watch's end"));
        Assert.Equal(StatusCode.NotFound, gone.Code);
    }

    [Fact]
    public async Task AWatchOutlivesAConnectionThatGoesSilent()
    {
        await using var way = new BlackHole(server.Address);
        await using PileClient near = server.Client();
        await using var client = new PileClient(new PileClientOptions { Address = way.Address, Deadline = TimeSpan.FromMinutes(1), KeepAlive = TimeSpan.FromSeconds(1) });
        PileClientTable table = await SharedServer.TableAsync(near);
        using var ends = new CancellationTokenSource();
        Channel<PileChange> seen = Channel.CreateUnbounded<PileChange>();
        Task watching = await BeginAsync(client.Table(table.Name), default, seen, ends.Token);
        Assert.Equal(1, way.Connections);
        way.Cut();
        await Within.UntilAsync(() => Task.FromResult(watching.IsCompleted || way.Connections > 1), "the client has given the connection up");
        way.Mend();
        _ = await table.SetAsync("after", new byte[1]);
        Assert.Equal("Set after", await NextAsync(seen));
        await ends.CancelAsync();
        _ = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within.AMinuteAsync(watching, "the watch's end"));
    }

    [Fact]
    public async Task AWatchThatHasBegunOutlivesATokenProviderThatFails()
    {
        // Each stream ends after one reply, which has a 'resume' of one byte.
        await using ServerDouble server = await ServerDouble.StartAsync(static (_, _, _) => Task.CompletedTask, static async context =>
        {
            await context.Response.StartAsync();
            await context.Response.Body.WriteAsync(ServerDouble.FramedAlone([(2 << 3) | 2, 1, 7]));
            await ServerDouble.EndAsync(context, StatusCode.Unavailable);
        });
        int asked = 0;
        await using var client = new PileClient(new PileClientOptions
        {
            Address = server.Address,
            Deadline = TimeSpan.FromMinutes(1),
            TokenProvider = _ => ++asked is 1 or 4 ? ValueTask.FromResult("good") : throw new FormatException("down for a moment"),
        });
        IAsyncEnumerator<IReadOnlyList<PileChange>> watch = client.Table().WatchAsync().GetAsyncEnumerator(TestContext.Current.CancellationToken);
        Assert.True(await Within.AMinuteAsync(watch.MoveNextAsync().AsTask(), "the first reply"));
        Assert.True(await Within.AMinuteAsync(watch.MoveNextAsync().AsTask(), "the reply behind the failures"));
        Assert.Equal(4, asked);
        await watch.DisposeAsync();

        // One that never had a token ends.
        watch = client.Table().WatchAsync().GetAsyncEnumerator(TestContext.Current.CancellationToken);
        PileClientException failure = await Assert.ThrowsAsync<PileClientException>(() => Within.AMinuteAsync(watch.MoveNextAsync().AsTask(), "the watch's end"));
        Assert.Equal(StatusCode.Unauthenticated, failure.Code);
        await watch.DisposeAsync();
    }

    private static async Task<string> NextAsync(Channel<PileChange> seen)
    {
        PileChange change = await Within.AMinuteAsync(seen.Reader.ReadAsync().AsTask(), "a change");
        return $"{change.Kind} {Encoding.UTF8.GetString(change.Key.Span)}";
    }

    // Returned once every change from here on is told.
    private static async Task<Task> BeginAsync(PileClientTable table, PileKey prefix, Channel<PileChange> seen, CancellationToken ends)
    {
        var began = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task watching = Task.Run(async () =>
        {
            await foreach (IReadOnlyList<PileChange> changes in table.WatchAsync(prefix, ends))
            {
                _ = began.TrySetResult();
                Assert.True(changes.All(seen.Writer.TryWrite));
            }
        }, CancellationToken.None);
        await Within.AMinuteAsync(Task.WhenAny(began.Task, watching), "the watch's begin");
        return watching;
    }
}
