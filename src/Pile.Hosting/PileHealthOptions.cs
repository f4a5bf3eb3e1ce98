// What a pile's health check calls degraded, beyond what is wrong by itself.
// What is unhealthy is not a matter of options.
namespace Pile.Hosting;

/// <summary>Options of a pile's health check.</summary>
public sealed class PileHealthOptions
{
    /// <summary>The part of the limit, above 0 and up to 1, from which on a pile counts as nearly full; 0.9 unless set. Counted is what
    /// cleaning can't free: live records, large objects, and the table.</summary>
    public double NearLimit { get; set; } = 0.9;

    /// <summary>Whether a pile that is not warm yet (<see cref="ObjectPileDurability.IsWarm"/>) is degraded: for hosts that want no traffic
    /// before. False unless set.</summary>
    public bool WantsWarm { get; set; }
}
