// A stretch of a segment that was proven to be written and is not what was written.
// A slot is known only where the record's header is whole.
using System;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Persistence;

/// <summary>A damage that a crawl met.</summary>
/// <param name="Segment">Index of the segment.</param>
/// <param name="Offset">First byte within it.</param>
/// <param name="Bytes">How long.</param>
/// <param name="Slot">Whose record it is; 0 when not even that can be read.</param>
internal sealed record CrawlDamage(int Segment, int Offset, int Bytes, uint Slot)
{
    /// <summary>Reports damages with what is lost by each.</summary>
    internal static void Report(
        FirstFew<CrawlDamage> damages, Func<CrawlDamage, string> whatIsLost, PileDirectory directory, SegmentDirectory segments, FirstFew<PileDamageReport> target)
    {
        foreach (CrawlDamage damage in damages.Kept)
        {
            int row = (int)(segments[damage.Segment].Location >> Limits.ExtentShiftWords);
            target.Add(new PileDamageReport(directory.PathOfRow(row), $"segment {damage.Segment}, byte {damage.Offset}, {damage.Bytes} bytes: {whatIsLost(damage)}"));
        }

        target.AddUnkept(damages.Count - damages.Kept.Count);
    }
}
