// pile tables: the tables of a cache, what they were made with, and what is in them.
// Types are by their stored names; none is loaded.
using System.Collections.Generic;
using System.CommandLine;
using Pile.Tool.Entries;
using Pile.Tool.Output;
using Pile.Tool.Running;

namespace Pile.Tool.Verbs;

/// <summary>The verb <c>tables</c>.</summary>
internal static class TablesVerb
{
    /// <summary>The verb.</summary>
    internal static Command Build()
    {
        Argument<string> where = VerbBuilder.Where();
        return VerbBuilder.Verb("tables", "Lists the tables of a cache, with what they were made with and what is in them.", where, (run, _) => Run(run));
    }

    private static ExitCode Run(VerbRun run)
    {
        using IEntries entries = run.OpenEntries();
        IReadOnlyList<TableRow> tables = entries.Tables();
        run.Write(
            json => json.Array("tables", tables, table =>
            {
                json.WriteString("name", table.Name);
                json.WriteString("kind", table.Kind);
                json.WriteString("keyType", table.KeyType);
                json.WriteString("valueType", table.ValueType);
                json.NumberOrNull("timeToLiveMs", (long?)table.TimeToLive?.TotalMilliseconds);
                json.NumberOrNull("entriesMax", table.EntriesMax);
                json.NumberOrNull("bytesMax", table.BytesMax);
                json.WriteNumber("bytesMin", table.BytesMin);
                CountsJson.Write(json, table.Counts);
            }),
            text =>
            {
                if (tables.Count == 0)
                {
                    text.Line("No tables.");
                    return;
                }

                List<string[]> rows = [];
                foreach (TableRow table in tables)
                {
                    rows.Add([table.Name, table.Kind, table.KeyType, table.ValueType, Amount.Count(table.Counts.Entries), Amount.Bytes(table.Counts.EntryBytes), Terms(table)]);
                }

                text.Table(["table", "kind", "keys", "values", ">entries", ">bytes", "terms"], rows);
            });
        return ExitCode.Ok;
    }

    private static string Terms(TableRow table)
    {
        List<string> terms = [];
        if (table.TimeToLive is { } life)
        {
            terms.Add($"lives {Amount.Span(life)}");
        }

        if (table.EntriesMax is { } entries)
        {
            terms.Add($"at most {Amount.Count(entries)}");
        }

        if (table.BytesMax is { } most)
        {
            terms.Add($"at most {Amount.Bytes(most)}");
        }

        if (table.BytesMin > 0)
        {
            terms.Add($"at least {Amount.Bytes(table.BytesMin)}");
        }

        return string.Join(", ", terms);
    }
}
