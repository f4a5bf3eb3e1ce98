using System;
using System.Buffers;
using System.Collections.Generic;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Microsoft.Extensions.Caching.Distributed;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>The synchronous forms of IDistributedCache, as a session of ASP.NET calls them that nobody has loaded before: by as many requests at once as the pool has threads.</summary>
[Collection(Alone.Name)]
public sealed class BlockingCallsTests : IAsyncLifetime
{
    private static readonly DistributedCacheEntryOptions _terms = new() { SlidingExpiration = TimeSpan.FromMinutes(20) };
    private ServerProcess _server = null!;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public async ValueTask InitializeAsync() => _server = await ServerProcess.StartAsync("--memory-limit", "64MiB");

    public ValueTask DisposeAsync() => _server.DisposeAsync();

    /// <summary>The first connection too, and the table that is not there yet.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task TheyComeToTheirEndWhereThePoolHasNoThreadLeft(bool isConnected)
    {
        await using var client = new PileClient(new PileClientOptions { Address = _server.Address, Deadline = TimeSpan.FromMinutes(1) });
        var cache = new PileClientDistributedCache(client);
        if (isConnected)
        {
            cache.Set("a", [1], _terms);
            Assert.Equal([1], await cache.GetAsync("a", Cancel));
        }

        using var done = new CountdownEvent(8);
        await FullPool.WhileAsync(() =>
        {
            for (int caller = 0; caller < done.InitialCount; caller++)
            {
                string key = $"key {caller}";
                var thread = new Thread(() => _ = KeepsAndGives(cache, key) && done.Signal()) { IsBackground = true };
                thread.Start();
            }

            Assert.True(done.Wait(TimeSpan.FromMinutes(2), CancellationToken.None), $"{done.CurrentCount} of {done.InitialCount} are not done.");
        });
    }

    [Theory]
    [InlineData("a connection that was good", StatusCode.DeadlineExceeded)]
    [InlineData("a connection", StatusCode.DeadlineExceeded)]
    [InlineData("a connection by TLS", StatusCode.DeadlineExceeded)]
    [InlineData("a connection by TLS", StatusCode.Unavailable)]
    [InlineData("nothing", StatusCode.DeadlineExceeded)]
    [InlineData("nothing", StatusCode.Unavailable)]
    public async Task ASilentServerIsADeadlineWhereThePoolHasNoThreadLeft(string takes, StatusCode expected)
    {
        using var way = new ThreadWay(_server.Address);
        using var silent = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        silent.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        silent.Listen(0);
        List<Socket> before = takes == "nothing" ? [.. Enumerable.Range(0, 8).Select(_ => Begun(silent.LocalEndPoint!))] : [];
        bool ofConnection = expected == StatusCode.Unavailable;
        await using var client = new PileClient(new PileClientOptions
        {
            Address = takes == "a connection that was good" ? way.Address : $"{(takes == "a connection by TLS" ? "https" : "http")}://{silent.LocalEndPoint}",
            ConnectTimeout = ofConnection ? TimeSpan.FromMilliseconds(500) : Timeout.InfiniteTimeSpan,
            Deadline = ofConnection ? Timeout.InfiniteTimeSpan : TimeSpan.FromMilliseconds(500),
            RetriesMax = ofConnection ? 0 : 3,
        });
        var cache = new PileClientDistributedCache(client);
        if (takes == "a connection that was good")
        {
            cache.Set("a", [1], _terms);
            way.Cut();
        }

        await FullPool.WhileAsync(() =>
        {
            for (int call = 0; call < 3; call++)
            {
                Assert.Equal(expected, Assert.Throws<PileClientException>(() => cache.Get("a")).Code);
            }
        });
        before.ForEach(static socket => socket.Dispose());
    }

    [Fact]
    public async Task ASilentServerThatIsAskedForTheTableIsADeadlineWhereThePoolHasNoThreadLeft()
    {
        using var way = new ThreadWay(_server.Address) { ConnectionsMax = 2 };
        await using var client = new PileClient(new PileClientOptions { Address = way.Address, Deadline = TimeSpan.FromSeconds(2) });

        // Over the line, and over the connection that makes the table.
        new PileClientDistributedCache(client).Set("a", [1], _terms);
        var other = new PileClientDistributedCache(client, new PileClientDistributedCacheOptions { TableName = "other" });
        await FullPool.WhileAsync(() => Assert.Equal(StatusCode.DeadlineExceeded, Assert.Throws<PileClientException>(() => other.Get("a")).Code));
    }

    [Fact]
    public async Task AServerThatIsThereAgainIsFoundWhereThePoolHasNoThreadLeft()
    {
        using var way = new ThreadWay(_server.Address);
        await using var client = new PileClient(new PileClientOptions { Address = way.Address, Deadline = TimeSpan.FromSeconds(30), RetriesMax = 0 });
        var cache = new PileClientDistributedCache(client);
        cache.Set("a", [1], _terms);
        await FullPool.WhileAsync(() =>
        {
            way.Close();
            for (int call = 0; call < 3; call++)
            {
                Assert.Equal(StatusCode.Unavailable, Assert.Throws<PileClientException>(() => cache.Get("a")).Code);
            }

            way.Open();
            Assert.Equal([1], cache.Get("a"));
        });
    }

    [Fact]
    public async Task TheyFailWhereNobodyListensAndWhenTheClientIsDisposed()
    {
        var client = new PileClient(new PileClientOptions { Address = "http://127.0.0.1:1", RetriesMax = 0 });
        var cache = new PileClientDistributedCache(client);
        Assert.Equal(StatusCode.Unavailable, Assert.Throws<PileClientException>(() => cache.Get("a")).Code);
        await client.DisposeAsync();
        _ = Assert.Throws<ObjectDisposedException>(() => cache.Get("a"));
    }

