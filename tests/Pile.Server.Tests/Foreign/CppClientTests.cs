using System;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using System.Threading;
using System.Threading.Tasks;
using Pile.Tests.Foreign;
using Xunit;

namespace Pile.Server.Tests.Foreign;

/// <summary>Debian's C++ gRPC, by what its protoc makes of the contract's own files.</summary>
[Trait("Category", "Foreign")]
public sealed class CppClientTests : IDisposable
{
    private const string PackagesHint = "Foreign: C++ gRPC is not there (Debian packages g++, pkg-config, libgrpc++-dev, libprotobuf-dev, protobuf-compiler-grpc).";

    // Some 15 seconds by itself: a machine on which much else runs takes its time.
    private static readonly TimeSpan _compileMost = TimeSpan.FromMinutes(5);
    private static readonly Lazy<Task<string>> _program = new(CompileAsync, LazyThreadSafetyMode.ExecutionAndPublication);

    private readonly ForeignServer _server = new();

    public void Dispose() => _server.Dispose();

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public async Task CppIsServed(int certificates)
    {
        foreach (string tool in new[] { "g++", "pkg-config", "protoc", "grpc_cpp_plugin" })
        {
            _ = ForeignProgram.Require(tool, PackagesHint);
        }

        ForeignProgram.RequireThat((await ForeignServer.RunAsync("pkg-config", ["--exists", "grpc++", "protobuf"])).Code == 0, PackagesHint);
        await _server.ServeAsync(certificates, await _program.Value, []);
    }

    // Compiled once for what goes into it: the name of the program is the hash of that.
    private static async Task<string> CompileAsync()
    {
        string source = ForeignServer.ProgramFile("client.cc");
        string folder = Path.Combine(AppContext.BaseDirectory, "cpp-client");
        string[] protos = [.. Directory.GetFiles(ForeignServer.Protos, "*.proto", SearchOption.AllDirectories).Order(StringComparer.Ordinal)];
        string program = Path.Combine(folder, "client-" + Convert.ToHexString(SHA256.HashData([.. new[] { source }.Concat(protos).SelectMany(File.ReadAllBytes)])));
        if (File.Exists(program))
        {
            return program;
        }

        _ = Directory.CreateDirectory(folder);
        string contract = Path.Combine(folder, "contract");
        ForeignServer.WriteContract(contract);
        string[] made = [$"--cpp_out={folder}", $"--grpc_out={folder}", $"--plugin=protoc-gen-grpc={ForeignProgram.Require("grpc_cpp_plugin", PackagesHint)}"];
        _ = await RunAsync("protoc", [$"-I{ForeignServer.Protos}", .. made, .. protos]);
        _ = await RunAsync("protoc", [$"--descriptor_set_in={contract}", .. made, "health.proto", "grpc/reflection/v1/reflection.proto", "grpc/reflection/v1alpha/reflection.proto"]);
        string libraries = await RunAsync("pkg-config", ["--cflags", "--libs", "grpc++", "protobuf"]);
        string temporary = program + ".new";
        string[] messages = [.. Directory.GetFiles(folder, "*.pb.cc", SearchOption.AllDirectories).Where(static file => !file.EndsWith(".grpc.pb.cc", StringComparison.Ordinal))];
        _ = await RunAsync("g++", ["-std=c++17", "-O0", "-pthread", $"-I{folder}", source, .. messages, "-o", temporary, .. libraries.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries)]);
        File.Move(temporary, program, overwrite: true);
        return program;
    }

    private static async Task<string> RunAsync(string program, string[] arguments)
    {
        (int code, string said, string errors) = await ForeignServer.RunAsync(_compileMost, program, arguments);
        Assert.True(code == 0, $"{program} {string.Join(' ', arguments)} ended with {code}: {said}{errors}");
        return said;
    }
}
