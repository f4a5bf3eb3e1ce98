// What a Compact achieved.
// The pile stays usable meanwhile, so the figures are of its beginning and its end.
namespace Pile;

/// <summary>Report of <see cref="ObjectPileCare.Compact(ObjectPile, double, System.Threading.CancellationToken)"/>.</summary>
/// <param name="UsedBytesBefore">Bytes counted against the limit at the beginning.</param>
/// <param name="UsedBytesAfter">Bytes counted against the limit at the end.</param>
/// <param name="MovedBytes">Bytes of records copied.</param>
/// <param name="ReachedRatio">Whether the ratio asked for was reached; else readers or pins held memory back, or the rest is
/// the free space of open segments.</param>
public sealed record PileCompactReport(long UsedBytesBefore, long UsedBytesAfter, long MovedBytes, bool ReachedRatio);
