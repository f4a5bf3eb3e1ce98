// The options of what goes on until it is stopped: how often, and how many times.
// Ctrl+C is the ordinary end.
using System;
using System.CommandLine;
using Pile.Tool.Entries;
using Pile.Tool.Running;

namespace Pile.Tool.Verbs;

/// <summary>Options of verbs that go on.</summary>
internal static class FollowOptions
{
    // What waits can be told; who wants to look less often starts the verb anew.
    private const int EveryDaysMax = 1;

    /// <summary>How often.</summary>
    internal static Option<TimeSpan?> Every()
    {
        Option<TimeSpan?> every = new("--every") { Description = "How often, as 500ms, 2s, 1m, a day at most; 1s unless given.", HelpName = "time", CustomParser = DurationText.Parse };
        every.Validators.Add(static result =>
        {
            if (result.Tokens is [var given] && DurationText.TryRead(given.Value) is { TotalDays: > EveryDaysMax })
            {
                result.AddError($"--every must be {EveryDaysMax}d at most, not '{given.Value}'.");
            }
        });
        return every;
    }

    /// <summary>How many times.</summary>
    internal static Option<int> Count() => new("--count")
    {
        Description = "End after so many; with Ctrl+C unless given.",
        HelpName = "count",
        DefaultValueFactory = static _ => int.MaxValue,
        CustomParser = NumberText.Int("--count", 1, int.MaxValue),
    };

    /// <summary>The time of an option.</summary>
    internal static TimeSpan Of(TimeSpan? every) => every ?? TimeSpan.FromSeconds(1);
}
