// How client and server know each other. Files are read when the client is made.
// What is in force on the server is docs/PROTOCOL.md's to say.
using System.Security.Cryptography.X509Certificates;

namespace Pile.Client;

/// <summary>Options of TLS.</summary>
public sealed class PileClientTlsOptions
{
    /// <summary>A file of PEM with the authorities that may have signed the server's certificate. Null for those that this machine trusts.</summary>
    public string? AuthorityFile { get; set; }

    /// <summary>The client's own certificate, as a file of PEM or PFX. Null for none.</summary>
    public string? CertificateFile { get; set; }

    /// <summary>The key of <see cref="CertificateFile"/>, where that is PEM and has it not.</summary>
    public string? KeyFile { get; set; }

    /// <summary>The password of <see cref="CertificateFile"/>, where that is PFX, or of its key, where that is PEM; null where it has none.</summary>
    public string? CertificatePassword { get; set; }

    /// <summary>The client's own certificate, with its key; counts before <see cref="CertificateFile"/>. It stays the caller's.</summary>
    public X509Certificate2? Certificate { get; set; }

    /// <summary>The name that the server's certificate must have, where it is not the address's.</summary>
    public string? ServerName { get; set; }
}
