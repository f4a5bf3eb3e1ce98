// What a run of the stress has for a cache.
namespace Pile.Cache.Tests.Model;

/// <summary>A setting.</summary>
/// <param name="Kind">Kind of the table.</param>
/// <param name="IsInFiles">Whether the cache is in files, and closed and opened between rounds.</param>
/// <param name="LimitMiB">Its limit.</param>
/// <param name="Keys">Keys of each thread's own.</param>
/// <param name="MayLose">Whether entries may leave for room, or have none.</param>
/// <param name="HasLarge">Whether many values have pages of their own.</param>
internal sealed record StressSetting(PileTableKind Kind, bool IsInFiles, int LimitMiB, int Keys, bool MayLose, bool HasLarge)
{
    internal static readonly StressSetting[] All =
    [
        new(PileTableKind.Speculative, IsInFiles: false, LimitMiB: 64, Keys: 500, MayLose: false, HasLarge: false),
        new(PileTableKind.Speculative, IsInFiles: false, LimitMiB: 4, Keys: 5_000, MayLose: true, HasLarge: false),
        new(PileTableKind.Speculative, IsInFiles: false, LimitMiB: 8, Keys: 500, MayLose: true, HasLarge: true),
        new(PileTableKind.Durable, IsInFiles: false, LimitMiB: 96, Keys: 500, MayLose: false, HasLarge: true),
        new(PileTableKind.Durable, IsInFiles: false, LimitMiB: 4, Keys: 5_000, MayLose: true, HasLarge: false),
        new(PileTableKind.Speculative, IsInFiles: true, LimitMiB: 96, Keys: 500, MayLose: false, HasLarge: true),
        new(PileTableKind.Speculative, IsInFiles: true, LimitMiB: 8, Keys: 5_000, MayLose: true, HasLarge: false),
        new(PileTableKind.Speculative, IsInFiles: true, LimitMiB: 12, Keys: 500, MayLose: true, HasLarge: true),
        new(PileTableKind.Durable, IsInFiles: true, LimitMiB: 96, Keys: 500, MayLose: false, HasLarge: true),
        new(PileTableKind.Durable, IsInFiles: true, LimitMiB: 2, Keys: 1_000, MayLose: true, HasLarge: false),
    ];
}
