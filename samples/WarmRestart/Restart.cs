using System.Collections.Generic;

namespace WarmRestart;

/// <summary>One way to start again.</summary>
/// <param name="Way">Which.</param>
/// <param name="FirstReadMs">From the start of the process to its first read.</param>
/// <param name="OpenMs">Of that, opening the pile; null where there is none.</param>
/// <param name="Opening">How the pile was opened; null where there is none.</param>
/// <param name="Acknowledged">Objects that were acknowledged; 0 where nothing was written.</param>
/// <param name="Present">Those that are there as acknowledged, or newer, and equal.</param>
/// <param name="NotFlushed">Those that are missing or older: written after the last flush before a power cut, and never promised.</param>
/// <param name="Availability">How much can be read at which time since the process began, from 0 to 1.</param>
internal sealed record Restart(
    string Way, double FirstReadMs, double? OpenMs, string? Opening, int Acknowledged, int Present, int NotFlushed, IReadOnlyList<Moment> Availability);
