using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>Values that one client computes while the others wait.</summary>
public sealed class LeaseTests(SharedServer server) : IClassFixture<SharedServer>
{
    private static readonly byte[] _value = [7];

    [Fact]
    public async Task OfManyClientsOneComputes()
    {
        await using PileClient one = server.Client();
        await using PileClient two = server.Client();
        string name = (await SharedServer.TableAsync(one)).Name;
        var mayEnd = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var hasBegun = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        int computed = 0;
        async ValueTask<byte[]> ComputeAsync(CancellationToken cancel)
        {
            _ = Interlocked.Increment(ref computed);
            _ = hasBegun.TrySetResult();
            await mayEnd.Task.WaitAsync(cancel);
            return _value;
        }

        Task<byte[]>[] calls = [.. Enumerable.Range(0, 32).Select(call => (call % 2 == 0 ? one : two).Table(name).GetOrAddAsync("a", ComputeAsync, leaseTime: TimeSpan.FromMinutes(5)))];
        await Within.AMinuteAsync(hasBegun.Task, "the first computing");
        mayEnd.SetResult();
        foreach (byte[] value in await Within.AMinuteAsync(Task.WhenAll(calls), "all callers"))
        {
            Assert.Equal(_value, value);
        }

        Assert.Equal(1, computed);
        Assert.Equal(_value, await two.Table(name).GetAsync("a"));
    }

    [Fact]
    public async Task AfterAFailureAnotherOneComputes()
    {
        await using PileClient client = server.Client();
        PileClientTable table = await SharedServer.TableAsync(client);
        var mayFail = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var taken = new TaskCompletionSource();
        Task<byte[]> failing = table.GetOrAddAsync(
            "a",
            async _ =>
            {
                taken.SetResult();
                await mayFail.Task;
                throw new FormatException("mine");
            },
            leaseTime: TimeSpan.FromMinutes(5));
        await Within.AMinuteAsync(taken.Task, "the lease is taken");
        Task<byte[]> waiting = table.GetOrAddAsync("a", _ => ValueTask.FromResult(_value));
        mayFail.SetResult();
        Assert.Equal("mine", (await Assert.ThrowsAsync<FormatException>(() => Within.AMinuteAsync(failing, "the failure"))).Message);
        Assert.Equal(_value, await Within.AMinuteAsync(waiting, "the other one"));
        _ = await Assert.ThrowsAsync<InvalidOperationException>(() => table.GetOrAddAsync("b", static _ => ValueTask.FromResult<byte[]>(null!)));
        Assert.True((await table.GetOrLeaseAsync("b")).IsLeased);
    }

