// The sections of the program's configuration. Whatever else stands in its file or its arguments ends the start: a misspelt section of clients would
// be a server that everybody may use. The environment has settings of others too: of it, what has the program's prefix and a section is looked at,
// and what begins as a section of Pile's; not the sections of Pile's libraries, nor the variables that Kubernetes sets for a Service.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.RegularExpressions;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;
using Pile.Server.Settings;

namespace Pile.Server.Running;

/// <summary>The sections that there are.</summary>
internal static partial class Sections
{
    // How the names of Pile's begin.
    private const string Prefix = "Pile";

    // By which a file names what editors check it with.
    private const string Schema = "$schema";

    private static readonly string[] _known = ["PileCache", ServerSettings.Section, ServerSettings.ClientsSection, ServerSettings.JwtSection, ListenOptions.Section, TelemetryOptions.Section, "Logging"];

    // Of an application that shares its environment: what Pile's libraries read there, and what near caches are called after. The first have settings
    // and nothing deeper: with a name between, the section of the client is the misspelt one of clients.
    private static readonly string[] _flatOfOthers = ["Pile", "PileClient", "PileNear"];
    private static readonly string[] _keyedOfOthers = ["Piles", "PileCaches", "PileConnections"];

    /// <summary>Refuses what is in none of them, of the file and the arguments.</summary>
    /// <param name="paths">Paths of settings, or of sections.</param>
    /// <exception cref="OptionsValidationException">Some are in none.</exception>
    internal static void RefuseUnknown(IEnumerable<string> paths) => Refuse(paths.Where(static path => !IsKnown(path)).Select(SectionOf));

    /// <summary>Refuses variables that are in none. One without a section may be another program's, such as the token of the command; not one with the
    /// name of a section of Pile's.</summary>
    /// <param name="prefix">That of the program's own.</param>
    /// <param name="names">Of all variables.</param>
    /// <exception cref="OptionsValidationException">Some are in none.</exception>
    internal static void RefuseVariables(string prefix, IEnumerable<string> names) => Refuse(names
        .Where(static name => !ServiceLink().IsMatch(name))
        .Select(name => (Name: name, IsOwn: name.StartsWith(prefix, StringComparison.OrdinalIgnoreCase)))
        .Select(variable => (variable.Name, variable.IsOwn, Path: (variable.IsOwn ? variable.Name[prefix.Length..] : variable.Name).Replace("__", ":", StringComparison.Ordinal)))
        .Where(variable => !IsKnown(variable.Path) && (variable.IsOwn ? variable.Path.Contains(':', StringComparison.Ordinal) || IsOfPile(variable.Path, prefix) : IsMisspelt(variable.Path, prefix)))
        .Select(static variable => $"{variable.Name} is a variable of the environment, and {SectionOf(variable.Path)}"));

    /// <summary>Refuses misspelt ones of Pile's, wherever they come from. Variables of the environment are there once more with their prefix.</summary>
    /// <exception cref="OptionsValidationException">There are some.</exception>
    internal static void RefuseMisspelt(IConfiguration configuration, string prefix) => RefuseUnknown(configuration.AsEnumerable().Select(static setting => setting.Key).Where(path => IsMisspelt(path, prefix)));

    private static void Refuse(IEnumerable<string> unknown)
    {
        string[] mistakes = [.. unknown.Distinct(StringComparer.OrdinalIgnoreCase).Select(static name => $"{name} is no section of the configuration. There are {string.Join(", ", _known)}, and settings stand within these.")];
        if (mistakes.Length > 0)
        {
            throw new OptionsValidationException("arguments", typeof(Sections), mistakes);
        }
    }

    private static string SectionOf(string path) => path.Split(':')[0];

    private static bool IsKnown(string path) => Is(_known, SectionOf(path)) || string.Equals(SectionOf(path), Schema, StringComparison.OrdinalIgnoreCase);

    // Whether it begins as a section of Pile's. What has the prefix twice is of a program whose own name begins so.
    private static bool IsOfPile(string path, string prefix) => path.StartsWith(Prefix, StringComparison.OrdinalIgnoreCase) && !path.StartsWith(prefix, StringComparison.OrdinalIgnoreCase);

    private static bool IsMisspelt(string path, string prefix)
    {
        string[] parts = path.Split(':');
        return parts.Length > 1 && IsOfPile(path, prefix) && !Is(_keyedOfOthers, parts[0]) && !(parts.Length == 2 && Is(_flatOfOthers, parts[0]));
    }

    private static bool Is(string[] names, string section) => names.Contains(section, StringComparer.OrdinalIgnoreCase);

    // What Kubernetes sets for each Service in each pod of its namespace: PILE_SERVER_SERVICE_HOST, PILE_SERVER_PORT_7171_TCP_ADDR.
    [GeneratedRegex("^[A-Z][A-Z0-9_]*(_SERVICE_HOST|_SERVICE_PORT(_[A-Z0-9]+)*|_PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$", RegexOptions.CultureInvariant)]
    private static partial Regex ServiceLink();
}
