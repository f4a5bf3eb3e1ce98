// The settings that a pile has in configuration. SettingReader reads them.
// Ranges are not judged here but by PileOptions itself.
using System.Collections.Generic;

namespace Pile.Hosting;

/// <summary>A pile's section of the configuration.</summary>
internal static class PileSettings
{
    /// <summary>All of them, in the order of the documents.</summary>
    internal static IReadOnlyList<PileSetting<PileHostOptions>> All { get; } =
    [
        PileSetting<PileHostOptions>.Text(nameof(PileHostOptions.Directory), "a path", static (options, text) => options.Directory = text),
        PileSetting<PileHostOptions>.Switch(nameof(PileHostOptions.InMemory), static (options, value) => options.InMemory = value),
        PileSetting<PileHostOptions>.Size(nameof(PileOptions.MemoryLimitBytes), static (options, value) => options.Pile = options.Pile with { MemoryLimitBytes = value }),
        PileSetting<PileHostOptions>.Size(nameof(PileOptions.DiskLimitBytes), static (options, value) => options.Pile = options.Pile with { DiskLimitBytes = value }),
        PileSetting<PileHostOptions>.Size(nameof(PileOptions.DiskReserveBytes), static (options, value) => options.Pile = options.Pile with { DiskReserveBytes = value }),
        PileSetting<PileHostOptions>.Size(nameof(PileOptions.PreallocationBytes), static (options, value) => options.Pile = options.Pile with { PreallocationBytes = value }),
        PileSetting<PileHostOptions>.Choice<PileOpenMode>(nameof(PileOptions.OpenMode), static (options, value) => options.Pile = options.Pile with { OpenMode = value }),
        PileSetting<PileHostOptions>.Choice<PilePromise>(nameof(PileOptions.Promise), static (options, value) => options.Pile = options.Pile with { Promise = value }),
        PileSetting<PileHostOptions>.Duration(nameof(PileOptions.FlushInterval), static (options, value) => options.Pile = options.Pile with { FlushInterval = value }),
        PileSetting<PileHostOptions>.Choice<PileVerifyOnRead>(nameof(PileOptions.VerifyOnRead), static (options, value) => options.Pile = options.Pile with { VerifyOnRead = value }),
        PileSetting<PileHostOptions>.Size(nameof(PileOptions.ScrubBytesPerSecond), static (options, value) => options.Pile = options.Pile with { ScrubBytesPerSecond = value }),
        PileSetting<PileHostOptions>.Choice<PileWarmUp>(nameof(PileOptions.WarmUp), static (options, value) => options.Pile = options.Pile with { WarmUp = value }),
        PileSetting<PileHostOptions>.Switch(nameof(PileOptions.AcceptLoss), static (options, value) => options.Pile = options.Pile with { AcceptLoss = value }),
        PileSetting<PileHostOptions>.Ratio(nameof(PileOptions.UsedOverLive), static (options, value) => options.Pile = options.Pile with { UsedOverLive = value }),
        PileSetting<PileHostOptions>.Switch(nameof(PileOptions.BackgroundCleaning), static (options, value) => options.Pile = options.Pile with { BackgroundCleaning = value }),
        PileSetting<PileHostOptions>.Switch(nameof(PileOptions.HugePages), static (options, value) => options.Pile = options.Pile with { HugePages = value }),
        PileSetting<PileHostOptions>.Whole(nameof(PileOptions.WritersMax), "a whole number", static (options, value) => options.Pile = options.Pile with { WritersMax = (int)long.Clamp(value, int.MinValue, int.MaxValue) }),
    ];
}
