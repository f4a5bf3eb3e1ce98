// pile top: what a server is doing now: the whole in a line, and its tables, those with most reads first; again and again, in place on a
// terminal, as blocks where the text goes elsewhere.
using System;
using System.Collections.Generic;
using System.CommandLine;
using System.Linq;
using Pile.Tool.Entries;
using Pile.Tool.Output;
using Pile.Tool.Running;

namespace Pile.Tool.Verbs;

/// <summary>The verb <c>top</c>.</summary>
internal static class TopVerb
{
    // ANSI: home, and erase to the end of the screen.
    private const string Anew = "\u001B[H\u001B[J";
    private const int RowsMax = 50;

    /// <summary>The verb.</summary>
    internal static Command Build()
    {
        Argument<string> address = VerbBuilder.Address();
        Option<TimeSpan?> every = FollowOptions.Every();
        Option<int> count = FollowOptions.Count();
        return VerbBuilder.Verb(
            "top",
            "Shows what a server's tables are doing, those with most reads first, again and again.",
            address,
            (run, parsed) => Run(run, FollowOptions.Of(parsed.GetValue(every)), parsed.GetValue(count)),
            every,
            count);
    }

    private static ExitCode Run(VerbRun run, TimeSpan every, int count)
    {
        run.BeginLines();
        using IEntries entries = run.OpenEntries();
        Sample.Follow(run, entries, every, count, withTables: true, (before, now) =>
        {
            List<(TableRow Table, CountRow Was, double Reads)> tables =
            [
                .. now.Tables.Select(table => (table, before.CountsOf(table.Name), Reads(run, before, now, before.CountsOf(table.Name), table.Counts))).OrderByDescending(static row => row.Item3).ThenBy(static row => row.table.Name, StringComparer.Ordinal),
            ];
            run.WriteAgain(
                json =>
                {
                    StatVerb.WriteRates(json, run, before, now);
                    json.Array("tables", tables, row =>
                    {
                        json.WriteString("name", row.Table.Name);
                        CountsJson.Write(json, row.Table.Counts);
                        json.WriteNumber("readsPerSecond", row.Reads);
                        json.WriteNumber("hitsPerSecond", now.Rate(run, before, row.Was.Hits, row.Table.Counts.Hits));
                        json.WriteNumber("evictionsPerSecond", now.Rate(run, before, row.Was.Evictions, row.Table.Counts.Evictions));
                        json.WriteNumber("expirationsPerSecond", now.Rate(run, before, row.Was.Expirations, row.Table.Counts.Expirations));
                    });
                },
                text => Write(text, run, before, now, tables),
                VerbRun.IsTerminal ? Anew : null);
        });
        return ExitCode.Ok;
    }

    private static double Reads(VerbRun run, Sample before, Sample now, in CountRow was, in CountRow counts) =>
        now.Rate(run, before, was.Hits, counts.Hits) + now.Rate(run, before, was.Misses, counts.Misses);

    private static void Write(TextOutput text, VerbRun run, Sample before, Sample now, List<(TableRow Table, CountRow Was, double Reads)> tables)
    {
        CacheRow cache = now.Cache;
        text.Line($"{run.Address}: {Amount.Bytes(cache.UsedBytes)} of {Amount.Bytes(cache.LimitBytes)}, {Amount.Count(cache.Counts.Entries)} {(cache.Counts.Entries == 1 ? "entry" : "entries")}, {Amount.Count((long)now.Rate(run, before, before.Cache.Server!.Calls, cache.Server!.Calls))} calls/s");
        text.Line();
        List<string[]> rows = [];
        foreach ((TableRow table, CountRow was, double reads) in tables.Take(RowsMax))
        {
            double hits = now.Rate(run, before, was.Hits, table.Counts.Hits);
            rows.Add(
            [
                table.Name, Amount.Count((long)reads), Amount.Percent(hits, reads), Amount.Count((long)now.Rate(run, before, was.Evictions, table.Counts.Evictions)),
                Amount.Count((long)now.Rate(run, before, was.Expirations, table.Counts.Expirations)), Amount.Count(table.Counts.Entries), Amount.Bytes(table.Counts.EntryBytes),
            ]);
        }

        text.Table(["table", ">reads/s", ">hits", ">evicted/s", ">ended/s", ">entries", ">bytes"], rows);
        if (tables.Count > RowsMax)
        {
            text.Line($"and {Amount.Count(tables.Count - RowsMax)} more; --json has all");
        }

        text.Line();
    }
}
