// pile import: a new pile in a directory, from what `pile export` or a program's Export wrote. Every object gets the pointer that it had.
// Nothing is imported into a pile that is there: pointers of both could not hold.
using System.CommandLine;
using System.IO;
using Pile.Tool.Output;
using Pile.Tool.Running;

namespace Pile.Tool.Verbs;

/// <summary>The verb <c>import</c>.</summary>
internal static class ImportVerb
{
    private const int BufferBytes = 1 << 20;

    /// <summary>The verb.</summary>
    internal static Command Build()
    {
        Argument<string> file = new("file") { Description = "The export; - for standard input." };
        Argument<string> target = new("target") { Description = "A directory that is missing or empty." };
        return VerbBuilder.Verb(
            "import",
            "Makes a pile from an export, with the same pointers.",
            where: null,
            (run, parsed) => Run(run, parsed.GetRequiredValue(file), parsed.GetRequiredValue(target)),
            file,
            target);
    }

    private static ExitCode Run(VerbRun run, string file, string target)
    {
        PileStatistics made;
        using (Stream source = InputFile.Open(file, "a file that 'pile export' or a program's Export wrote", run.Stop))
        using (var buffered = new BufferedStream(source, BufferBytes))
        using (ObjectPile pile = TargetDirectory.Make(target, () => run.WithProgress(
            "importing", ofBytes: false, meter => PileImport.ToDirectory(buffered, target, progress: meter.As<PileTransferProgress>(static at => (at.Objects, at.TotalObjects)), cancellationToken: run.Stop))))
        {
            made = pile.GetStatistics();
        }

        run.Write(
            json =>
            {
                json.WriteString("target", Path.GetFullPath(target));
                json.WriteNumber("objects", made.Objects);
                json.WriteNumber("liveBytes", made.LiveBytes);
            },
            text => text.Pairs(
            [
                ("imported to", Path.GetFullPath(target)),
                ("objects", Amount.Count(made.Objects)),
                ("live bytes", Amount.Bytes(made.LiveBytes)),
            ]));
        return ExitCode.Ok;
    }
}
