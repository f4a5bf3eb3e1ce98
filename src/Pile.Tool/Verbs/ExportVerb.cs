// pile export: a pile as one MessagePack stream (docs/EXPORT.md), to a file that is there whole or not at all, or to standard output.
// For a backup of files as they are there is `pile copy`, which is faster.
using System.CommandLine;
using System.IO;
using Pile.Tool.Output;
using Pile.Tool.Running;

namespace Pile.Tool.Verbs;

/// <summary>The verb <c>export</c>.</summary>
internal static class ExportVerb
{
    /// <summary>What stands for standard input and output.</summary>
    internal const string Standard = "-";

    /// <summary>The verb.</summary>
    internal static Command Build()
    {
        Argument<string> directory = VerbBuilder.Directory();
        Argument<string> file = new("file") { Description = "A file that is not there yet; - for standard output." };
        return VerbBuilder.Verb(
            "export", "Writes all objects, types and roots of a pile as one MessagePack stream. The pile is only read.", directory, (run, parsed) => Run(run, parsed.GetRequiredValue(file)), file);
    }

    private static ExitCode Run(VerbRun run, string file)
    {
        if (file == Standard && run.IsJson)
        {
            throw new ToolException(ExitCode.Usage, "--json and the export would both go to standard output. Name a file.");
        }

        PileExportReport report;
        using (ObjectPile pile = run.OpenWhole(run.Directory!))
        {
            if (file == Standard)
            {
                _ = Write(run, pile, run.Stream);
                run.Stream.Flush();
                CacheTables.TellOfLeft(run, withDurable: false);
                return ExitCode.Ok;
            }

            report = NewFile.Write(file, target => Write(run, pile, target));
        }

        run.Write(
            json =>
            {
                json.WriteString("file", Path.GetFullPath(file));
                json.WriteNumber("objects", report.Objects);
                json.WriteNumber("types", report.Types);
                json.WriteNumber("roots", report.Roots);
                json.WriteNumber("bytes", report.Bytes);
            },
            text => text.Pairs(
            [
                ("exported to", Path.GetFullPath(file)),
                ("objects", Amount.Count(report.Objects)),
                ("types", Amount.Count(report.Types)),
                ("roots", Amount.Count(report.Roots)),
                ("bytes", Amount.Bytes(report.Bytes)),
            ]));
        CacheTables.TellOfLeft(run, withDurable: false);
        return ExitCode.Ok;
    }

    private static PileExportReport Write(VerbRun run, ObjectPile pile, Stream target) => run.WithProgress(
        "exporting", ofBytes: false, meter => pile.Export(target, meter.As<PileTransferProgress>(static at => (at.Objects, at.TotalObjects)), run.Stop));
}
