using System;
using System.Buffers.Binary;
using System.Diagnostics;
using System.IO;
using System.Security.Cryptography.X509Certificates;
using System.Threading;
using System.Threading.Tasks;
using Google.Protobuf.Reflection;
using Pile.Tests.Foreign;
using Xunit;

namespace Pile.Server.Tests.Foreign;

/// <summary>gRPC clients that are not ours, in the clear, by TLS and by mutual TLS.</summary>
[Trait("Category", "Foreign")]
public sealed class ForeignClientTests : IDisposable
{
    private static readonly TimeSpan _longest = TimeSpan.FromMinutes(2);

    private readonly TestCertificates _certificates = new();

    private static CancellationToken Cancel => TestContext.Current.CancellationToken;

    public void Dispose() => _certificates.Dispose();

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public async Task NodeIsServed(int certificates)
    {
        string program = ForeignProgram.Require("node", "nodejs");
        string? modules = NodeModules();
        ForeignProgram.RequireThat(modules is not null, "Foreign: npm's @grpc/grpc-js is not in artifacts/foreign; .ci/run installs it there.");
        await ServeAsync(certificates, program, "client.js", Path.Combine(AppContext.BaseDirectory, "protos"), modules);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(2)]
    public async Task PythonIsServed(int certificates)
    {
        // Debian's own python, which another one on the path may hide, is the one that its packages are for.
        string program = File.Exists("/usr/bin/python3") ? "/usr/bin/python3" : ForeignProgram.Require("python3", "python3");
        ForeignProgram.RequireThat((await RunAsync(program, null, "-c", "import grpc, google.protobuf")).Code == 0, "Foreign: python3 has no module grpc (Debian packages python3-grpcio and python3-protobuf).");
        string contract = Path.Combine(_certificates.Folder, "contract");
        await using (FileStream stream = File.Create(contract))
        {
            foreach (FileDescriptor file in new[] { V1.StatusReflection.Descriptor, V1.EntriesReflection.Descriptor, V1.TablesReflection.Descriptor })
            {
                byte[] length = new byte[sizeof(int)];
                BinaryPrimitives.WriteInt32BigEndian(length, file.SerializedData.Length);
                await stream.WriteAsync(length, Cancel);
                await stream.WriteAsync(file.SerializedData.Memory, Cancel);
            }
        }

        await ServeAsync(certificates, program, "client.py", contract, null);
    }

    private async Task ServeAsync(int certificates, string program, string script, string contract, string? nodeModules)
    {
        using X509Certificate2 certificate = _certificates.Sign("server", isServer: true);
        using X509Certificate2 client = _certificates.Sign("client", isServer: false);
        (string pem, string key) = _certificates.Pem(certificate, "server");
        (string clientPem, string clientKey) = _certificates.Pem(client, "client");
        string authority = _certificates.AuthorityFile;
        string[] arguments = certificates switch
        {
            0 => [],
            1 => ["--listen=https://127.0.0.1:0", "--certificate", pem, "--key", key],
            _ => ["--listen=https://127.0.0.1:0", "--certificate", pem, "--key", key, "--client-authority", authority],
        };
        string[] trusted = certificates switch { 0 => [], 1 => [authority], _ => [authority, clientPem, clientKey] };
        await using TestServer server = await TestServer.StartAsync(["--memory-limit=268435456", .. arguments]);
        string address = new Uri(server.Address).Authority;

        (int code, string said, string errors) = await RunAsync(program, nodeModules, [Path.Combine(AppContext.BaseDirectory, "Foreign", "Programs", script), address, contract, .. trusted]);
        Assert.True((code, said.Trim()) == (0, "ok"), $"{code}: {said}{errors}");
    }

    internal static async Task<(int Code, string Said, string Errors)> RunAsync(string program, string? nodeModules, params string[] arguments)
    {
        var start = new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true, RedirectStandardError = true };
        if (nodeModules is not null)
        {
            start.Environment["NODE_PATH"] = nodeModules;
        }

        using Process process = Process.Start(start)!;
        using var ends = CancellationTokenSource.CreateLinkedTokenSource(Cancel);
        ends.CancelAfter(_longest);
        using CancellationTokenRegistration kill = ends.Token.Register(() => process.Kill(entireProcessTree: true));
        Task<string> errors = process.StandardError.ReadToEndAsync(Cancel);
        string said = await process.StandardOutput.ReadToEndAsync(Cancel);
        await process.WaitForExitAsync(Cancel);
        Assert.False(ends.IsCancellationRequested, $"{program} {string.Join(' ', arguments)} did not end within {_longest.TotalSeconds:N0} s. It said: {said}{await errors}");
        return (process.ExitCode, said, await errors);
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
