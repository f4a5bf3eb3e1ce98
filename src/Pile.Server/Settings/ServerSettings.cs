// The settings of the sections "PileServer", "PileClients" and "PileJwt". Pile.Hosting's reader reads them.
// Ranges are ServerOptionsValidator's.
using System;
using System.Collections.Generic;
using Microsoft.Extensions.Configuration;
using Pile.Hosting;

namespace Pile.Server.Settings;

/// <summary>The server's sections of the configuration.</summary>
internal static class ServerSettings
{
    internal const string Section = "PileServer";

    internal const string ClientsSection = "PileClients";

    internal const string JwtSection = "PileJwt";

    /// <summary>All of them, in the order of the documents.</summary>
    internal static IReadOnlyList<PileSetting<PileServerOptions>> All { get; } =
    [
        new(nameof(PileServerOptions.AnonymousAccess), PileServerClient.AccessForm, ["string"], [], static (options, text) =>
        {
            bool isRead = PileServerClient.TryReadAccess(text, out PileServerAccess access);
            options.AnonymousAccess = access;
            return isRead;
        }),
        Size(nameof(PileServerOptions.MessageBytesMax), static (options, value) => options.MessageBytesMax = value),
        Size(nameof(PileServerOptions.KeyBytesMax), static (options, value) => options.KeyBytesMax = value),
        Size(nameof(PileServerOptions.ValueBytesMax), static (options, value) => options.ValueBytesMax = value),
        Whole(nameof(PileServerOptions.BatchItemsMax), "a whole number", static (options, value) => options.BatchItemsMax = value),
        Whole(nameof(PileServerOptions.TablesMax), "a whole number", static (options, value) => options.TablesMax = value),
        PileSetting<PileServerOptions>.Size(nameof(PileServerOptions.ReceiveBudgetBytes), static (options, value) => options.ReceiveBudgetBytes = value),
        PileSetting<PileServerOptions>.Size(nameof(PileServerOptions.ReplyBudgetBytes), static (options, value) => options.ReplyBudgetBytes = value),
        Whole(nameof(PileServerOptions.CallsPerSecondMax), "a whole number", static (options, value) => options.CallsPerSecondMax = value),
        PileSetting<PileServerOptions>.Duration(nameof(PileServerOptions.SlowCall), static (options, value) => options.SlowCall = value),
        PileSetting<PileServerOptions>.Text(nameof(PileServerOptions.CopyDirectory), "a path", static (options, text) => options.CopyDirectory = text),
    ];

    /// <summary>Reads the sections.</summary>
    internal static void Read(IConfiguration configuration, PileServerOptions options)
    {
        SettingReader.Read(configuration.GetSection(Section), options, "server", All);
        SettingReader.Read(configuration.GetSection(JwtSection), options.Jwt, "check of tokens", PileServerJwt.Settings);
        IConfigurationSection clients = configuration.GetSection(ClientsSection);
        if (clients.Value is { Length: > 0 } text)
        {
            options.Problems.Add($"{clients.Path} = '{text}' is a value: a section of clients by their names belongs there.");
        }

        foreach (IConfigurationSection section in clients.GetChildren())
        {
            var client = new PileServerClient();
            SettingReader.Read(section, client, "client", PileServerClient.Settings);
            options.Problems.AddRange(client.Problems);
            options.Clients[section.Key] = client;
        }
    }

    // What does not fit into 32 bits is out of every range: as the nearest value it is refused with its path.
    private static PileSetting<PileServerOptions> Whole(string name, string form, Action<PileServerOptions, int> apply) =>
        PileSetting<PileServerOptions>.Whole(name, form, (options, value) => apply(options, (int)long.Clamp(value, int.MinValue, int.MaxValue)));

    private static PileSetting<PileServerOptions> Size(string name, Action<PileServerOptions, int> apply) =>
        PileSetting<PileServerOptions>.Size(name, (options, bytes) => apply(options, (int)long.Clamp(bytes, int.MinValue, int.MaxValue)));
}
