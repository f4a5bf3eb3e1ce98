using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Net.Client;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>A server that is killed while clients change their keys, and started again, many times over.</summary>
public sealed class KillTests
{
    private const int Rounds = 20;
    private const int Clients = 4;
    private const int ChangesOfARound = 150;
    private const int Seed = 20261124;

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    [Fact]
    public async Task WhatWasAcknowledgedOutlivesKillsAndNoValueIsWrong()
    {
        using var directory = new TemporaryDirectory();
        string[] arguments = ["--directory", directory.Path, "--memory-limit=128MiB", "--listen=http://127.0.0.1:0", "--PileServer:AnonymousAccess=Read,Write,Admin"];
        AcknowledgedKeys[] clients = [.. Enumerable.Range(0, Clients).Select(static client => new AcknowledgedKeys("t", client, Seed + client))];
        for (int round = 0; round < Rounds; round++)
        {
            await using ServerProcess server = await ServerProcess.StartAsync(arguments);
            using GrpcChannel channel = GrpcChannel.ForAddress(server.Address);
            V1.Entries.EntriesClient entries = new(channel);
            V1.CreateTableReply created = await new V1.Tables.TablesClient(channel).CreateAsync(
                new V1.CreateTableRequest { Table = "t", Options = new V1.TableOptions { Kind = V1.TableKind.Durable } }, deadline: TimeProvider.System.GetUtcNow().UtcDateTime.AddMinutes(1));
            Assert.Equal(round == 0, created.Created);
            await CheckAsync(clients, entries);

            using var enough = new SemaphoreSlim(0);
            Task[] changes = [.. clients.Select(client => client.ChangeAsync(entries, () => enough.Release()))];
            for (int change = 0; change < ChangesOfARound; change++)
            {
                Assert.True(await enough.WaitAsync(TimeSpan.FromMinutes(1), Cancel), $"no change was acknowledged for a minute: {server.Log}");
            }

            await server.KillAsync();
            await Task.WhenAll(changes).WaitAsync(TimeSpan.FromMinutes(1), Cancel);
        }

        await using ServerProcess last = await ServerProcess.StartAsync(arguments);
        using GrpcChannel end = GrpcChannel.ForAddress(last.Address);
        await CheckAsync(clients, new V1.Entries.EntriesClient(end));
        V1.VerifyReply verified = await new V1.Admin.AdminClient(end).VerifyAsync(new V1.VerifyRequest(), deadline: TimeProvider.System.GetUtcNow().UtcDateTime.AddMinutes(1));
        Assert.True(verified.IsGood, string.Join('\n', verified.Findings));
    }

    private static Task CheckAsync(IEnumerable<AcknowledgedKeys> clients, V1.Entries.EntriesClient entries) => Task.WhenAll(clients.Select(client => client.CheckAsync(entries)));
}
