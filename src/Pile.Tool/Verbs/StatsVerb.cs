// pile stats: what lives, what is dead, what is free, and where: segments by fill and age, as a picture.
// The counts are the library's statistics; they are exact, since the pile is opened for reading alone.
using System.Collections.Generic;
using System.CommandLine;
using System.Text.Json;
using Pile.Tool.Output;
using Pile.Tool.Running;

namespace Pile.Tool.Verbs;

/// <summary>The verb <c>stats</c>.</summary>
internal static class StatsVerb
{
    /// <summary>The verb.</summary>
    internal static Command Build()
    {
        Argument<string> directory = VerbBuilder.Directory();
        return VerbBuilder.Verb("stats", "Counts what lives and what is dead, and draws the segments by fill and age.", directory, (run, _) => Run(run));
    }

    private static ExitCode Run(VerbRun run)
    {
        using ObjectPile pile = run.OpenToRead(run.Directory!);
        IReadOnlyList<PileSegment> segments = run.WithProgress("counting", ofBytes: false, _ => pile.ListSegments());
        PileStatistics statistics = pile.GetStatistics();
        run.Write(json => Write(json, statistics, segments), text => Write(text, statistics, segments));
        return Damage.CodeOf(run, pile);
    }

    private static void Write(TextOutput text, PileStatistics statistics, IReadOnlyList<PileSegment> segments)
    {
        long resident = statistics.SegmentBytes - statistics.FreeSegmentBytes;
        text.Pairs(
        [
            ("objects", Amount.Count(statistics.Objects)),
            ("live", $"{Amount.Bytes(statistics.LiveBytes)}, {Amount.Percent(statistics.LiveBytes, resident)} of the segments in use"),
            ("segments", $"{Amount.Bytes(resident)} in use, {Amount.Bytes(statistics.FreeSegmentBytes)} free"),
            ("waiting", $"{Amount.Count(statistics.RetiredSegments)} retired, {Amount.Count(statistics.QuarantinedSegments)} quarantined"),
            ("large objects", $"{Amount.Count(statistics.LargeObjects)}, {Amount.Bytes(statistics.LargeBytes)}"),
            ("table", $"{Amount.Bytes(statistics.TableBytes)}, {Amount.Count(statistics.SlotsIssued)} slots issued, {Amount.Count(statistics.SlotsRetired)} used up"),
            ("used", Amount.Bytes(statistics.UsedBytes)),
            ("free on the device", statistics.DiskFreeBytes is { } free ? Amount.Bytes(free) : "not known"),
        ]);
        if (segments.Count > 0)
        {
            text.Line();
            SegmentPicture.Write(text, segments, VerbRun.HasBlocks);
        }
    }

    private static void Write(Utf8JsonWriter json, PileStatistics statistics, IReadOnlyList<PileSegment> segments)
    {
        json.WriteNumber("objects", statistics.Objects);
        json.WriteNumber("liveBytes", statistics.LiveBytes);
        json.WriteNumber("segmentBytes", statistics.SegmentBytes);
        json.WriteNumber("freeSegmentBytes", statistics.FreeSegmentBytes);
        json.WriteNumber("retiredSegments", statistics.RetiredSegments);
        json.WriteNumber("quarantinedSegments", statistics.QuarantinedSegments);
        json.WriteNumber("largeObjects", statistics.LargeObjects);
        json.WriteNumber("largeBytes", statistics.LargeBytes);
        json.WriteNumber("tableBytes", statistics.TableBytes);
        json.WriteNumber("slotsIssued", statistics.SlotsIssued);
        json.WriteNumber("slotsRetired", statistics.SlotsRetired);
        json.WriteNumber("usedBytes", statistics.UsedBytes);
        json.NumberOrNull("diskFreeBytes", statistics.DiskFreeBytes);
        json.Array("segments", segments, segment =>
        {
            json.WriteNumber("index", segment.Index);
            json.WriteString("state", segment.State.ToString());
            json.WriteNumber("sequence", segment.Sequence);
            json.WriteNumber("bytes", segment.Bytes);
            json.WriteNumber("writtenBytes", segment.WrittenBytes);
            json.WriteNumber("liveBytes", segment.LiveBytes);
        });
    }
}
