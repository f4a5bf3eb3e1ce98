using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;

namespace Pile.HitRatio.Reports;

/// <summary>A result for people.</summary>
internal static class Markdown
{
    internal static string Of(HitRatioResult result)
    {
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"""
            # Miss ratios

            - machine: {result.Machine.Cpu}, {result.Machine.Cores} cores, {result.Machine.MemoryGiB} GiB
            - system: {result.Machine.System}
            - runtime: {result.Machine.Runtime}
            - date: {result.Machine.Date}, {result.Seconds:0} s
            - command: `{result.Command}`
            - seed: {result.Seed}

            The part of requests that missed, first requests of keys included; behind it the ratio to exact S3-FIFO, below 1 where fewer
            missed. A cache has the given part of the bytes that a trace asks for in all. An object counts with its value, a key of
            {result.KeyBytes} B and {result.ChargeBytes} B beside them; one that is larger than the cache is passed by.

            {Table(Grid.Heads(result), Grid.Rows(result))}
            ## Who they are

            {Table(["contestant", "version", "source"], result.Contestants.Select(static contestant => new[] { contestant.Name, contestant.Version, contestant.Source }))}
            ## What ran


            """);
        foreach (TraceResult trace in result.Traces)
        {
            text.Append(CultureInfo.InvariantCulture, $"- {trace.Name}: {trace.Definition}. {trace.Requests:#,0} requests of {trace.Keys:#,0} keys, {trace.Bytes:#,0} B.\n");
        }

        return text.ToString();
    }

    private static string Table(string[] heads, IEnumerable<string[]> lines)
    {
        var text = new StringBuilder();
        text.Append("| ").AppendJoin(" | ", heads).Append(" |\n|").Insert(text.Length, "---|", heads.Length);
        foreach (string[] line in lines)
        {
            text.Append("\n| ").AppendJoin(" | ", line).Append(" |");
        }

        return text.Append('\n').ToString();
    }
}
