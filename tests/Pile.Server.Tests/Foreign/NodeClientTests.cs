using System;
using System.IO;
using System.Threading.Tasks;
using Pile.Tests.Foreign;
using Xunit;

namespace Pile.Server.Tests.Foreign;

/// <summary>npm's @grpc/grpc-js, by the contract's own files.</summary>
[Trait("Category", "Foreign")]
public sealed class NodeClientTests : IDisposable
{
    private readonly ForeignServer _server = new();

    public void Dispose() => _server.Dispose();

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public async Task NodeIsServed(int certificates)
    {
        string program = ForeignProgram.Require("node", "nodejs");
        string? modules = NodeModules();
        ForeignProgram.RequireThat(modules is not null, "Foreign: npm's @grpc/grpc-js is not in artifacts/foreign; .ci/run installs it there.");
        string contract = Path.Combine(_server.Folder, "contract");
        ForeignServer.WriteContract(contract);
        await _server.ServeAsync(certificates, program, [ForeignServer.ProgramFile("client.js"), ForeignServer.Protos, contract], ("NODE_PATH", modules!));
    }

    internal static string? NodeModules()
    {
        for (DirectoryInfo? folder = new(AppContext.BaseDirectory); folder is not null; folder = folder.Parent)
        {
            string modules = Path.Combine(folder.FullName, "artifacts", "foreign", "node_modules");
            if (Directory.Exists(Path.Combine(modules, "@grpc", "grpc-js")) && Directory.Exists(Path.Combine(modules, "@grpc", "proto-loader")))
            {
                return modules;
            }
        }

        return null;
    }
}
