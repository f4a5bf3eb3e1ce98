using System;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using System.Text;
using System.Threading.Tasks;
using Pile.Server.Tests.Docs;
using Pile.Tests.Durability;
using Pile.Tests.Foreign;
using Xunit;

namespace Pile.Server.Tests.Foreign;

/// <summary>The first steps of docs/SERVER.md, as they stand there.</summary>
[Trait("Category", "Foreign")]
public sealed class FirstClientTests
{
    [Fact]
    public async Task TheFirstClientOfTheDocumentGetsWhatItHasSet()
    {
        string node = ForeignProgram.Require("node", "nodejs");
        string? modules = NodeClientTests.NodeModules();
        ForeignProgram.RequireThat(modules is not null, "Foreign: npm's @grpc/grpc-js is not in artifacts/foreign; .ci/run installs it there.");
        using var folder = new TemporaryDirectory();
        _ = Directory.CreateDirectory(folder.Path);
        await using TestServer server = await TestServer.StartAsync();
        string script = Path.Combine(folder.Path, "hello.js");
        string text = ServerDocument.Block("js");
        Assert.Contains("127.0.0.1:7171", text, StringComparison.Ordinal);
        await File.WriteAllTextAsync(script, text.Replace("127.0.0.1:7171", new Uri(server.Address).Authority, StringComparison.Ordinal)
            .Replace("\"protos\"", $"\"{ForeignServer.Protos}\"", StringComparison.Ordinal), TestContext.Current.CancellationToken);

        (int code, string said, string errors) = await ForeignServer.RunAsync(node, [script], ("NODE_PATH", modules!));

        Assert.True((code, said) == (0, "hello\n"), $"{code}: {said}{errors}");
        Assert.Equal("hello", (await server.Entries.GetAsync(new V1.GetRequest { Key = Batches.Bytes("greeting") })).Value.ToStringUtf8());
    }

    [Fact]
    public async Task TheHashOfTheDocumentIsTheHashThatTheServerCompares()
    {
        string shell = ForeignProgram.Require("sh", "dash");
        string command = ServerDocument.Lines.Single(static line => line.Contains("sha256sum", StringComparison.Ordinal));
        (int code, string said, string errors) = await ForeignServer.RunAsync(shell, ["-c", "token=abc; " + command]);
        Assert.True(code == 0, errors);
        Assert.StartsWith(Convert.ToHexStringLower(SHA256.HashData(Encoding.UTF8.GetBytes("abc"))), said, StringComparison.Ordinal);
    }
}
