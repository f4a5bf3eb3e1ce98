using System.Collections.Generic;
using Pile.Compare.Running;

namespace Pile.Compare.Reports;

/// <summary>A contestant's rounds of a workload.</summary>
internal sealed record SeriesResult(string Workload, string Contestant, IReadOnlyList<Measured> Rounds);
