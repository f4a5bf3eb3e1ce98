// Where the program listens, and by which certificates. A host that maps the server itself has its own words for this.
// Read once, when the program starts; the certificates' files are looked at again while it runs.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using Microsoft.Extensions.Configuration;
using Pile.Hosting;

namespace Pile.Server.Running;

/// <summary>The section <c>PileListen</c> of the configuration.</summary>
internal sealed class ListenOptions : IConfiguredOptions
{
    internal const string Section = "PileListen";

    private long? _connectionsMax;

    /// <summary>Addresses with semicolons between them: http://host:port, https://host:port, unix:path.</summary>
    internal string Addresses { get; set; } = "http://127.0.0.1:7171";

    /// <summary>Addresses that answer for the server's health alone, while it recovers too; empty: none.</summary>
    internal string HealthAddresses { get; set; } = "";

    /// <summary>Whether addresses that are not loopback may be in the clear.</summary>
    internal bool Insecure { get; set; }

    /// <summary>A file of PEM, or of PKCS #12 (.pfx, .p12), with the server's certificate and those above it.</summary>
    internal string? Certificate { get; set; }

    /// <summary>A file of PEM with the key, where it is not in that of the certificate.</summary>
    internal string? CertificateKey { get; set; }

    /// <summary>The password of the key.</summary>
    internal string? CertificatePassword { get; set; }

    /// <summary>A file of PEM with the certificates of those who sign clients' certificates; null: clients are not asked for one.</summary>
    internal string? ClientAuthority { get; set; }

    /// <summary>Whether clients without a certificate are refused.</summary>
    internal bool ClientCertificateRequired { get; set; } = true;

    /// <summary>Calls at once on a connection.</summary>
    internal long StreamsPerConnectionMax { get; set; } = ServerLimits.StreamsDefault;

    /// <summary>Connections at once at each address; unless set by what the GC heap may have.</summary>
    internal long ConnectionsMax
    {
        get => _connectionsMax ?? ConnectionsUnset(GC.GetGCMemoryInfo().TotalAvailableMemoryBytes);
        set => _connectionsMax = value;
    }

    /// <summary>At how many addresses it listens, those of its health among them.</summary>
    internal int AddressesCount { get; private set; } = 1;

    public List<string> Problems { get; } = [];

    internal static IReadOnlyList<PileSetting<ListenOptions>> Settings { get; } =
    [
        PileSetting<ListenOptions>.Text(nameof(Addresses), "addresses with semicolons between them", static (options, text) => options.Addresses = text),
        PileSetting<ListenOptions>.Text(nameof(HealthAddresses), "addresses with semicolons between them", static (options, text) => options.HealthAddresses = text),
        PileSetting<ListenOptions>.Switch(nameof(Insecure), static (options, value) => options.Insecure = value),
        PileSetting<ListenOptions>.Text(nameof(Certificate), "a path", static (options, text) => options.Certificate = text),
        PileSetting<ListenOptions>.Text(nameof(CertificateKey), "a path", static (options, text) => options.CertificateKey = text),
        PileSetting<ListenOptions>.Text(nameof(CertificatePassword), "a password", static (options, text) => options.CertificatePassword = text),
        PileSetting<ListenOptions>.Text(nameof(ClientAuthority), "a path", static (options, text) => options.ClientAuthority = text),
        PileSetting<ListenOptions>.Switch(nameof(ClientCertificateRequired), static (options, value) => options.ClientCertificateRequired = value),
        PileSetting<ListenOptions>.Whole(nameof(StreamsPerConnectionMax), "a whole number", static (options, value) => options.StreamsPerConnectionMax = value),
        PileSetting<ListenOptions>.Whole(nameof(ConnectionsMax), "a whole number", static (options, value) => options.ConnectionsMax = value),
    ];

