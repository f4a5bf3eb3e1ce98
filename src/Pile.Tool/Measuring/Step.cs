// What one step of a measurement came to.
// Times are of requests; entries are requests times the pipeline.
using System;

namespace Pile.Tool.Measuring;

/// <summary>A step.</summary>
/// <param name="Name">What was done.</param>
/// <param name="Bytes">Bytes of a value; 0 where there is none.</param>
/// <param name="Requests">Requests.</param>
/// <param name="Entries">Entries.</param>
/// <param name="Spent">From the first request to the last answer.</param>
/// <param name="Times">How long requests took.</param>
internal sealed record Step(string Name, int Bytes, long Requests, long Entries, TimeSpan Spent, LatencyHistogram Times)
{
    /// <summary>Entries a second.</summary>
    internal double Rate => Entries / double.Max(Spent.TotalSeconds, 1e-9);
}
