using System;
using System.Linq;
using System.Security.Cryptography.X509Certificates;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Microsoft.Extensions.Caching.Distributed;
using Pile.Server.Tests;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>Blocked callers whose values the socket does not take at once.</summary>
[Collection(Alone.Name)]
public sealed class BlockingWritesTests : IDisposable
{
    private const int Callers = 8;
    private static readonly DistributedCacheEntryOptions _terms = new() { SlidingExpiration = TimeSpan.FromMinutes(20) };
    private readonly TestCertificates _certificates = new();

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose() => _certificates.Dispose();

    [Theory]
    [InlineData("unix")]
    [InlineData("http")]
    [InlineData("https")]
    public async Task WhatTheSocketDoesNotTakeAtOnceIsSentWhereThePoolHasNoThreadLeft(string scheme)
    {
        using X509Certificate2 atServer = _certificates.Sign("server", isServer: true);
        (string pem, string key) = _certificates.Pem(atServer, "server");
        string unix = $"unix:{_certificates.Folder}/s";
        await using ServerProcess server = await ServerProcess.StartAsync(scheme switch
        {
            "unix" => [$"--listen={unix}"],
            "http" => [],
            _ => ["--listen=https://127.0.0.1:0", "--certificate", pem, "--key", key],
        });
        using NarrowWay? way = scheme == "unix" ? null : new NarrowWay(server.Address);
        await using var client = new PileClient(new PileClientOptions
        {
            Address = way?.Address ?? unix,
            Deadline = TimeSpan.FromMinutes(2),
            Tls = new PileClientTlsOptions { AuthorityFile = scheme == "https" ? _certificates.AuthorityFile : null },
        });
        var cache = new PileClientDistributedCache(client);
        cache.Set("a", [1], _terms);
        Task[] calls = [];
        await FullPool.WhileAsync(() =>
        {
            calls = [.. Enumerable.Range(0, Callers).Select(caller => Task.Factory.StartNew(() => KeepAndGive(cache, caller), Cancel, TaskCreationOptions.LongRunning, TaskScheduler.Default))];
            Assert.True(Task.WaitAll(calls, (int)TimeSpan.FromMinutes(1).TotalMilliseconds, CancellationToken.None), $"{calls.Count(static call => !call.IsCompleted)} of {Callers} are not done.");
        });
        await Task.WhenAll(calls);
    }

    [Fact]
    public async Task WhoWaitsBehindAFullSocketEndsByItsDeadline()
    {
        await using ServerProcess server = await ServerProcess.StartAsync();
        using var way = new NarrowWay(server.Address);
        await using var client = new PileClient(new PileClientOptions { Address = way.Address, Deadline = TimeSpan.FromSeconds(1) });
        foreach (Task<Exception?> call in Held(client, way))
        {
            PileClientException late = Assert.IsType<PileClientException>(await Within.AMinuteAsync(call, "the end of the call"));
            Assert.Equal(StatusCode.DeadlineExceeded, late.Code);
        }
    }

    [Fact]
    public async Task WhoWaitsBehindAFullSocketEndsWithTheClient()
    {
        await using ServerProcess server = await ServerProcess.StartAsync();
        using var way = new NarrowWay(server.Address);
        var client = new PileClient(new PileClientOptions { Address = way.Address, Deadline = Timeout.InfiniteTimeSpan });
        Task<Exception?>[] calls = Held(client, way);
        await Within.AMinuteAsync(client.DisposeAsync().AsTask(), "the end of the client");
        foreach (Task<Exception?> call in calls)
        {
            _ = Assert.IsType<ObjectDisposedException>(await Within.AMinuteAsync(call, "the end of the call"));
        }
    }

    // Calls of more bytes than the way holds, on which nobody reads.
    private static Task<Exception?>[] Held(PileClient client, NarrowWay way)
    {
        var cache = new PileClientDistributedCache(client);
        cache.Set("a", [1], _terms);
        way.Hold();
        using var begun = new CountdownEvent(Callers * 4);
        Exception? Set()
        {
            begun.Signal();
            return Record.Exception(() => cache.Set("a", new byte[60_000], _terms));
        }

        Task<Exception?>[] calls = [.. Enumerable.Range(0, begun.InitialCount).Select(_ => Task.Factory.StartNew(Set, Cancel, TaskCreationOptions.LongRunning, TaskScheduler.Default))];
        begun.Wait(Cancel);
        return calls;
    }

    private static void KeepAndGive(PileClientDistributedCache cache, int caller)
    {
        byte[] value = new byte[60_000];
        new Random(caller).NextBytes(value);
        for (int round = 0; round < 20; round++)
        {
            value[round]++;
            cache.Set($"key {caller}", value, _terms);
            Assert.Equal(value, cache.Get($"key {caller}"));
        }
    }
}
