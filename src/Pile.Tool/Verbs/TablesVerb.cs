// pile tables: the tables of a cache, what they were made with, and what is in them; after one was made, emptied or dropped.
// Types are by their stored names; none is loaded.
using System;
using System.Collections.Generic;
using System.CommandLine;
using System.CommandLine.Parsing;
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
        Option<string?> create = TableNames.Only(new Option<string?>("--create") { Description = "Make a table at a server first, unless it is there.", HelpName = "name" });
        Option<bool> durable = new("--durable") { Description = "Of --create: it never evicts, and what it has no room for is refused." };
        Option<TimeSpan?> ttl = new("--ttl") { Description = "Of --create: how long entries live that say nothing, as 90s, 10m, 2h, 7d.", HelpName = "time", CustomParser = DurationText.Parse };
        Option<long> entriesMax = new("--entries-max") { Description = "Of --create: entries beyond which it evicts its own.", HelpName = "count", CustomParser = NumberText.Long("--entries-max", 1, long.MaxValue) };
        Option<long> bytesMax = new("--bytes-max") { Description = "Of --create: bytes of records beyond which it evicts its own.", HelpName = "count", CustomParser = NumberText.Long("--bytes-max", 1, long.MaxValue) };
        Option<string?> clear = TableNames.Only(new Option<string?>("--clear") { Description = "Remove all entries of a table first.", HelpName = "name" });
        Option<string?> drop = TableNames.Only(new Option<string?>("--drop") { Description = "Remove a table with its entries first.", HelpName = "name" });
        Command verb = VerbBuilder.Verb(
            "tables",
            "Lists the tables of a cache, with what they were made with and what is in them; makes, clears or drops one first.",
            where,
            (run, parsed) =>
            {
                using IEntries entries = run.OpenEntries();
                if (parsed.GetValue(create) is { } made)
                {
                    entries.Create(made, new TableAsked(parsed.GetValue(durable), parsed.GetValue(ttl), parsed.GetValue(entriesMax), parsed.GetValue(bytesMax)));
                }

                if (parsed.GetValue(clear) is { } emptied)
                {
                    entries.Clear(emptied);
                }

                if (parsed.GetValue(drop) is { } dropped)
                {
                    entries.Drop(dropped);
                }

                return Run(run, entries);
            },
            create,
            durable,
            ttl,
            entriesMax,
            bytesMax,
            clear,
            drop);
        verb.Validators.Add(result =>
        {
            if (result.GetResult(create) is null && Array.Exists((Option[])[durable, ttl, entriesMax, bytesMax], term => result.GetResult(term) is { Implicit: false }))
            {
                result.AddError("--durable, --ttl, --entries-max and --bytes-max say what --create makes: give its name too.");
            }

            if (NameOf(result, drop) is { } dropped)
            {
                if (dropped == NameOf(result, clear))
                {
                    result.AddError($"--clear and --drop are both of '{dropped}': a table that is dropped has no entries left to clear. Give one of them.");
                }

                if (dropped == NameOf(result, create))
                {
                    result.AddError($"--create and --drop are both of '{dropped}', which would be made and removed. Give one of them.");
                }
            }
        });
        return verb;
    }

    private static string? NameOf(CommandResult result, Option<string?> option) => result.GetResult(option) is { Tokens: [{ Value: { Length: > 0 } name }] } ? name : null;

    private static ExitCode Run(VerbRun run, IEntries entries)
    {
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
