// pile compact: moves what lives together and gives the rest back to the device. It opens the pile for writing, so that one which was
// not closed in order is recovered by it; one of a cache with that, for only the cache can move its entries. A pile with damage is
// refused, which is why all of it is verified first: a segment that is given back may hold the last whole copy of what is damaged elsewhere.
// Stopped, it leaves a whole pile: what was moved is moved.
using System;
using System.CommandLine;
using Pile.Cache;
using Pile.Tool.Entries;
using Pile.Tool.Output;
using Pile.Tool.Running;

namespace Pile.Tool.Verbs;

/// <summary>The verb <c>compact</c>.</summary>
internal static class CompactVerb
{
    private const double RatioMin = 1.05;
    private const double RatioMax = 16;

    /// <summary>The verb.</summary>
    internal static Command Build()
    {
        Argument<string> where = VerbBuilder.WherePile();
        Option<double> ratio = new("--ratio") { Description = "Bytes of segments for each byte that lives, 1.05 to 16.", HelpName = "ratio", DefaultValueFactory = static _ => RatioMin, CustomParser = NumberText.Double("--ratio", RatioMin, RatioMax) };
        return VerbBuilder.Verb(
            "compact", "Moves what lives together, and gives what is free back to the device. A pile in a directory is verified first, and refused if anything is damaged.", where, (run, parsed) => run.Address is null ? Run(run, parsed.GetValue(ratio)) : AtServer(run, parsed.GetValue(ratio)), ratio);
    }

    private static ExitCode Run(VerbRun run, double ratio)
    {
        PileCompactReport report;
        string opening;
        using (PileCache? cache = CacheTables.HasAny(PileInspection.Of(run.Directory!, run.Stop)) ? run.OpenCache(run.Directory!) : null)
        using (ObjectPile? own = cache is null ? run.OpenToWrite(run.Directory!) : null)
        {
            ObjectPile pile = cache?.Pile ?? own!;
            opening = pile.RecoveryReport().Opening.ToString();
            Damage.RefuseAny(run, pile);
            report = run.WithProgress(
                "compacting", ofBytes: true, meter => pile.Compact(ratio, meter.As<PileCompactProgress>(static at => (at.Bytes, at.TotalBytes)), run.Stop));
        }

        Write(run, opening, report.UsedBytesBefore, report.UsedBytesAfter, report.MovedBytes, report.ReachedRatio);
        return ExitCode.Ok;
    }

    private static ExitCode AtServer(VerbRun run, double ratio)
    {
        V1.CompactReply reply = ServerCare.Compact(run, ratio);
        Write(run, null, (long)reply.UsedBytesBefore, (long)reply.UsedBytesAfter, (long)reply.MovedBytes, reply.ReachedRatio);
        return ExitCode.Ok;
    }

    private static void Write(VerbRun run, string? opening, long before, long after, long moved, bool isReached) => run.Write(
        json =>
        {
            if (opening is not null)
            {
                json.WriteString("opening", opening);
            }

            json.WriteNumber("usedBytesBefore", before);
            json.WriteNumber("usedBytesAfter", after);
            json.WriteNumber("movedBytes", moved);
            json.WriteBoolean("reachedRatio", isReached);
        },
        text => text.Pairs(
        [
            .. opening is null ? Array.Empty<(string, string)>() : [("opened", opening)],
            ("used before", Amount.Bytes(before)),
            ("used after", Amount.Bytes(after)),
            ("moved", Amount.Bytes(moved)),
            ("ratio", isReached ? "reached" : "not reached: what is left is the room of segments that are being written"),
        ]));
}
