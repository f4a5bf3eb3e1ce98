// The settings that a client has in configuration. Pile.Hosting's reader reads them.
// Ranges are judged when the options are.
using System;
using System.Collections.Generic;
using Pile.Hosting;

namespace Pile.Client;

/// <summary>A client's section of the configuration.</summary>
internal static class ClientSettings
{
    /// <summary>The section of a client without a key.</summary>
    internal const string Section = "PileClient";

    /// <summary>The section with those of clients with keys. PileClients is the server's.</summary>
    internal const string KeyedSection = "PileConnections";

    /// <summary>All of them, in the order of the documents.</summary>
    internal static IReadOnlyList<PileSetting<PileClientOptions>> All { get; } =
    [
        PileSetting<PileClientOptions>.Text(nameof(PileClientOptions.Address), "an address", static (options, text) => options.Address = text),
        PileSetting<PileClientOptions>.Text(nameof(PileClientOptions.Token), "a token", static (options, text) => options.Token = text),
        PileSetting<PileClientOptions>.Switch(nameof(PileClientOptions.AllowsTokenInClear), static (options, value) => options.AllowsTokenInClear = value),
        PileSetting<PileClientOptions>.Text(nameof(PileClientTlsOptions.AuthorityFile), "a path", static (options, text) => options.Tls.AuthorityFile = text),
        PileSetting<PileClientOptions>.Text(nameof(PileClientTlsOptions.CertificateFile), "a path", static (options, text) => options.Tls.CertificateFile = text),
        PileSetting<PileClientOptions>.Text(nameof(PileClientTlsOptions.KeyFile), "a path", static (options, text) => options.Tls.KeyFile = text),
        PileSetting<PileClientOptions>.Text(nameof(PileClientTlsOptions.CertificatePassword), "a password", static (options, text) => options.Tls.CertificatePassword = text),
        PileSetting<PileClientOptions>.Text(nameof(PileClientTlsOptions.ServerName), "a name", static (options, text) => options.Tls.ServerName = text),
        PileSetting<PileClientOptions>.Duration(nameof(PileClientOptions.Deadline), static (options, value) => options.Deadline = value),
        PileSetting<PileClientOptions>.Duration(nameof(PileClientOptions.ConnectTimeout), static (options, value) => options.ConnectTimeout = value),
        PileSetting<PileClientOptions>.Duration(nameof(PileClientOptions.KeepAlive), static (options, value) => options.KeepAlive = value),
        Whole(nameof(PileClientOptions.RetriesMax), static (options, value) => options.RetriesMax = value),
        Whole(nameof(PileClientOptions.Connections), static (options, value) => options.Connections = value),
        PileSetting<PileClientOptions>.Switch(nameof(PileClientOptions.IsBatching), static (options, value) => options.IsBatching = value),
    ];

    // What does not fit into 32 bits is out of every range: as the nearest value it is refused with its path.
    private static PileSetting<PileClientOptions> Whole(string name, Action<PileClientOptions, int> apply) =>
        PileSetting<PileClientOptions>.Whole(name, "a whole number", (options, value) => apply(options, (int)long.Clamp(value, int.MinValue, int.MaxValue)));
}
