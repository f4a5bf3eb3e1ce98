using System.Collections.Generic;

namespace WarmRestart;

/// <summary>One way to start again.</summary>
/// <param name="Way">Which.</param>
/// <param name="FirstReadMs">From the start of the process to its first read.</param>
/// <param name="OpenMs">Of that, opening the pile; null where there is none.</param>
/// <param name="Opening">How the pile was opened; null where there is none.</param>
/// <param name="Promised">Objects that were acknowledged: after a kill by any call, after a power cut by the commit. 0 where nothing was written.</param>
/// <param name="Present">Those that are there as acknowledged, or newer, and equal.</param>
/// <param name="NotFlushed">Objects whose last write came after the commit and is not there: a power cut may take it.</param>
/// <param name="Availability">How much can be read at which time since the process began, from 0 to 1.</param>
internal sealed record Restart(
    string Way, double FirstReadMs, double? OpenMs, string? Opening, int Promised, int Present, int NotFlushed, IReadOnlyList<Moment> Availability);