    [Fact]
    public async Task ADisposeEndsWhatIsUnderWay()
    {
        await using var way = new BlackHole(_server.Address);
        var client = new PileClient(new PileClientOptions { Address = way.Address, Deadline = Timeout.InfiniteTimeSpan });
        var cache = new PileClientDistributedCache(client);
        await cache.SetAsync("a", [1], Cancel);
        Assert.Equal([1], cache.Get("a"));
        way.Cut();
        using var begun = new CountdownEvent(3);
        byte[]? Get()
        {
            begun.Signal();
            return cache.Get("a");
        }

        var calls = Enumerable.Range(0, begun.InitialCount).Select(_ => Task.Factory.StartNew(Get, Cancel, TaskCreationOptions.LongRunning, TaskScheduler.Default)).ToList();
        begun.Wait(Cancel);
        await client.DisposeAsync();
        foreach (Task<byte[]?> call in calls)
        {
            _ = await Assert.ThrowsAsync<ObjectDisposedException>(() => Within.AMinuteAsync(call, "the end of the call"));
        }
    }

    /// <summary>What was under way when a connection ended goes over the next one.</summary>
    [Fact]
    public async Task AConnectionThatEndsIsMadeAgain()
    {
        await using var way = new BlackHole(_server.Address);
        await using var client = new PileClient(new PileClientOptions { Address = way.Address, Deadline = TimeSpan.FromMinutes(1) });
        var cache = new PileClientDistributedCache(client);
        await cache.SetAsync("a", [1], Cancel);
        for (int round = 0; round < 5; round++)
        {
            Assert.Equal([1], cache.Get("a"));
            way.CutAll();
        }
    }

    /// <summary>One asks for the table that is not there; who misses it meanwhile hears what became of that, and asks nobody.</summary>
    [Fact]
    public async Task AFailureToMakeTheTableIsSharedByAllWhoMissIt()
    {
        const int Callers = 4;
        await using var way = new FirstAlone(_server.Address);
        await using var client = new PileClient(new PileClientOptions { Address = way.Address, Deadline = TimeSpan.FromSeconds(3) });
        var cache = new PileClientDistributedCache(client);
        PileClientException[] told = await Within.AMinuteAsync(
            Task.WhenAll(Enumerable.Range(0, Callers).Select(_ => Task.Factory.StartNew(() => Assert.Throws<PileClientException>(() => cache.Get("a")), Cancel, TaskCreationOptions.LongRunning, TaskScheduler.Default))), "the failures");
        Assert.All(told, static failure => Assert.Equal(StatusCode.DeadlineExceeded, failure.Code));
        Assert.Equal(Callers, told.Distinct().Count());
        Assert.Equal(2, way.Connections);
    }

    /// <summary>By a clock whose timers never come due: the line has its own.</summary>
    [Fact]
    public async Task AServerThatAsksForAPauseIsAskedAgainByNoTimerOfThePool()
    {
        int asked = 0;
        await using ServerDouble busy = await ServerDouble.StartAsync(async (requests, replies, _) =>
        {
            while (await ServerDouble.ReadAsync(requests) is { } request)
            {
                await replies.WriteAsync(++asked == 1
                    ? ServerDouble.Failed(request.Id, StatusCode.ResourceExhausted, PileStatus.Busy, retryAfterMs: 1)
                    : ServerDouble.Values(request.Id, request.Keys, 7));
                await replies.FlushAsync();
            }
        });
        await using var client = new PileClient(new PileClientOptions { Address = busy.Address, TimeProvider = new TimerlessClock() });
        var cache = new PileClientDistributedCache(client);
        Task<byte[]?> call = Task.Factory.StartNew(() => cache.Get("a"), Cancel, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        Assert.Equal([7], await Within.AMinuteAsync(call, "the answer"));
        Assert.Equal(2, asked);
    }

    private static bool KeepsAndGives(PileClientDistributedCache cache, string key)
    {
        // What waits for the pool in one of some thousand calls is met too.
        bool isRight = true;
        for (int round = 0; round < 200 && isRight; round++)
        {
            var target = new ArrayBufferWriter<byte>();
            cache.Set(key, [2, 3], _terms);
            cache.Set(key, new ReadOnlySequence<byte>([3, 4]), _terms);
            isRight = cache.Get(key) is [3, 4] && cache.TryGet(key, target) && target.WrittenSpan is [3, 4];
            cache.Remove(key);
            isRight &= cache.Get(key) is null;
        }

        return isRight;
    }

    // A connection that is asked for; nobody takes it.
    private static Socket Begun(EndPoint at)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { Blocking = false };
        _ = Record.Exception(() => socket.Connect(at));
        return socket;
    }

    /// <summary>A way on which the first connection alone comes through: the others are taken, and nothing answers.</summary>
    private sealed class FirstAlone(string server) : Way(server)
    {
        private readonly TaskCompletionSource _open = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private int _begun;

        protected override void Release() => _ = _open.TrySetResult();

        protected override Task BeginAsync() => Interlocked.Increment(ref _begun) == 1 ? Task.CompletedTask : _open.Task;

        protected override async Task<bool> PassAsync(Connection connection, Socket to, Memory<byte> piece)
        {
            await SendAsync(to, piece);
            return true;
        }
    }

    private sealed class TimerlessClock : TimeProvider
    {
        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
            System.CreateTimer(callback, state, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }
}
