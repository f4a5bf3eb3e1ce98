namespace Pile.Compare.Reports;

/// <summary>A setting that was tried: the geometric mean of its medians over all workloads.</summary>
internal sealed record TrialResult(string Contestant, string Setting, double MeanNs, bool IsUsed);
