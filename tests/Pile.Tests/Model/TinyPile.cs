using System;
using Pile.Memory;

namespace Pile.Tests.Model;

/// <summary>Piles of PileOptions.Tiny with a few things set differently.</summary>
internal static class TinyPile
{
    internal static ObjectPile Create(bool background, long limitBytes = 32 << 20, int writers = 2, TimeProvider? time = null, RegionProvider? regions = null)
    {
        PileOptions tiny = PileOptions.Tiny;
        return ObjectPile.Create(new PileOptions
        {
            BackgroundCleaning = background,
            SegmentBytesMin = tiny.SegmentBytesMin,
            SegmentBytesMax = tiny.SegmentBytesMax,
            SlotsMax = tiny.SlotsMax,
            MemoryLimitBytes = limitBytes,
            WritersMax = writers,
            TimeProvider = time ?? TimeProvider.System,
            Regions = regions,
        });
    }

    /// <summary>Throws when Verify finds anything, or a segment was quarantined.</summary>
    internal static void RequireGood(ObjectPile pile, string where)
    {
        PileVerifyReport report = pile.Verify();
        int quarantined = pile.GetStatistics().QuarantinedSegments;
        ModelMismatchException.Unless(quarantined == 0, "quarantine", $"{where}: {quarantined} segments, {string.Join("; ", report.Findings)}");
        ModelMismatchException.Unless(report.IsGood, "verify", $"{where}: {string.Join("; ", report.Findings)}");
    }
}
