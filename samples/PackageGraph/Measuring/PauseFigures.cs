using System.Collections.Generic;

namespace PackageGraph.Measuring;

/// <summary>What a <see cref="PauseMeter"/> saw.</summary>
/// <param name="Seconds">How long it looked.</param>
/// <param name="LongestStopMs">Longest time that its thread did not run, beyond the millisecond it sleeps; other programs show here too.</param>
/// <param name="LongestGcMs">Longest time the collector stopped all threads within one look.</param>
/// <param name="GcMs">Time the collector stopped all threads, in all.</param>
/// <param name="Collections">Collections of generation 0, 1 and 2, each counting those above it.</param>
/// <param name="StopsMs">The longest stop of each hundredth of the time.</param>
internal sealed record PauseFigures(
    double Seconds, double LongestStopMs, double LongestGcMs, double GcMs, IReadOnlyList<int> Collections, IReadOnlyList<double> StopsMs);
