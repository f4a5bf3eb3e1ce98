using System.Collections.Generic;
using System.Text.Json;

namespace WarmRestart;

/// <summary>What a run found.</summary>
/// <param name="Packages">Packages loaded.</param>
/// <param name="Writes">Writes acknowledged after that before the kill, at least.</param>
/// <param name="SectorsDiffering">512-byte sectors that had not been synced when the power was cut.</param>
/// <param name="SectorsDropped">Those of them that the cut took.</param>
/// <param name="Restarts">The ways to start again.</param>
internal sealed record RestartResult(int Packages, int Writes, long SectorsDiffering, long SectorsDropped, IReadOnlyList<Restart> Restarts)
{
    private static readonly JsonSerializerOptions _indented = new() { WriteIndented = true, PropertyNamingPolicy = JsonNamingPolicy.CamelCase };

    internal string ToJson() => JsonSerializer.Serialize(this, _indented);
}
