// The program's arguments and files as configuration. Short names for what everybody needs, and --Section:Setting value for all else; what
// is neither is refused, because a misspelt switch must not be a server without it.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.Json;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;

namespace Pile.Server.Running;

/// <summary>Reads arguments.</summary>
internal static class ArgumentReader
{
    private const string EnvironmentPrefix = "PILE_";

    private static readonly Dictionary<string, string> _names = new(StringComparer.OrdinalIgnoreCase)
    {
        ["--listen"] = $"{ListenOptions.Section}:{nameof(ListenOptions.Addresses)}",
        ["--health"] = $"{ListenOptions.Section}:{nameof(ListenOptions.HealthAddresses)}",
        ["--certificate"] = $"{ListenOptions.Section}:{nameof(ListenOptions.Certificate)}",
        ["--key"] = $"{ListenOptions.Section}:{nameof(ListenOptions.CertificateKey)}",
        ["--client-authority"] = $"{ListenOptions.Section}:{nameof(ListenOptions.ClientAuthority)}",
        ["--directory"] = "PileCache:Directory",
        ["--memory-limit"] = "PileCache:MemoryLimitBytes",
    };

    private static readonly Dictionary<string, string> _switches = new(StringComparer.OrdinalIgnoreCase)
    {
        ["--in-memory"] = "PileCache:InMemory",
        ["--insecure"] = $"{ListenOptions.Section}:{nameof(ListenOptions.Insecure)}",
    };

    /// <summary>Adds a file (--config), then the environment, then the arguments.</summary>
    /// <exception cref="OptionsValidationException">An argument is none, the file is not there or is no JSON, or something stands in no section that there is.</exception>
    internal static void AddTo(IConfigurationManager configuration, string[] args)
    {
        var values = new Dictionary<string, string?>(StringComparer.OrdinalIgnoreCase);
        string? file = null;
        for (int index = 0; index < args.Length; index++)
        {
            (string name, string? value) = args[index].Split('=', 2) is [var before, var after] ? (before, after) : (args[index], null);
            if (_switches.TryGetValue(name, out string? setting))
            {
                values[setting] = value ?? "true";
                continue;
            }

            bool isFile = name == "--config";
            setting = isFile ? name : _names.GetValueOrDefault(name) ?? (name.StartsWith("--", StringComparison.Ordinal) && name.Contains(':', StringComparison.Ordinal) ? name[2..] : null);
            if (setting is null)
            {
                throw Mistake($"'{args[index]}' is no argument of pile-server. There are --config, {string.Join(", ", _names.Keys)}, {string.Join(", ", _switches.Keys)}, --Section:Setting and --help.");
            }

            value ??= ++index < args.Length ? args[index] : throw Mistake($"'{name}' needs a value behind it.");
            if (value == args[index] && value.StartsWith("--", StringComparison.Ordinal))
            {
                throw Mistake($"'{name}' needs a value behind it, and '{value}' is another argument. Write {name}={value} if it is meant.");
            }

            if (isFile)
            {
                file = file is null && value.Length > 0 ? Path.GetFullPath(value)
                    : throw Mistake(value.Length == 0 ? "'--config' names no file." : $"'--config' is given twice, '{file}' and '{value}': one file has all settings, and what the first says of clients would be passed over.");
            }
            else
            {
                values[setting] = value;
            }
        }

        if (file is not null)
        {
            try
            {
                // Once: it may be a pipe, and what was looked at is what counts.
                byte[] json = File.ReadAllBytes(file);
                IConfigurationRoot read = new ConfigurationBuilder().AddJsonStream(new MemoryStream(json)).Build();
                Sections.RefuseUnknown(read.GetChildren().Select(static section => section.Key));

                // Not what was read: as a source of another configuration it passes over empty texts, and what they would be refused for.
                _ = configuration.AddJsonStream(new MemoryStream(json));
            }
            catch (Exception failure) when (failure is IOException or UnauthorizedAccessException or JsonException or FormatException)
            {
                throw Mistake($"--config '{file}': {failure.Message.ReplaceLineEndings(" ")}");
            }
        }

        Sections.RefuseUnknown(values.Keys);
        Sections.RefuseVariables(EnvironmentPrefix, Environment.GetEnvironmentVariables().Keys.Cast<string>());
        _ = configuration.AddEnvironmentVariables(EnvironmentPrefix).AddInMemoryCollection(values);
        Sections.RefuseMisspelt(configuration, EnvironmentPrefix);
    }

    private static OptionsValidationException Mistake(string text) => new("arguments", typeof(ArgumentReader), [text]);
}
