// pile doctor: whether this machine, this process's limits and a directory's file system are fit for piles and caches, and what to
// change. It changes nothing; it writes one small file into the directory and removes it.
using System;
using System.Collections.Generic;
using System.CommandLine;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Threading;
using Pile.Tool.Health;
using Pile.Tool.Output;
using Pile.Tool.Running;

namespace Pile.Tool.Verbs;

/// <summary>The verb <c>doctor</c>.</summary>
internal static class DoctorVerb
{
    /// <summary>The verb.</summary>
    internal static Command Build()
    {
        Argument<string?> directory = new("directory") { Description = "Where a pile is or shall be; the current directory unless given.", Arity = ArgumentArity.ZeroOrOne };
        directory.Validators.Add(static result =>
        {
            if (result.Tokens is [var word] && Place.IsAddress(word.Value))
            {
                result.AddError($"'{word.Value}' is the address of a server; doctor looks at the machine that it runs on. Run it on the server's machine, with the server's directory.");
            }
        });
        return VerbBuilder.Verb(
            "doctor",
            "Says whether this machine and a directory's file system are fit for piles, and what to change. The exit code is 7 when something must be changed.",
            null,
            (run, parsed) => Run(run, parsed.GetValue(directory)),
            directory);
    }

    /// <summary>All checks.</summary>
    internal static List<Finding> Examine(SystemFiles files, string directory, TimeProvider clock, CancellationToken stop) =>
    [
        Platform(files),
        .. MemoryChecks.Run(files),
        FileChecks.OpenFiles(files),
        .. FileChecks.Of(files, directory, clock, stop),
    ];

    private static ExitCode Run(VerbRun run, string? given)
    {
        string directory = Path.GetFullPath(given ?? ".");
        if (!Directory.Exists(directory))
        {
            throw new DirectoryNotFoundException($"There is no directory '{directory}'. Create it, or give another.");
        }

        List<Finding> findings = run.WithProgress("examining", ofBytes: false, _ => Examine(new SystemFiles("/"), directory, run.Clock, run.Stop));
        int bad = findings.Count(static finding => finding.Grade == Grade.Bad);
        run.Write(
            json =>
            {
                json.WriteString("examined", directory);
                json.WriteBoolean("isFit", bad == 0);
                json.Array("findings", findings, finding =>
                {
                    json.WriteString("name", finding.Name);
                    json.WriteString("grade", finding.Grade.ToString());
                    json.WriteString("found", finding.Found);
                    json.WriteString("advice", finding.Advice);
                });
            },
            text => Write(text, directory, findings, bad));
        return bad == 0 ? ExitCode.Ok : ExitCode.Unfit;
    }

    private static void Write(TextOutput text, string directory, List<Finding> findings, int bad)
    {
        text.Pairs([("examined", directory), .. findings.Select(static finding => (finding.Name, finding.Found))]);
        text.Line();
        foreach (Finding finding in findings.Where(static finding => finding.Grade != Grade.Good))
        {
            text.Line($"{(finding.Grade == Grade.Bad ? "change" : "better")}: {finding.Name}: {finding.Advice}");
        }

        text.Line(bad == 0 ? "Fit for piles." : $"Not fit for piles: {Amount.Count(bad)} of these must be changed.");
    }

    private static Finding Platform(SystemFiles files)
    {
        string kernel = files.Text("proc/sys/kernel/osrelease") ?? RuntimeInformation.OSDescription;
        string found = $"Linux {kernel}, {RuntimeInformation.ProcessArchitecture}, {Amount.Count(Environment.ProcessorCount)} processors for this process, .NET {Environment.Version}";
        return OperatingSystem.IsLinux() && Environment.Is64BitProcess
            ? Finding.Good("system", found)
            : Finding.Bad("system", $"{RuntimeInformation.OSDescription}, {RuntimeInformation.ProcessArchitecture}", "Piles in files need 64-bit Linux.");
    }
}
