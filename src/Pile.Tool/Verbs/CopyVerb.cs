// pile copy: a copy of a closed pile, or of one that a crash left, in another directory. The copy is durable and keeps all pointers.
// Of a pile with damage it makes none, which is why all of it is verified first: `pile recover` does. A running program copies its own
// pile by CopyTo.
using System.CommandLine;
using System.IO;
using Pile.Cache.Files;
using Pile.Tool.Entries;
using Pile.Tool.Output;
using Pile.Tool.Running;

namespace Pile.Tool.Verbs;

/// <summary>The verb <c>copy</c>.</summary>
internal static class CopyVerb
{
    /// <summary>The verb.</summary>
    internal static Command Build()
    {
        Argument<string> where = VerbBuilder.WherePile();
        Argument<string> target = new("target") { Description = "A directory that is missing or empty; of a server a name below its CopyDirectory." };
        return VerbBuilder.Verb("copy", "Copies a pile to another directory. The source is only read, and of a server goes on meanwhile.", where, (run, parsed) => run.Address is null ? Run(run, parsed.GetRequiredValue(target)) : AtServer(run, parsed.GetRequiredValue(target)), target);
    }

    private static ExitCode Run(VerbRun run, string target)
    {
        PileCopyReport report;
        using (ObjectPile pile = run.OpenWhole(run.Directory!))
        {
            Damage.RefuseAny(run, pile);
            if (StoredTables.Problem(PileInspection.Of(run.Directory!, run.Stop), pile, run.Stop) is { } problem)
            {
                throw new ToolException(ExitCode.Damaged, $"'{problem.Path}': {problem.What}.");
            }

            report = TargetDirectory.Make(target, () => run.WithProgress(
                "copying", ofBytes: true, meter => pile.CopyTo(target, meter.As<PileCopyProgress>(static at => (at.Bytes, at.TotalBytes)), run.Stop)));
        }

        Write(run, Path.GetFullPath(target), report.Bytes, report.Segments, report.LargeObjects);
        CacheTables.TellOfLeft(run, withDurable: true);
        return ExitCode.Ok;
    }

    private static ExitCode AtServer(VerbRun run, string name)
    {
        V1.CopyReply reply = ServerCare.Copy(run, name);
        Write(run, name, (long)reply.Bytes, (long)reply.Segments, (long)reply.LargeObjects);
        return ExitCode.Ok;
    }

    private static void Write(VerbRun run, string target, long bytes, long segments, long largeObjects) => run.Write(
        json =>
        {
            json.WriteString("target", target);
            json.WriteNumber("bytes", bytes);
            json.WriteNumber("segments", segments);
            json.WriteNumber("largeObjects", largeObjects);
        },
        text => text.Pairs(
        [
            ("copied to", target),
            ("bytes", Amount.Bytes(bytes)),
            ("segments", Amount.Count(segments)),
            ("large objects", Amount.Count(largeObjects)),
        ]));
}
