using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Grpc.Health.V1;
using Pile.Server.Calls;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>Watches of health, which need no access, are bounded.</summary>
public sealed class HealthWatchTests
{
    [Fact]
    public async Task ThereIsAnEndToWatchesAndTheirPlacesComeBack()
    {
        using var state = new ServerState();
        var health = new HealthService(state);
        using var cancel = new CancellationTokenSource();
        Task[] watches = [.. Enumerable.Range(0, ServerLimits.HealthWatchesMax).Select(_ => Watch(health, cancel.Token))];
        Assert.All(watches, static watch => Assert.False(watch.IsCompleted));

        RpcException refused = await Assert.ThrowsAsync<RpcException>(() => Watch(health, cancel.Token));
        Assert.Equal(StatusCode.ResourceExhausted, refused.StatusCode);

        await cancel.CancelAsync();
        _ = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Task.WhenAll(watches).WaitAsync(Soon.Longest));
        using var next = new CancellationTokenSource();
        Task again = Watch(health, next.Token);
        Assert.False(again.IsCompleted);
        await next.CancelAsync();
        _ = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => again.WaitAsync(Soon.Longest));
    }

    [Fact]
    public async Task AWatchThatEndsBeforeTheServerServesLeavesNothingBehind()
    {
        using var state = new ServerState();
        WeakReference[] calls = await EndedAsync(new HealthService(state));
        await Soon.HoldsAsync(
            () =>
            {
                GC.Collect();
                return calls.All(static call => !call.IsAlive);
            },
            "the calls that have ended are nobody's");
        GC.KeepAlive(state);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<WeakReference[]> EndedAsync(HealthService health)
    {
        List<WeakReference> calls = [];
        for (int number = 0; number < 10; number++)
        {
            using var cancel = new CancellationTokenSource();
            var replies = new Replies();
            calls.Add(new WeakReference(replies));
            Task watch = health.Watch(new HealthCheckRequest(), replies, new Call(cancel.Token));
            await cancel.CancelAsync();
            _ = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => watch.WaitAsync(Soon.Longest));
        }

        return [.. calls];
    }

    private static Task Watch(HealthService health, CancellationToken cancel) => health.Watch(new HealthCheckRequest(), new Replies(), new Call(cancel));

    private sealed class Replies : IServerStreamWriter<HealthCheckResponse>
    {
        public WriteOptions? WriteOptions { get; set; }

        public Task WriteAsync(HealthCheckResponse message) => Task.CompletedTask;

        public Task WriteAsync(HealthCheckResponse message, CancellationToken cancellationToken) => Task.CompletedTask;
    }

    private sealed class Call(CancellationToken cancel) : ServerCallContext
    {
        protected override string MethodCore => "grpc.health.v1.Health/Watch";

        protected override string HostCore => "";

        protected override string PeerCore => "";

        protected override DateTime DeadlineCore => DateTime.MaxValue;

        protected override Metadata RequestHeadersCore { get; } = [];

        protected override CancellationToken CancellationTokenCore => cancel;

        protected override Metadata ResponseTrailersCore { get; } = [];

        protected override Status StatusCore { get; set; }

        protected override WriteOptions? WriteOptionsCore { get; set; }

        protected override AuthContext AuthContextCore { get; } = new("", new Dictionary<string, List<AuthProperty>>());

        protected override ContextPropagationToken CreatePropagationTokenCore(ContextPropagationOptions? options) => throw new NotSupportedException();

        protected override Task WriteResponseHeadersAsyncCore(Metadata responseHeaders) => Task.CompletedTask;
    }
}
