using System;
using System.IO;
using System.Threading.Tasks;
using Pile.Tests.Foreign;
using Xunit;

namespace Pile.Server.Tests.Foreign;

/// <summary>Debian's python3-grpcio, by the contract's descriptors.</summary>
[Trait("Category", "Foreign")]
public sealed class PythonClientTests : IDisposable
{
    private readonly ForeignServer _server = new();

    public void Dispose() => _server.Dispose();

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public async Task PythonIsServed(int certificates)
    {
        // Debian's own python, which another one on the path may hide, is the one that its packages are for.
        string program = File.Exists("/usr/bin/python3") ? "/usr/bin/python3" : ForeignProgram.Require("python3", "python3");
        ForeignProgram.RequireThat(
            (await ForeignServer.RunAsync(program, ["-c", "import grpc, google.protobuf"])).Code == 0, "Foreign: python3 has no module grpc (Debian packages python3-grpcio and python3-protobuf).");
        string contract = Path.Combine(_server.Folder, "contract");
        ForeignServer.WriteContract(contract);
        await _server.ServeAsync(certificates, program, [ForeignServer.ProgramFile("client.py"), contract]);
    }
}
