namespace Pile.HitRatio.Reports;

/// <summary>A contestant as it took part.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Version">Its assembly and version.</param>
/// <param name="Source">Where it is described.</param>
internal sealed record ContestantResult(string Name, string Version, string Source);
