using System;
using System.Collections.Concurrent;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>Callbacks that a provider of tokens registers on its own token, and what they do to calls: nothing.</summary>
public sealed class TokenCallbackTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    /// <summary>The line's pump is in the provider, or waits for an answer behind it.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task CallbacksThatThrowKeepNoCallFromItsEndAtADispose(bool isAwaited)
    {
        using var both = new CountdownEvent(2);
        await using ServerDouble silent = await ServerDouble.StartAsync(async (requests, _, context) =>
        {
            Assert.NotNull(await ServerDouble.ReadAsync(requests));
            both.Signal();
            await new TaskCompletionSource().Task.WaitAsync(context.RequestAborted);
        });
        var client = new PileClient(new PileClientOptions
        {
            Address = silent.Address,
            Deadline = Timeout.InfiniteTimeSpan,
            TokenProvider = async ends =>
            {
                _ = ends.Register(static () => throw new InvalidOperationException("the callback's own"));
                if (isAwaited)
                {
                    both.Signal();
                    await new TaskCompletionSource().Task;
                }

                return "token";
            },
        });
        Task read = client.Table().GetAsync("a").AsTask();
        Task<byte[]?> blocked = Task.Factory.StartNew(() => new PileClientDistributedCache(client).Get("a"), Cancel, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        Assert.True(both.Wait(TimeSpan.FromMinutes(1), Cancel));

        await client.DisposeAsync();
        foreach (Task call in (Task[])[read, blocked])
        {
            _ = await Assert.ThrowsAsync<ObjectDisposedException>(() => Within.AMinuteAsync(call, "the end of the call"));
        }
    }

    [Fact]
    public async Task ACallbackThatTakesItsTimeHoldsUpNoCallAtADispose()
    {
        var asked = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var goes = new ManualResetEventSlim();
        var client = new PileClient(new PileClientOptions
        {
            Address = "http://127.0.0.1:1",
            Deadline = Timeout.InfiniteTimeSpan,
            TokenProvider = async ends =>
            {
                _ = ends.Register(() => goes.Wait());
                asked.SetResult();
                await new TaskCompletionSource().Task;
                return "token";
            },
        });
        Task call = client.Table().GetAsync("a").AsTask();
        await Within.AMinuteAsync(asked.Task, "the provider");
        Task disposal = Task.Factory.StartNew(client.Dispose, Cancel, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        _ = await Assert.ThrowsAsync<ObjectDisposedException>(() => Within.AMinuteAsync(call, "the end of the call"));
        goes.Set();
        await Within.AMinuteAsync(disposal, "the end of the client");
    }

    /// <summary>The call's own cancellation, and its deadline.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task ACallbackThatThrowsIsNotHeardByWhoCancels(bool isCancelled)
    {
        var told = new ConcurrentQueue<bool>();
        var asked = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var client = new PileClient(new PileClientOptions
        {
            Address = "http://127.0.0.1:1",
            IsBatching = false,
            Deadline = isCancelled ? Timeout.InfiniteTimeSpan : TimeSpan.FromMilliseconds(100),
            TokenProvider = async ends =>
            {
                _ = ends.Register(() =>
                {
                    told.Enqueue(true);
                    throw new InvalidOperationException("the callback's own");
                });
                asked.SetResult();
                await new TaskCompletionSource().Task;
                return "token";
            },
        });
        using var cancels = new CancellationTokenSource();
        Task call = client.Table().GetAsync("a", cancels.Token).AsTask();
        await Within.AMinuteAsync(asked.Task, "the provider");
        if (isCancelled)
        {
            await cancels.CancelAsync();
            OperationCanceledException ended = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within.AMinuteAsync(call, "the end of the call"));
            Assert.Equal(cancels.Token, ended.CancellationToken);
        }
        else
        {
            PileClientException late = await Assert.ThrowsAsync<PileClientException>(() => Within.AMinuteAsync(call, "the end of the call"));
            Assert.Equal(StatusCode.DeadlineExceeded, late.Code);
        }

        // The provider hears that nobody waits for it any more.
        await Within.UntilAsync(() => Task.FromResult(told.Count == 1), "the provider has heard of it");
    }

    /// <summary>By the connection on which the missing table is made, whose deadline is a timer of the blocked callers' own.</summary>
    [Fact]
    public async Task ACallbackThatThrowsIsNoEndOfTheProcessWhereACallerIsBlocked()
    {
        await using ServerProcess server = await ServerProcess.StartAsync();
        using var way = new ThreadWay(server.Address) { ConnectionsMax = 1 };
        int asked = 0;
        await using var client = new PileClient(new PileClientOptions
        {
            Address = way.Address,
            Deadline = TimeSpan.FromSeconds(2),
            TokenProvider = ends =>
            {
                _ = Interlocked.Increment(ref asked);
                _ = ends.Register(static () => throw new InvalidOperationException("the callback's own"));
                return ValueTask.FromResult<string>(null!);
            },
        });
        var cache = new PileClientDistributedCache(client);
        for (int call = 0; call < 2; call++)
        {
            PileClientException late = await Within.AMinuteAsync(
                Task.Factory.StartNew(() => Assert.Throws<PileClientException>(() => cache.Get("a")), Cancel, TaskCreationOptions.LongRunning, TaskScheduler.Default), "the end of the call");
            Assert.Equal(StatusCode.DeadlineExceeded, late.Code);
        }

        Assert.True(asked > 1);
    }
}
