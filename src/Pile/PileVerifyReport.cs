// What Verify looked at and what it found. An empty list of findings is the only good result.
// It repairs nothing, and knows nothing of what was put: a wrong value that is well formed is no finding.
using System.Collections.Generic;
using System.Globalization;

namespace Pile;

/// <summary>Report of <see cref="ObjectPileCare.Verify(ObjectPile)"/>.</summary>
/// <param name="Segments">Segments walked.</param>
/// <param name="Records">Records met, live and dead.</param>
/// <param name="Objects">Live objects found.</param>
/// <param name="Findings">What is wrong, by name; empty when all is well.</param>
public sealed record PileVerifyReport(long Segments, long Records, long Objects, IReadOnlyList<PileFinding> Findings)
{
    /// <summary>Bytes of segments and large objects that were looked at.</summary>
    public long Bytes { get; init; }

    /// <summary>Whether nothing is wrong.</summary>
    public bool IsGood => Findings.Count == 0;

    /// <summary>The report in one line, for a log: how much was looked at, and each finding.</summary>
    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"segments {Segments}, records {Records}, objects {Objects}, bytes {Bytes}; {(IsGood ? "nothing is wrong" : $"findings {Findings.Count}: {string.Join("; ", Findings)}")}");
}
