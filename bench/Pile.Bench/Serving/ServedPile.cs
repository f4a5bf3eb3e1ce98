using System;
using System.Globalization;
using System.IO;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Pile.Bench.Serving;

/// <summary>The cache server as a stranger starts it, with entries in it, in the clear and by TLS.</summary>
internal sealed class ServedPile : IDisposable
{
    internal const int ValueBytes = 100;
    private const string Project = "src/Pile.Server";
    private const string Tools = "bench/Pile.ServerBench";
    private readonly Pinned _server;

    private ServedPile(int port, int securePort, Pinned server) => (Port, SecurePort, _server) = (port, securePort, server);

    internal int Port { get; }

    internal int SecurePort { get; }

    internal string Address => AddressOf(Port, "http");

    internal string SecureAddress => AddressOf(SecurePort, "https");

    internal double CpuSeconds => _server.CpuSeconds;

    /// <summary>Starts one in memory, and stores the entries.</summary>
    internal static ServedPile InMemory(int keys, string folder)
    {
        (int port, int secure) = (Pinned.FreePort(), Pinned.FreePort());
        Certificate(folder);
        Pinned server = Pinned.Ours(
            Pinned.ServerCore, Project, "--in-memory", "--memory-limit", "2GiB", "--listen", $"{AddressOf(port, "http")};{AddressOf(secure, "https")}",
            "--certificate", Path.Combine(folder, "server.pem"), "--key", Path.Combine(folder, "server.key"));
        var served = new ServedPile(port, secure, server.Listening(port));
        Fill(served.Address, keys);
        return served;
    }

    /// <summary>Starts one on a directory, and returns at once.</summary>
    internal static Pinned InFiles(int port, string directory) =>
        Pinned.Ours(Pinned.ServerCore, Project, "--directory", directory, "--memory-limit", "4GiB", "--listen", AddressOf(port, "http"));

    /// <summary>Stores entries of 100 bytes under all keys.</summary>
    internal static void Fill(string address, int keys)
    {
        using Pinned fill = Client("load", address, "fill", "--keys", keys.ToString(CultureInfo.InvariantCulture));
        _ = fill.End();
    }

    /// <summary>A process of bench/Pile.ServerBench on the clients' core.</summary>
    internal static Pinned Client(params string[] arguments) => Pinned.Ours(Pinned.ClientCore, Tools, arguments);

    /// <summary>A process of bench/Pile.ServerBench on the servers' core.</summary>
    internal static Pinned Server(params string[] arguments) => Pinned.Ours(Pinned.ServerCore, Tools, arguments);

    internal static string AddressOf(int port, string scheme) => string.Create(CultureInfo.InvariantCulture, $"{scheme}://127.0.0.1:{port}");

    public void Dispose() => _server.Dispose();

    private static void Certificate(string folder)
    {
        using var key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        var request = new CertificateRequest("CN=localhost", key, HashAlgorithmName.SHA256);
        DateTimeOffset now = TimeProvider.System.GetUtcNow();
        using X509Certificate2 certificate = request.CreateSelfSigned(now.AddDays(-1), now.AddDays(2));
        File.WriteAllText(Path.Combine(folder, "server.pem"), certificate.ExportCertificatePem());
        File.WriteAllText(Path.Combine(folder, "server.key"), key.ExportPkcs8PrivateKeyPem());
    }
}
