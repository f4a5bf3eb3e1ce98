// pile scan: the entries of a table, in no order, each on a line: the key as `pile get` takes it, and the beginning of its value.
// They are written as they are met: there may be more than memory holds.
using System.Collections.Generic;
using System.CommandLine;
using Pile.Tool.Entries;
using Pile.Tool.Running;

namespace Pile.Tool.Verbs;

/// <summary>The verb <c>scan</c>.</summary>
internal static class ScanVerb
{
    private const int FlushEvery = 1 << 10;

    /// <summary>The verb.</summary>
    internal static Command Build()
    {
        Argument<string> where = VerbBuilder.Where();
        Option<string> table = EntryArguments.Table();
        Option<string?> prefix = new("--prefix") { Description = "Only keys that begin so: keys of text and of bytes in the forms of keys, those of other types by their stored bytes, hex:00ff.", HelpName = "words" };
        Option<bool> keys = new("--keys") { Description = "Write keys alone." };
        Option<int> limit = new("--limit") { Description = "Write so many entries at the most.", DefaultValueFactory = static _ => int.MaxValue, HelpName = "count", CustomParser = NumberText.Int("--limit", 0, int.MaxValue) };
        return VerbBuilder.Verb(
            "scan",
            "Lists the entries of a table of a cache, in no order.",
            where,
            (run, parsed) => Run(run, parsed.GetValue(table)!, parsed.GetValue(prefix), parsed.GetValue(keys), parsed.GetValue(limit)),
            table,
            prefix,
            keys,
            limit);
    }

    private static ExitCode Run(VerbRun run, string table, string? prefix, bool keysOnly, int limit)
    {
        using IEntries entries = run.OpenEntries();
        byte[] start = prefix is null ? [] : entries.PrefixOf(table, prefix);
        run.Write(
            json =>
            {
                json.WriteString("table", table);
                json.WriteStartArray("entries");
                long written = 0;
                foreach ((byte[] key, EntryValue? value) in Some(run, entries.Scan(table, start, keysOnly), limit))
                {
                    json.WriteStartObject();
                    json.WriteString("key", entries.WordsOf(table, key));
                    value?.Write(json);
                    json.WriteEndObject();
                    if (++written % FlushEvery == 0)
                    {
                        json.Flush();
                    }
                }

                json.WriteEndArray();
            },
            text =>
            {
                foreach ((byte[] key, EntryValue? value) in Some(run, entries.Scan(table, start, keysOnly), limit))
                {
                    string words = entries.WordsOf(table, key);
                    if (value is null)
                    {
                        text.Whole(words);
                    }
                    else
                    {
                        text.Cut($"{words}  {value.Line()}");
                    }
                }
            });
        if (entries.Damaged is > 0 and var damaged)
        {
            run.Say($"{Damage.OfEntries(damaged)}, and not listed. 'pile verify' lists what is damaged.");
            return ExitCode.Damaged;
        }

        return ExitCode.Ok;
    }

    private static IEnumerable<(byte[] Key, EntryValue? Value)> Some(VerbRun run, IEnumerable<(byte[] Key, EntryValue? Value)> entries, int limit)
    {
        if (limit == 0)
        {
            yield break;
        }

        foreach ((byte[] Key, EntryValue? Value) entry in entries)
        {
            run.Stop.ThrowIfCancellationRequested();
            yield return entry;
            if (--limit == 0)
            {
                yield break;
            }
        }
    }
}
