// A stretch of a segment that was proven to be written and is not what was written.
// A slot is known only where the record's header is whole.
using System;
using System.Text;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Persistence;

/// <summary>A damage that a crawl met.</summary>
/// <param name="Segment">Index of the segment.</param>
/// <param name="Offset">First byte within it.</param>
/// <param name="Bytes">How long.</param>
/// <param name="Slot">Whose record it is; 0 when not even that can be read, and where it is of no slot.</param>
/// <param name="IsOfCache">Whether it is an entry of a cache's speculative table, which has no slot.</param>
internal sealed record CrawlDamage(int Segment, int Offset, int Bytes, uint Slot, bool IsOfCache = false)
{
    /// <summary>What is lost where a crawl met it.</summary>
    internal string WhatIsLost => IsOfCache ? "an entry of a cache's speculative table is lost"
        : Slot == 0 ? "objects whose newest record stood there may have stepped back"
        : $"the object of slot {Slot} is lost";

    /// <summary>A number for all damages that a crawl met, by which the next one knows them again; 0 for none.</summary>
    /// <param name="all">All of them, as they are reported.</param>
    /// <param name="damages">Those in the log.</param>
    /// <param name="segments">The segments: what is reported does not name the sequence, and another use of a segment may be damaged in the same place.</param>
    internal static uint DigestOf(FirstFew<PileDamageReport> all, FirstFew<CrawlDamage> damages, SegmentDirectory segments)
    {
        uint digest = Crc32C.Append(0, (ulong)all.Count);
        foreach (PileDamageReport damage in all.Kept)
        {
            digest = Crc32C.Append(digest, Crc32C.Compute(Encoding.UTF8.GetBytes(damage.What)));
        }

        foreach (CrawlDamage damage in damages.Kept)
        {
            digest = Crc32C.Append(digest, (ulong)segments[damage.Segment].Sequence);
        }

        return all.Count == 0 ? 0 : uint.Max(1, digest);
    }

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
