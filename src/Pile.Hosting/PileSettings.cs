// The settings that a pile has in configuration, and their reader. It binds by hand: what is unknown or unreadable becomes a
// problem with its path, and nothing needs reflection. Ranges are not judged here but by PileOptions itself.
using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.Extensions.Configuration;

namespace Pile.Hosting;

/// <summary>Reads a pile's section of the configuration.</summary>
internal static class PileSettings
{
    private const string Bytes = "a whole number of bytes";

    /// <summary>All of them, in the order of the documents.</summary>
    internal static IReadOnlyList<PileSetting> All { get; } =
    [
        PileSetting.Text(nameof(PileHostOptions.Directory), "a path", static (options, text) => options.Directory = text),
        PileSetting.Switch(nameof(PileHostOptions.InMemory), static (options, value) => options.InMemory = value),
        PileSetting.Whole(nameof(PileOptions.MemoryLimitBytes), Bytes, static (pile, value) => pile with { MemoryLimitBytes = value }),
        PileSetting.Whole(nameof(PileOptions.DiskLimitBytes), Bytes, static (pile, value) => pile with { DiskLimitBytes = value }),
        PileSetting.Whole(nameof(PileOptions.DiskReserveBytes), Bytes, static (pile, value) => pile with { DiskReserveBytes = value }),
        PileSetting.Choice<PileOpenMode>(nameof(PileOptions.OpenMode), static (pile, value) => pile with { OpenMode = value }),
        PileSetting.Choice<PilePromise>(nameof(PileOptions.Promise), static (pile, value) => pile with { Promise = value }),
        PileSetting.Duration(nameof(PileOptions.FlushInterval), static (pile, value) => pile with { FlushInterval = value }),
        PileSetting.Choice<PileVerifyOnRead>(nameof(PileOptions.VerifyOnRead), static (pile, value) => pile with { VerifyOnRead = value }),
        PileSetting.Whole(nameof(PileOptions.ScrubBytesPerSecond), Bytes, static (pile, value) => pile with { ScrubBytesPerSecond = value }),
        PileSetting.Choice<PileWarmUp>(nameof(PileOptions.WarmUp), static (pile, value) => pile with { WarmUp = value }),
        PileSetting.Switch(nameof(PileOptions.AcceptLoss), static (options, value) => options.Pile = options.Pile with { AcceptLoss = value }),
        PileSetting.Ratio(nameof(PileOptions.UsedOverLive), static (pile, value) => pile with { UsedOverLive = value }),
        PileSetting.Switch(nameof(PileOptions.BackgroundCleaning), static (options, value) => options.Pile = options.Pile with { BackgroundCleaning = value }),
        PileSetting.Switch(nameof(PileOptions.HugePages), static (options, value) => options.Pile = options.Pile with { HugePages = value }),
        PileSetting.Whole(nameof(PileOptions.WritersMax), "a whole number", static (pile, value) => pile with { WritersMax = (int)long.Clamp(value, int.MinValue, int.MaxValue) }),
    ];

    /// <summary>Reads a section into options; what can't be read is added to the options' problems.</summary>
    internal static void Read(IConfigurationSection section, PileHostOptions options)
    {
        if (section.Value is { Length: > 0 } text)
        {
            options.Problems.Add($"{section.Path} = '{text}' is a value: a section with the settings of a pile belongs there.");
        }

        foreach (IConfigurationSection child in section.GetChildren())
        {
            PileSetting? setting = All.FirstOrDefault(known => string.Equals(known.Name, child.Key, StringComparison.OrdinalIgnoreCase));
            if (setting is null)
            {
                options.Problems.Add($"{child.Path} is not a setting of a pile. There are {string.Join(", ", All.Select(known => known.Name))}.");
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