    [Fact]
    public async Task ACancelledCallerGivesTheLeaseBack()
    {
        await using PileClient client = server.Client();
        PileClientTable table = await SharedServer.TableAsync(client);
        using var cancel = new CancellationTokenSource();
        var taken = new TaskCompletionSource();
        Task<byte[]> cancelled = table.GetOrAddAsync(
            "a",
            async token =>
            {
                taken.SetResult();
                await new TaskCompletionSource().Task.WaitAsync(token);
                return _value;
            },
            leaseTime: TimeSpan.FromMinutes(5),
            cancel: cancel.Token);
        await Within.AMinuteAsync(taken.Task, "the lease is taken");
        using var waits = new CancellationTokenSource();
        Task<byte[]> waiting = table.GetOrAddAsync("a", static _ => throw new InvalidOperationException("never"), cancel: waits.Token);
        await waits.CancelAsync();
        _ = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within.AMinuteAsync(waiting, "who waits"));
        await cancel.CancelAsync();
        _ = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within.AMinuteAsync(cancelled, "who computes"));
        Assert.Equal(_value, await Within.AMinuteAsync(table.GetOrAddAsync("a", static _ => ValueTask.FromResult(_value)), "the next one"));
    }

    /// <summary>Nobody waits for the rest of a lease whose value the server has refused.</summary>
    [Fact]
    public async Task AValueThatIsRefusedGivesTheLeaseBack()
    {
        await using PileClient client = server.Client();
        PileClientTable table = await SharedServer.TableAsync(client);
        var terms = new PileClientTerms { Tags = [.. Enumerable.Range(0, 1000).Select(static tag => $"{tag}")] };
        PileClientException refused = await Assert.ThrowsAsync<PileClientException>(
            () => table.GetOrAddAsync("a", static _ => ValueTask.FromResult(_value), terms, TimeSpan.FromMinutes(5)));
        Assert.Equal(StatusCode.InvalidArgument, refused.Code);
        Assert.True((await table.GetOrLeaseAsync("a")).IsLeased);

        // Beyond ValueBytesMax of the server, but not beyond a message of it.
        await using ServerProcess small = await ServerProcess.StartAsync("--PileServer:ValueBytesMax=1000");
        await using var other = new PileClient(new PileClientOptions { Address = small.Address, Deadline = TimeSpan.FromMinutes(1) });
        refused = await Assert.ThrowsAsync<PileClientException>(
            () => other.Table().GetOrAddAsync("b", static _ => ValueTask.FromResult(new byte[1001]), leaseTime: TimeSpan.FromMinutes(5)));
        Assert.Contains("(ValueBytesMax)", refused.Message, StringComparison.Ordinal);
        Assert.True((await other.Table().GetOrLeaseAsync("b")).IsLeased);
    }

    [Fact]
    public async Task AValueBeyondOneMessageIsReadWhereItIsThereAndElseReturnedAndNotKept()
    {
        await using PileClient client = server.Client();
        PileClientTable table = await SharedServer.TableAsync(client);
        byte[] large = new byte[20 << 20];
        new Random(14).NextBytes(large);
        for (int call = 0; call < 2; call++)
        {
            byte[] computed = await Within.AMinuteAsync(table.GetOrAddAsync("a", _ => ValueTask.FromResult(large), leaseTime: TimeSpan.FromMinutes(5)), "the computed value");
            Assert.Same(large, computed);
            Assert.Null(await table.GetAsync("a"));
        }

        // The lease was given back, and stores nothing of that size by itself either.
        PileClientLease lease = await table.GetOrLeaseAsync("a", TimeSpan.FromMinutes(5));
        Assert.True(lease.IsLeased);
        PileClientException refused = await Assert.ThrowsAsync<PileClientException>(() => table.SetLeasedAsync("a", lease, large));
        Assert.Equal(StatusCode.ResourceExhausted, refused.Code);
        Assert.Contains("Raise its MessageBytesMax; values of more than 4,194,304 bytes go in chunks, unless they are stored under a condition or a lease.", refused.Message, StringComparison.Ordinal);

        Assert.Equal(PileClientOutcome.Inserted, await table.SetAsync("a", large));
        byte[] there = await table.GetOrAddAsync("a", static _ => throw new InvalidOperationException("never"));
        Assert.True(there.AsSpan().SequenceEqual(large));
        there = Assert.IsType<byte[]>((await table.GetOrLeaseAsync("a")).Value);
        Assert.True(there.AsSpan().SequenceEqual(large));
        refused = await Assert.ThrowsAsync<PileClientException>(() => table.GetWithVersionAsync("a"));
        Assert.Equal(PileStatus.TooLarge, refused.Status);
    }

    [Fact]
    public async Task AChangeMeanwhileStays()
    {
        await using PileClient client = server.Client();
        PileClientTable table = await SharedServer.TableAsync(client);
        byte[] computed = await table.GetOrAddAsync("a", async _ =>
        {
            Assert.Equal(PileClientOutcome.Inserted, await table.SetAsync("a", new byte[] { 8 }, cancel: CancellationToken.None));
            return _value;
        });
        Assert.Equal(_value, computed);
        Assert.Equal([8], Assert.IsType<byte[]>(await table.GetAsync("a")));
    }

    [Fact]
    public async Task TheStepsByThemselves()
    {
        await using PileClient client = server.Client();
        PileClientTable table = await SharedServer.TableAsync(client);
        PileClientLease lease = await table.GetOrLeaseAsync("a");
        Assert.True(lease is { IsLeased: true, Value: null });
        PileClientLease taken = await table.GetOrLeaseAsync("a");
        Assert.False(taken.IsLeased);
        _ = await Assert.ThrowsAsync<ArgumentException>(() => table.SetLeasedAsync("a", taken, _value));
        _ = await Assert.ThrowsAsync<ArgumentException>(() => table.EndLeaseAsync("a", taken));
        Assert.True(await table.EndLeaseAsync("a", lease));
        Assert.False(await table.EndLeaseAsync("a", lease));
        Assert.Equal(PileClientOutcome.Refused, await table.SetLeasedAsync("a", lease, _value));
        lease = await table.GetOrLeaseAsync("a", TimeSpan.FromMinutes(1));
        Assert.Equal(PileClientOutcome.Inserted, await table.SetLeasedAsync("a", lease, _value, new PileClientTerms { TimeToLive = TimeSpan.FromHours(1) }));
        Assert.Equal(_value, (await table.GetOrLeaseAsync("a")).Value);
        PileClientException refused = await Assert.ThrowsAsync<PileClientException>(() => table.GetOrLeaseAsync("b", TimeSpan.FromMinutes(11)));
        Assert.Equal(StatusCode.InvalidArgument, refused.Code);
        _ = await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => table.GetOrLeaseAsync("b", wait: TimeSpan.FromTicks(-1)));
    }
}
