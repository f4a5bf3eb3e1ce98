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
        TableFace face, BenchSettings settings, Machine machine, IReadOnlyList<RowResult> results, IReadOnlyList<SeriesResult> series,
        IReadOnlyList<string> missed, bool withMarkdown)
    {
        string path = settings.JsonPath ?? ResultFolder.PathOf(machine, face.Name + ".json");
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

                {TextTable.Definitions(results)}{string.Concat(missed.Select(line => $"- {line}\n"))}
                """;
            ResultFolder.WriteText(Path.ChangeExtension(path, "md"), text.TrimEnd() + "\n");
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
            missed,
        };
        ResultFolder.WriteText(path, JsonSerializer.Serialize(content, _json) + "\n");
    }
}
