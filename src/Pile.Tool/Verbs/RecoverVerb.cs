// pile recover: what is whole of a damaged pile, in a new directory, with a list of what was dropped. The damaged pile is only read.
// The new one is verified before it is told of.
using System.Collections.Generic;
using System.CommandLine;
using System.IO;
using System.Text.Json;
using Pile.Cache.Files;
using Pile.Tool.Output;
using Pile.Tool.Running;

namespace Pile.Tool.Verbs;

/// <summary>The verb <c>recover</c>.</summary>
internal static class RecoverVerb
{
    private const int ShownMax = 50;

    /// <summary>The verb.</summary>
    internal static Command Build()
    {
        Argument<string> directory = VerbBuilder.Directory();
        Argument<string> target = new("target") { Description = "A directory that is missing or empty." };
        return VerbBuilder.Verb(
            "recover",
            "Brings what is whole of a damaged pile into a new directory, and lists what was dropped. The damaged pile is only read. The exit code is 1 when something was dropped.",
            directory,
            (run, parsed) => Run(run, parsed.GetRequiredValue(target)),
            target);
    }

    private static ExitCode Run(VerbRun run, string target)
    {
        (Outcome outcome, bool hasTables) = TargetDirectory.Make(
            target,
            () => run.WithProgress("recovering", ofBytes: true, meter => PileSalvage.Run(
                run.Directory!,
                target,
                meter.As<PileRecoveryProgress>(static at => (at.Bytes, at.TotalBytes)),
                meter.As<PileCopyProgress>(static at => (at.Bytes, at.TotalBytes)),
                run.Stop)),
            report => Look(run, target, report));
        run.Write(json => Write(json, outcome), text => Write(text, outcome));
        CacheTables.TellOfLeft(run, withDurable: hasTables);
        return outcome.Dropped.Count == 0 && outcome.Verified.IsGood ? ExitCode.Ok : ExitCode.Damaged;
    }

    private static (Outcome Outcome, bool HasTables) Look(VerbRun run, string target, PileSalvageReport report)
    {
        List<PileDamageReport> dropped = [.. report.Dropped, .. Damage.OfPromise(run, report.Opened)];
        using ObjectPile made = run.OpenWhole(target);
        PileVerifyReport verified = run.WithProgress(
            "verifying", ofBytes: true, meter => made.Verify(meter.As<PileVerifyProgress>(static at => (at.Bytes, at.TotalBytes)), run.Stop));
        PileDamageReport? ofTables = StoredTables.Problem(PileInspection.Of(target, run.Stop), made, run.Stop) ?? StoredTables.Problem(PileInspection.Of(run.Directory!, run.Stop));
        bool hasTables = ofTables is null || StoredTables.IsMended(ofTables);
        if (!hasTables)
        {
            dropped.Add(ofTables!);
        }

        return (new Outcome(Path.GetFullPath(target), report, dropped, verified), hasTables);
    }

    private static void Write(TextOutput text, Outcome outcome)
    {
        text.Pairs(
        [
            ("read", $"{outcome.Report.Opened.Opening}: {outcome.Report.Opened.Reason}"),
            ("recovered to", outcome.Target),
            ("objects", Amount.Count(outcome.Verified.Objects)),
            ("bytes", Amount.Bytes(outcome.Report.Copied.Bytes)),
            ("verified", outcome.Verified.IsGood ? "good" : $"{Amount.Count(outcome.Verified.Findings.Count)} findings; 'pile verify' lists them"),
            ("dropped", outcome.Dropped.Count == 0 ? "nothing" : Amount.Count(outcome.Dropped.Count)),
        ]);
        for (int index = 0; index < int.Min(ShownMax, outcome.Dropped.Count); index++)
        {
            text.Line($"{outcome.Dropped[index].Path}: {outcome.Dropped[index].What}", indent: 2);
        }

        if (outcome.Dropped.Count > ShownMax)
        {
            text.Line($"and {Amount.Count(outcome.Dropped.Count - ShownMax)} more; --json has all", indent: 2);
        }
    }

    private static void Write(Utf8JsonWriter json, Outcome outcome)
    {
        json.WriteString("target", outcome.Target);
        json.WriteString("opening", outcome.Report.Opened.Opening.ToString());
        json.WriteString("reason", outcome.Report.Opened.Reason);
        json.WriteNumber("objects", outcome.Verified.Objects);
        json.WriteNumber("bytes", outcome.Report.Copied.Bytes);
        json.WriteBoolean("isGood", outcome.Verified.IsGood);
        json.Damages("dropped", outcome.Dropped);
    }

    private sealed record Outcome(string Target, PileSalvageReport Report, List<PileDamageReport> Dropped, PileVerifyReport Verified);
}
