// The sections of the program's configuration. Whatever else stands in its file or its arguments ends the start: a misspelt section of clients would
// be a server that everybody may use. The environment has settings of others too: of it, only what begins as a section of Pile's is looked at.
using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;
using Pile.Server.Settings;

namespace Pile.Server.Running;

/// <summary>The sections that there are.</summary>
internal static class Sections
{
    /// <summary>How the names of Pile's begin.</summary>
    internal const string Prefix = "Pile";

    // By which a file names what editors check it with.
    private const string Schema = "$schema";

    private static readonly string[] _known = ["PileCache", ServerSettings.Section, ServerSettings.ClientsSection, ServerSettings.JwtSection, ListenOptions.Section, TelemetryOptions.Section, "Logging"];

    /// <summary>Refuses what is none of them.</summary>
    /// <param name="paths">Paths of settings, or of sections.</param>
    /// <exception cref="OptionsValidationException">Some are in none.</exception>
    internal static void RefuseUnknown(IEnumerable<string> paths)
    {
        string[] unknown = [.. paths.Select(static path => path.Split(':')[0]).Except([.. _known, Schema], StringComparer.OrdinalIgnoreCase)];
        if (unknown.Length > 0)
        {
            throw new OptionsValidationException("arguments", typeof(Sections), unknown.Select(static section => $"{section} is no section of the configuration. There are {string.Join(", ", _known)}, and settings stand within these."));
        }
    }

    /// <summary>Refuses misspelt ones of Pile's, wherever they come from. Variables of the environment are there once more with their prefix.</summary>
    /// <exception cref="OptionsValidationException">There are some.</exception>
    internal static void RefuseMisspelt(IConfiguration configuration, string environmentPrefix) => RefuseUnknown(configuration.GetChildren()
        .Where(section => section.Value is null && section.Key.StartsWith(Prefix, StringComparison.OrdinalIgnoreCase) && !section.Key.StartsWith(environmentPrefix, StringComparison.OrdinalIgnoreCase))
        .Select(static section => section.Key));
}
