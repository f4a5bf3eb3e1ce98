// What opening a pile's directory did and why, for the program and for whoever reads its log.
// Counts of objects are not in it: they are known once the recount is done (PileStatistics).
using System;
using System.Collections.Generic;
using System.Globalization;

namespace Pile;

/// <summary>Report of <see cref="ObjectPile.Open"/>.</summary>
public sealed record PileRecoveryReport
{
    /// <summary>How the pile was opened.</summary>
    public required PileOpening Opening { get; init; }

    /// <summary>Why it was opened so, in words.</summary>
    public required string Reason { get; init; }

    /// <summary>How long it took until the pile could be used.</summary>
    public TimeSpan Duration { get; init; }

    /// <summary>How much of <see cref="Duration"/> it took to build the table from the records: from before the first was read until the
    /// table was complete, and stored unless the pile was opened for reading alone. Zero when the table was believed.</summary>
    public TimeSpan CrawlDuration { get; init; }

    /// <summary>Extent files.</summary>
    public int Files { get; init; }

    /// <summary>Segments that hold something.</summary>
    public int Segments { get; init; }

    /// <summary>Segments that were cut behind their last good record.</summary>
    public int SegmentsCut { get; init; }

    /// <summary>Records that were read, when the table was built anew; those that were rolled forward otherwise.</summary>
    public long Records { get; init; }

    /// <summary>Bytes of segments that were read.</summary>
    public long Bytes { get; init; }

    /// <summary>Bytes of large objects' pages that were compared with their checksums.</summary>
    internal long RunBytes { get; init; }

    /// <summary>The last flush that is proven to be complete; -1 when none is.</summary>
    public long ProvenFlush { get; init; } = -1;

    /// <summary>The flush of the checkpoint with which the table was begun: what is older was not read. -1 when everything was.</summary>
    public long CheckpointFlush { get; init; } = -1;

    /// <summary>How often, in the pile's life, its table was built anew from the log: after a power cut, and where the table was missing or not to be trusted, as in a copy. A cut of a
    /// ProcessSafe pile, and damage that was accepted, count for 1,024 and more.</summary>
    public long Recoveries { get; init; }

    /// <summary>Whether a ProcessSafe pile was not closed in order before the machine started or its file system was mounted anew, or a sync failed: it may be older than it
    /// was, and hold what was deleted. Only <see cref="PileOptions.AcceptLoss"/> opens such a one.</summary>
    public bool MayBeOlder { get; init; }

    /// <summary>Damages that were met, each with what it means: the first 1,000 (DamagesListedMax). Empty for a pile that lost nothing.</summary>
    public IReadOnlyList<PileDamageReport> Damages { get; init; } = [];

    /// <summary>How many were met besides those that <see cref="Damages"/> lists.</summary>
    public long DamagesBeyond { get; init; }

    /// <summary>The report in one line, for a log: how and why, how much, and each damage with its path.</summary>
    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture,
        $"{Opening}: {Reason.TrimEnd('.')}; {Duration.TotalMilliseconds:0.#} ms; files {Files}, segments {Segments} ({SegmentsCut} cut), records read {Records}; {Named(Damages, DamagesBeyond)}");

    private static string Named(IReadOnlyList<PileDamageReport> damages, long beyond) =>
        damages.Count == 0 ? "no damage"
        : $"damages {damages.Count + beyond}: {string.Join("; ", damages)}{(beyond > 0 ? $"; and {beyond} more" : string.Empty)}";
}
