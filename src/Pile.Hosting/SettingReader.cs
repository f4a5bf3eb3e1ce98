// Reads a section of the configuration into options, by a list of the settings that there are. It binds by hand: what is unknown or
// unreadable becomes a problem with its path, and nothing needs reflection.
using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.Extensions.Configuration;

namespace Pile.Hosting;

/// <summary>The reader of sections.</summary>
internal static class SettingReader
{
    /// <summary>Reads a section into options; what can't be read is added to the options' problems.</summary>
    /// <param name="section">The section.</param>
    /// <param name="options">The options.</param>
    /// <param name="noun">What the options are of.</param>
    /// <param name="all">The settings that there are.</param>
    internal static void Read<TOptions>(IConfigurationSection section, TOptions options, string noun, IReadOnlyList<PileSetting<TOptions>> all)
        where TOptions : IConfiguredOptions
    {
        if (section.Value is { Length: > 0 } text)
        {
            options.Problems.Add($"{section.Path} = '{text}' is a value: a section with the settings of a {noun} belongs there.");
        }

        foreach (IConfigurationSection child in section.GetChildren())
        {
            PileSetting<TOptions>? setting = all.FirstOrDefault(known => string.Equals(known.Name, child.Key, StringComparison.OrdinalIgnoreCase));
            if (setting is null)
            {
                options.Problems.Add($"{child.Path} is not a setting of a {noun}. There are {string.Join(", ", all.Select(known => known.Name))}.");
            }
            else if (child.GetChildren().Any())
            {
                options.Problems.Add($"{child.Path} has parts, but is one value: {setting.Form}.");
            }
            else if (child.Value is { } value && !setting.TryApply(options, value))
            {
                options.Problems.Add($"{child.Path} = '{value}' can't be read: it must be {setting.Form}.");
            }
        }
    }
}
