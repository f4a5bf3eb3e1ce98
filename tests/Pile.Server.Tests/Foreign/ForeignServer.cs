using System;
using System.Collections.Generic;
using System.IO;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Threading.Tasks;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using Pile.Tests.Foreign;
using Xunit;

namespace Pile.Server.Tests.Foreign;

/// <summary>A server for a client that is a program of its own: in the clear, by TLS, or by mutual TLS.</summary>
internal sealed class ForeignServer : IDisposable
{
    /// <summary>The token of the one client that may call Admin; all others read and write.</summary>
    internal const string AdminToken = "foreign-admin-token";

    // Longer than any deadline within the programs: one that hangs is told by its own message.
    private static readonly TimeSpan _programMost = TimeSpan.FromSeconds(100);
    private readonly TestCertificates _certificates = new();

    internal string Folder => _certificates.Folder;

    /// <summary>The folder of the contract's .proto files.</summary>
    internal static string Protos => Path.Combine(AppContext.BaseDirectory, "protos");

    public void Dispose() => _certificates.Dispose();

    internal static string ProgramFile(string name) => Path.Combine(AppContext.BaseDirectory, "Foreign", "Programs", name);

    /// <summary>Writes the contract as protoc writes it: the server's own services, health, and both reflections.</summary>
    internal static void WriteContract(string path)
    {
        FileDescriptor[] files =
        [
            V1.StatusReflection.Descriptor, V1.EntriesReflection.Descriptor, V1.TablesReflection.Descriptor, V1.AdminReflection.Descriptor,
            Grpc.Health.V1.HealthReflection.Descriptor, Grpc.Reflection.V1.ReflectionReflection.Descriptor, Grpc.Reflection.V1Alpha.ReflectionReflection.Descriptor,
        ];
        var contract = new FileDescriptorSet();
        foreach (FileDescriptor file in files)
        {
            contract.File.Add(FileDescriptorProto.Parser.ParseFrom(file.SerializedData));
        }

        File.WriteAllBytes(path, contract.ToByteArray());
    }

    /// <summary>Starts a server and runs a program against it, which must say "ok".</summary>
    /// <param name="certificates">0 in the clear, 1 TLS, 2 mutual TLS.</param>
    /// <param name="program">The program.</param>
    /// <param name="first">Its arguments before the address, the admin's token, and the files of certificates.</param>
    /// <param name="environment">Variables of the program's environment.</param>
    internal async Task ServeAsync(int certificates, string program, IEnumerable<string> first, params (string Name, string Value)[] environment)
    {
        using X509Certificate2 certificate = _certificates.Sign("server", isServer: true);
        using X509Certificate2 client = _certificates.Sign("client", isServer: false);
        (string pem, string key) = _certificates.Pem(certificate, "server");
        (string clientPem, string clientKey) = _certificates.Pem(client, "client");
        string authority = _certificates.AuthorityFile;
        string[] listen = certificates switch
        {
            0 => [],
            1 => ["--listen=https://127.0.0.1:0", "--certificate", pem, "--key", key],
            _ => ["--listen=https://127.0.0.1:0", "--certificate", pem, "--key", key, "--client-authority", authority],
        };
        string[] trusted = certificates switch { 0 => [], 1 => [authority], _ => [authority, clientPem, clientKey] };
        await using TestServer server = await TestServer.StartAsync(
        [
            "--memory-limit=268435456", "--directory", Path.Combine(Folder, "pile"), "--PileServer:CopyDirectory", Folder, "--PileServer:AnonymousAccess=Read,Write",
            $"--PileClients:admin:TokenSha256={Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes(AdminToken)))}", "--PileClients:admin:Access=Admin", .. listen,
        ]);

        (int code, string said, string errors) = await RunAsync(program, [.. first, new Uri(server.Address).Authority, AdminToken, .. trusted], environment);
        Assert.True((code, said.Trim()) == (0, "ok"), $"{program} ended with {code}: {said}{errors}");
    }

    /// <summary>Runs a program to its end.</summary>
    internal static Task<(int Code, string Said, string Errors)> RunAsync(string program, IEnumerable<string> arguments, params (string Name, string Value)[] environment) =>
        RunAsync(_programMost, program, arguments, environment);

    /// <summary>Runs a program to its end, which may take as long as is said.</summary>
    internal static Task<(int Code, string Said, string Errors)> RunAsync(TimeSpan most, string program, IEnumerable<string> arguments, params (string Name, string Value)[] environment) =>
        ForeignProgram.RunAsync(most, program, arguments, environment);
}
