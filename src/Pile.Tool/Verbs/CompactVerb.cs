// pile compact: moves what lives together and gives the rest back to the device. It opens the pile for writing, so that one which was
// not closed in order is recovered by it; a pile with damage is refused.
// Stopped, it leaves a whole pile: what was moved is moved.
using System.CommandLine;
using System.Globalization;
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
        Argument<string> directory = VerbBuilder.Directory();
        Option<double> ratio = new("--ratio") { Description = "Bytes of segments for each byte that lives, 1.05 to 16.", HelpName = "ratio", DefaultValueFactory = static _ => RatioMin };
        ratio.Validators.Add(result =>
        {
            if (result.Tokens.Count == 1
                && double.TryParse(result.Tokens[0].Value, NumberStyles.Float, CultureInfo.InvariantCulture, out double value)
                && !(value is >= RatioMin and <= RatioMax))
            {
                result.AddError(string.Create(CultureInfo.InvariantCulture, $"--ratio must lie between {RatioMin} and {RatioMax}, not {value}."));
            }
        });
        return VerbBuilder.Verb(
            "compact", "Moves what lives together, and gives what is free back to the device.", directory, (run, parsed) => Run(run, parsed.GetValue(ratio)), ratio);
    }

    private static ExitCode Run(VerbRun run, double ratio)
    {
        PileCompactReport report;
        string opening;
        using (ObjectPile pile = run.OpenToWrite(run.Directory!))
        {
            opening = pile.RecoveryReport().Opening.ToString();
            report = run.WithProgress(
                "compacting", ofBytes: true, meter => pile.Compact(ratio, meter.As<PileCompactProgress>(static at => (at.Bytes, at.TotalBytes)), run.Stop));
        }

        run.Write(
            json =>
            {
                json.WriteString("opening", opening);
                json.WriteNumber("usedBytesBefore", report.UsedBytesBefore);
                json.WriteNumber("usedBytesAfter", report.UsedBytesAfter);
                json.WriteNumber("movedBytes", report.MovedBytes);
                json.WriteBoolean("reachedRatio", report.ReachedRatio);
            },
            text => text.Pairs(
            [
                ("opened", opening),
                ("used before", Amount.Bytes(report.UsedBytesBefore)),
                ("used after", Amount.Bytes(report.UsedBytesAfter)),
                ("moved", Amount.Bytes(report.MovedBytes)),
                ("ratio", report.ReachedRatio ? "reached" : "not reached: what is left is the room of segments that are being written"),
            ]));
        return ExitCode.Ok;
    }
}
