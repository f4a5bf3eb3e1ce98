// What a pile's health check calls degraded, beyond what is wrong by itself.
// What is unhealthy is not a matter of options.
using System;

namespace Pile.Hosting;

/// <summary>Options of a pile's health check.</summary>
public sealed class PileHealthOptions
{
    /// <summary>The part of the limit, above 0 and up to 1, from which on a pile counts as nearly full; 0.9 unless set. Counted is what
    /// cleaning can't free: live records, large objects, and the table; of a cache without what it may evict.</summary>
    public double NearLimit { get; set; } = 0.9;

    /// <summary>Calls a second that cleaned or waited for room themselves, counted from one check to the next, from which on the cleaner
    /// counts as behind; more than 0, 100 unless set.</summary>
    public double RoomWaitsPerSecond { get; set; } = 100;

    /// <summary>How much longer than its flush interval a PowerSafe pile may hold what no flush has covered, before it is degraded; zero or
    /// more, ten seconds unless set. Noticed from the second check on.</summary>
    public TimeSpan FlushLag { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>Whether a pile that is not warm yet (<see cref="ObjectPileDurability.IsWarm"/>) is degraded: for hosts that want no traffic
    /// before. False unless set.</summary>
    public bool WantsWarm { get; set; }

    /// <summary>Refuses what can't be.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    internal void Validate(string argument)
    {
        RefuseUnless(NearLimit is > 0 and <= 1, argument, NearLimit, nameof(NearLimit), "above 0 and up to 1");
        RefuseUnless(RoomWaitsPerSecond > 0, argument, RoomWaitsPerSecond, nameof(RoomWaitsPerSecond), "more than 0");
        RefuseUnless(FlushLag >= TimeSpan.Zero, argument, FlushLag, nameof(FlushLag), "zero or more");
    }

    private static void RefuseUnless(bool isGood, string argument, object value, string name, string allowed)
    {
        if (!isGood)
        {
            throw new ArgumentOutOfRangeException(argument, value, $"{nameof(PileHealthOptions)}.{name} must be {allowed}.");
        }
    }
}
