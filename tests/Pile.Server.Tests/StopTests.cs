using System;
using System.Collections.Concurrent;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Grpc.Core.Interceptors;
using Grpc.Net.Client;
using Pile.Server.Calls;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>Ends in order, under load and by a signal. Kills are KillTests'.</summary>
public sealed class StopTests
{
    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task AStopFinishesWhatWasAcceptedAndTellsStreams()
    {
        using var directory = new TemporaryDirectory();
        var stored = new ConcurrentBag<string>();
        var failures = new ConcurrentBag<RpcException>();
        await using (TestServer server = await TestServer.StartAsync("--directory", directory.Path))
        {
            _ = await server.Tables.CreateAsync(new V1.CreateTableRequest { Table = "t", Options = new V1.TableOptions { Kind = V1.TableKind.Durable } });
            AsyncDuplexStreamingCall<V1.BatchRequest, V1.BatchReply>[] streams = [.. Enumerable.Range(0, 10).Select(_ => server.Entries.Batches(cancellationToken: Cancel))];
            foreach (AsyncDuplexStreamingCall<V1.BatchRequest, V1.BatchReply> stream in streams)
            {
                await stream.RequestStream.WriteAsync(new V1.BatchRequest { Get = Batches.Get(1, "a") }, Cancel);
                Assert.True(await stream.ResponseStream.MoveNext(Cancel));
            }

            var half = new SemaphoreSlim(0);
            Task[] writers = [.. Enumerable.Range(0, 8).Select(writer => Task.Run(async () =>
            {
                for (int number = 0; number < 100_000; number++)
                {
                    string key = $"{writer}.{number}";
                    try
                    {
                        _ = await server.Entries.SetAsync(new V1.SetRequest { Table = "t", Key = Batches.Bytes(key), Value = Batches.Bytes(key) });
                    }
                    catch (RpcException failure)
                    {
                        failures.Add(failure);
                        return;
                    }

                    stored.Add(key);
                    if (number == 50)
                    {
                        _ = half.Release();
                    }
                }
            }))];
            for (int writer = 0; writer < writers.Length; writer++)
            {
                Assert.True(await half.WaitAsync(Soon.Longest, Cancel), "A writer has not stored 50 entries within a minute.");
            }

            Task<bool>[] endings = [.. streams.Select(static stream => stream.ResponseStream.MoveNext(Cancel))];
            await server.StopAsync(Cancel);
            await Task.WhenAll(writers).WaitAsync(Soon.Longest, Cancel);
            foreach (Task<bool> ending in endings)
            {
                failures.Add(await Assert.ThrowsAsync<RpcException>(() => ending.WaitAsync(Soon.Longest, Cancel)));
            }

            Assert.DoesNotContain(server.Log.Lines, static line => line.Id.Id == 310 && line.Category.StartsWith("Pile.Server", StringComparison.Ordinal));
            Array.ForEach(streams, static stream => stream.Dispose());
        }

        Assert.True(failures.Count >= 10);
        Assert.All(failures, static failure => Assert.True(Failure.IsOfStop(failure), failure.ToString()));
        await using TestServer again = await TestServer.StartAsync("--directory", directory.Path);
        foreach (string key in stored)
        {
            Assert.Equal(key, (await again.Entries.GetAsync(new V1.GetRequest { Table = "t", Key = Batches.Bytes(key) })).Value.ToStringUtf8());
        }
    }

    [Fact]
    public void OneWhoCantBeToldOfTheStopKeepsTheServerFromNothing()
    {
        using var state = new ServerState();
        state.BeginStream();
        using CancellationTokenRegistration told = state.Stopping.UnsafeRegister(static _ => throw new InvalidOperationException("the test wants it so"), null);
        _ = Assert.Throws<AggregateException>(state.Stop);
        state.EndStream();
        Assert.True(state.StreamsEnded.IsCompleted);
    }

    [Fact]
    public async Task TheProgramEndsInOrderByASignalAndWithCode2ByAMistake()
    {
        using var directory = new TemporaryDirectory();
        await using (ServerProcess process = await ServerProcess.StartAsync(["--directory", directory.Path, "--memory-limit=128MiB", "--listen=http://127.0.0.1:0"]))
        {
            using GrpcChannel channel = GrpcChannel.ForAddress(process.Address);
            _ = await new V1.Entries.EntriesClient(channel.Intercept(new CallDeadlines())).SetAsync(new V1.SetRequest { Key = Batches.Bytes("a"), Value = Batches.Bytes("b") });
            using Process kill = Process.Start("kill", ["-TERM", $"{process.Id}"]);
            await process.EndAsync();
            Assert.Equal(0, process.ExitCode);
        }

        await using (TestServer again = await TestServer.StartAsync("--directory", directory.Path))
        {
            Assert.True((await again.Entries.GetAsync(new V1.GetRequest { Key = Batches.Bytes("a") })).Found);
        }

        await using ServerProcess wrong = ServerProcess.Run(["--in-memory", "--PileServer:KeyBytesMax=0"]);
        await wrong.EndAsync();
        Assert.Equal((2, "PileServer:KeyBytesMax = 0 must lie between 1 and 15,360.\n'pile-server --help' lists the arguments."), (wrong.ExitCode, wrong.Errors.Trim()));
    }

    [Theory]
    [InlineData("TERM", "Now listening on")]
    [InlineData("TERM", "Serving; tables")]
    [InlineData("HUP", "Application started")]
    public async Task ASignalEndsItInOrderAlsoWhileItStarts(string signal, string line)
    {
        using var directory = new TemporaryDirectory();
        await using ServerProcess process = ServerProcess.Run(["--directory", directory.Path, "--memory-limit=128MiB", "--listen=http://127.0.0.1:0", "--health=http://127.0.0.1:0"]);
        await process.SaysAsync(line);
        using Process kill = Process.Start("kill", [$"-{signal}", $"{process.Id}"]);
        await process.EndAsync();
        Assert.True(process.ExitCode == 0 && process.Errors.Length == 0, $"{process.ExitCode}: {process.Log}");
    }
}