    /// <summary>Reads and judges the section.</summary>
    /// <returns>The addresses of the server, and those of its health alone; none where there are problems.</returns>
    internal static (ListenOptions Options, ListenAddress[] Addresses, ListenAddress[] HealthAddresses) Read(IConfiguration configuration)
    {
        var options = new ListenOptions();
        SettingReader.Read(configuration.GetSection(Section), options, "listener", Settings);
        options.Range(nameof(StreamsPerConnectionMax), options.StreamsPerConnectionMax, 1, 1 << 20);
        options.Range(nameof(ConnectionsMax), options.ConnectionsMax, 1, 1 << 20);
        ListenAddress[] addresses = options.Parse(nameof(Addresses), options.Addresses);
        ListenAddress[] healthAddresses = options.Parse(nameof(HealthAddresses), options.HealthAddresses);
        options.AddressesCount = addresses.Length + healthAddresses.Length;
        options.RefuseShared([.. addresses.Select(static address => (nameof(Addresses), address)), .. healthAddresses.Select(static address => (nameof(HealthAddresses), address))]);
        if (addresses.Length == 0 && options.Problems.Count == 0)
        {
            options.Problems.Add($"{Section}:{nameof(Addresses)} is empty: the program would listen nowhere.");
        }

        if (options.Certificate is null && (options.CertificateKey ?? options.CertificatePassword ?? options.ClientAuthority) is not null)
        {
            options.Problems.Add($"{Section}:{nameof(Certificate)} is missing, and settings beside it are there.");
        }

        return (options, addresses, healthAddresses);
    }

    /// <summary>Connections at once at each address for a GC heap that may have so many bytes.</summary>
    internal static long ConnectionsUnset(long heapBytes) =>
        long.Clamp(heapBytes / ServerLimits.HeapBytesForConnection, ServerLimits.ConnectionsMin, ServerLimits.ConnectionsDefault);

    private ListenAddress[] Parse(string name, string text)
    {
        List<ListenAddress> addresses = [];
        foreach (string part in text.Split(';', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries))
        {
            if (ListenAddress.Parse(part) is { } address)
            {
                addresses.Add(address);
                Judge(name, address);
            }
            else
            {
                Problems.Add($"{Section}:{name} = '{part}' is no address: write http://127.0.0.1:7171, https://0.0.0.0:7171 or unix:/run/pile.sock.");
            }
        }

        return [.. addresses];
    }

    private void RefuseShared((string Name, ListenAddress Address)[] all)
    {
        for (int index = 1; index < all.Length; index++)
        {
            (string name, ListenAddress address) = all[index];
            (string otherName, ListenAddress? other) = Array.Find(all[..index], before => before.Address.Covers(address));
            if (other is not null)
            {
                Problems.Add($"{Section}:{name} = '{address.Text}' is taken by {Section}:{otherName} = '{other.Text}': give each a port, or a socket, of its own.");
            }
        }
    }

    private void Judge(string name, ListenAddress address)
    {
        if (address.SocketPath is { } path && Encoding.UTF8.GetByteCount(path) > ServerLimits.SocketPathBytesMax)
        {
            Problems.Add($"{Section}:{name}: a socket's path has at most {ServerLimits.SocketPathBytesMax} bytes, and '{path}' has {Encoding.UTF8.GetByteCount(path)}.");
        }

        if (address.IsSecure && Certificate is null)
        {
            Problems.Add($"{Section}:{nameof(Certificate)} is missing, and '{address.Text}' needs one: a file of PEM or PFX.");
        }
        else if (!address.IsSecure && !address.IsLocal && !Insecure)
        {
            Problems.Add($"{Section}:{name} = '{address.Text}' is not this machine alone, and in the clear. Use https and {Section}:{nameof(Certificate)}, or set {Section}:{nameof(Insecure)} (--insecure) where the network itself is safe.");
        }
    }

    private void Range(string name, long value, long min, long max)
    {
        if (value < min || value > max)
        {
            Problems.Add($"{Section}:{name} = {value:N0} must lie between {min:N0} and {max:N0}.");
        }
    }
}
