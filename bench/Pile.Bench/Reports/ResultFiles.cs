using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.Json;
using Pile.Bench.Running;

namespace Pile.Bench.Reports;

/// <summary>Results as files, a folder a machine.</summary>
internal static class ResultFiles
{
    private static readonly JsonSerializerOptions _json = new() { WriteIndented = true };

    internal static void WriteTable(
        TableFace face, BenchSettings settings, Machine machine, IReadOnlyList<RowResult> results, IReadOnlyList<SeriesResult> series, bool withMarkdown)
    {
        if (withMarkdown)
        {
            string text = $"""
                # {face.Title}

                - machine: {machine.Cpu}, {machine.Cores} cores, {machine.MemoryGiB} GiB, transparent huge pages: {machine.HugePages}
                - system: {machine.System}
                - runtime: {machine.Runtime}
                - date: {machine.Date}
                - command: `dotnet run -c Release --project bench/Pile.Bench -- {settings.Command}` ({settings.Objects:N0} objects, {settings.Rounds} rounds)

                Ours and theirs ran in turn in one process. Each figure is a median over the rounds, each ratio the median of
                the ratios of each round, with the quartiles and the range of these. Rows without a bar are there to explain others.
                The first figures are by the wall clock. "cpu" is the same by the processor time of the calling threads: the better
                figure where others used the machine meanwhile, but blind to waiting and to a pile's background thread.

                {TextTable.Markdown(results)}
                ## What ran

                {TextTable.Definitions(results)}
                """;
            WriteText(PathOf(machine, face.Name + ".md"), text.TrimEnd() + "\n");
        }

        var content = new
        {
            machine,
            settings.Command,
            settings.Objects,
            settings.Rounds,
            rows = results.Select(result => new
            {
                result.Workload,
                result.Row.Name,
                result.Row.Unit,
                result.Row.Must,
                result.Row.Reach,
                result.Row.AtMost,
                wall = result.Wall,
                cpu = result.Cpu,
            }),
            series,
        };
        WriteText(settings.JsonPath ?? PathOf(machine, face.Name + ".json"), JsonSerializer.Serialize(content, _json) + "\n");
    }

    /// <summary>Writes a file of this machine's results.</summary>
    internal static void WriteText(string path, string text)
    {
        if (Path.GetDirectoryName(Path.GetFullPath(path)) is { } folder)
        {
            Directory.CreateDirectory(folder);
        }

        File.WriteAllText(path, text);
        Console.WriteLine($"wrote {Path.GetRelativePath(Environment.CurrentDirectory, path)}");
    }

    /// <summary>The path of a file of a machine's results.</summary>
    internal static string PathOf(Machine machine, string name) => Path.Combine(Root(), "bench", "results", machine.FolderName, name);

    private static string Root()
    {
        for (DirectoryInfo? folder = new(Environment.CurrentDirectory); folder is not null; folder = folder.Parent)
        {
            if (File.Exists(Path.Combine(folder.FullName, "Pile.sln")))
            {
                return folder.FullName;
            }
        }

        throw new DirectoryNotFoundException("No Pile.sln in the current folder or above it: run from the repository, or give --json.");
    }
}
