// The options of what goes on until it is stopped: how often, and how many times.
// Ctrl+C is the ordinary end.
using System;
using System.CommandLine;
using Pile.Tool.Entries;

namespace Pile.Tool.Verbs;

/// <summary>Options of verbs that go on.</summary>
internal static class FollowOptions
{
    /// <summary>How often.</summary>
    internal static Option<TimeSpan?> Every() => new("--every") { Description = "How often, as 500ms, 2s, 1m; 1s unless given.", HelpName = "time", CustomParser = DurationText.Parse };

    /// <summary>How many times.</summary>
    internal static Option<int> Count()
    {
        Option<int> count = new("--count") { Description = "End after so many; with Ctrl+C unless given.", HelpName = "count", DefaultValueFactory = static _ => int.MaxValue };
        count.Validators.Add(Running.VerbBuilder.InRange(count, 1, int.MaxValue));
        return count;
    }

    /// <summary>The time of an option.</summary>
    internal static TimeSpan Of(TimeSpan? every) => every ?? TimeSpan.FromSeconds(1);
}
