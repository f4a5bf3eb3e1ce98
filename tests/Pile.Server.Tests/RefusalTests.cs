using System;
using System.Collections.Generic;
using System.Security.Cryptography;
using System.Text;
using System.Threading.Tasks;
using Grpc.Core;
using Grpc.Core.Interceptors;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>Who may not change anything changes nothing, by whatever call.</summary>
public sealed class RefusalTests
{
    private static readonly Google.Protobuf.ByteString _key = Batches.Bytes("kept");

    [Fact]
    public async Task AReaderAndAWrongTokenAndNoTokenChangeNothing()
    {
        await using TestServer server = await TestServer.StartAsync([.. Client("reader", "Read"), .. Client("writer", "Read,Write")]);
        _ = await server.Entries.SetAsync(new V1.SetRequest { Key = _key, Value = Batches.Bytes("value"), Terms = new V1.EntryTerms { Tags = { "tag" } } }, Token("writer"));
        _ = await server.Tables.CreateAsync(new V1.CreateTableRequest { Table = "t" }, Token("writer"));
        V1.EntryVersion version = (await server.Entries.GetAsync(new V1.GetRequest { Key = _key, WantVersion = true }, Token("reader"))).Version;
        V1.SetBatch set = Batches.Set(1, ("kept", "other"));
        (StatusCode Code, Metadata? Headers)[] callers = [(StatusCode.PermissionDenied, Token("reader")), (StatusCode.Unauthenticated, Token("nobody")), (StatusCode.Unauthenticated, null)];
        foreach ((StatusCode code, Metadata? headers) in callers)
        {
            Func<Task>[] writes =
            [
                async () => await server.Entries.SetAsync(new V1.SetRequest { Key = _key }, headers),
                async () => await server.Entries.RemoveAsync(new V1.RemoveRequest { Key = _key }, headers),
                async () => await server.Entries.CompareAndSetAsync(new V1.CompareAndSetRequest { Key = _key, Version = version }, headers),
                async () => await server.Entries.CompareAndRemoveAsync(new V1.CompareAndRemoveRequest { Key = _key, Version = version }, headers),
                async () => await server.Entries.IncrementAsync(new V1.IncrementRequest { Key = Batches.Bytes("number"), By = 1 }, headers),
                async () => await server.Entries.SetManyAsync(set, headers),
                async () => await server.Entries.RemoveManyAsync(Batches.Remove(1, "kept"), headers),
                async () => await server.Entries.RemoveByTagAsync(new V1.RemoveByTagRequest { Tag = "tag" }, headers),
                async () => await server.Tables.CreateAsync(new V1.CreateTableRequest { Table = "new" }, headers),
                async () => await server.Tables.ClearAsync(new V1.ClearTableRequest(), headers),
                async () => await server.Tables.DropAsync(new V1.DropTableRequest { Table = "t" }, headers),
                async () => await new V1.Admin.AdminClient(server.Channel.Intercept(new CallDeadlines())).CompactAsync(new V1.CompactRequest(), headers),
                async () =>
                {
                    using AsyncDuplexStreamingCall<V1.BatchRequest, V1.BatchReply> stream = server.Entries.Batches(headers);
                    await Task.WhenAny(stream.RequestStream.WriteAsync(new V1.BatchRequest { Set = set })); // fails when the refusal is quicker
                    _ = await stream.ResponseStream.MoveNext(TestContext.Current.CancellationToken);
                },
                async () =>
                {
                    using AsyncClientStreamingCall<V1.SetLargeRequest, V1.SetReply> large = server.Entries.SetLarge(headers);
                    await Task.WhenAny(large.RequestStream.WriteAsync(new V1.SetLargeRequest { Head = new V1.SetLargeHead { Key = _key } }));
                    _ = await large;
                },
            ];
            foreach (Func<Task> write in writes)
            {
                _ = await Failure.OfAsync(code, write);
            }
        }

        Assert.Equal("value", (await server.Entries.GetAsync(new V1.GetRequest { Key = _key }, Token("reader"))).Value.ToStringUtf8());
        Assert.False((await server.Entries.GetAsync(new V1.GetRequest { Key = Batches.Bytes("number") }, Token("reader"))).Found);
        Assert.Equal(["default", "t"], (await server.Tables.ListAsync(new V1.ListTablesRequest(), Token("reader"))).Tables);
    }

    [Fact]
    public async Task AClientThatWasTakenOutIsRefusedAfterTheRestart()
    {
        using var directory = new TemporaryDirectory();
        string[] stays = ["--directory", directory.Path, .. Client("stays", "Read,Write")];
        await using (TestServer server = await TestServer.StartAsync([.. stays, .. Client("leaves", "Read,Write")]))
        {
            _ = await server.Tables.CreateAsync(new V1.CreateTableRequest { Table = "t", Options = new V1.TableOptions { Kind = V1.TableKind.Durable } }, Token("leaves"));
            _ = await server.Entries.SetAsync(new V1.SetRequest { Table = "t", Key = _key, Value = Batches.Bytes("value") }, Token("leaves"));
        }

        await using TestServer again = await TestServer.StartAsync(stays);
        _ = await Failure.OfAsync(StatusCode.Unauthenticated, async () => await again.Entries.GetAsync(new V1.GetRequest { Table = "t", Key = _key }, Token("leaves")));
        _ = await Failure.OfAsync(StatusCode.Unauthenticated, async () => await again.Entries.RemoveAsync(new V1.RemoveRequest { Table = "t", Key = _key }, Token("leaves")));
        Assert.Equal("value", (await again.Entries.GetAsync(new V1.GetRequest { Table = "t", Key = _key }, Token("stays"))).Value.ToStringUtf8());
    }

    private static Metadata Token(string client) => new() { { "authorization", $"Bearer {client}-token" } };

    private static IEnumerable<string> Client(string name, string access) =>
        [$"--PileClients:{name}:TokenSha256={Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes(name + "-token")))}", $"--PileClients:{name}:Access={access}"];
}
