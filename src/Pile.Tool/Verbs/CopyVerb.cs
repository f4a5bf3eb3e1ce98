// pile copy: a copy of a closed pile, or of one that a crash left, in another directory. The copy is durable and keeps all pointers.
// Of a pile with damage it makes none, which is why all of it is verified first: `pile recover` does. A running program copies its own
// pile by CopyTo.
using System.CommandLine;
using System.IO;
using Pile.Tool.Output;
using Pile.Tool.Running;

namespace Pile.Tool.Verbs;

/// <summary>The verb <c>copy</c>.</summary>
internal static class CopyVerb
{
    /// <summary>The verb.</summary>
    internal static Command Build()
    {
        Argument<string> directory = VerbBuilder.Directory();
        Argument<string> target = new("target") { Description = "A directory that is missing or empty." };
        return VerbBuilder.Verb("copy", "Copies a pile to another directory. The source is only read.", directory, (run, parsed) => Run(run, parsed.GetRequiredValue(target)), target);
    }

    private static ExitCode Run(VerbRun run, string target)
    {
        PileCopyReport report;
        using (ObjectPile pile = run.OpenWhole(run.Directory!))
        {
            PileVerifyReport verified = run.WithProgress(
                "verifying", ofBytes: true, meter => pile.Verify(meter.As<PileVerifyProgress>(static at => (at.Bytes, at.TotalBytes)), run.Stop));
            if (!verified.IsGood)
            {
                throw new ToolException(
                    ExitCode.Damaged, $"'{Path.GetFullPath(run.Directory!)}' is damaged: 'pile verify' says where, 'pile recover' brings what is whole into a new directory.");
            }

            report = TargetDirectory.Make(target, () => run.WithProgress(
                "copying", ofBytes: true, meter => pile.CopyTo(target, meter.As<PileCopyProgress>(static at => (at.Bytes, at.TotalBytes)), run.Stop)));
        }

        run.Write(
            json =>
            {
                json.WriteString("target", Path.GetFullPath(target));
                json.WriteNumber("bytes", report.Bytes);
                json.WriteNumber("segments", report.Segments);
                json.WriteNumber("largeObjects", report.LargeObjects);
            },
            text => text.Pairs(
            [
                ("copied to", Path.GetFullPath(target)),
                ("bytes", Amount.Bytes(report.Bytes)),
                ("segments", Amount.Count(report.Segments)),
                ("large objects", Amount.Count(report.LargeObjects)),
            ]));
        CacheTables.TellOfLeft(run);
        return ExitCode.Ok;
    }
}
