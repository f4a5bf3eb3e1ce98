namespace Pile.Compare.Reports;

/// <summary>A contestant as it took part.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Version">Its package.</param>
/// <param name="Setting">The setting that was used.</param>
/// <param name="Guarantees">What it gives besides speed.</param>
/// <param name="ResidentBytes">Resident memory of its process after the last workload.</param>
internal sealed record ContestantResult(string Name, string Version, string Setting, string Guarantees, long ResidentBytes);
