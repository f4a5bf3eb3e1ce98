// pile get: the value of a key of a cache: text as UTF-8, an object as JSON, anything else as its bytes. To standard output, or to a file
// that is there whole or not at all. Of a pile without a cache it is the value of an object, as `pile show --as value` has it.
using System.CommandLine;
using Pile.Tool.Entries;
using Pile.Tool.Output;
using Pile.Tool.Running;

namespace Pile.Tool.Verbs;

/// <summary>The verb <c>get</c>.</summary>
internal static class GetVerb
{
    /// <summary>The verb.</summary>
    internal static Command Build()
    {
        Argument<string> where = VerbBuilder.WherePile();
        Argument<string> key = EntryArguments.Key();
        Option<string> table = EntryArguments.Table();
        Option<string?> output = new("--output", "-o") { Description = "Write to this file, which must not be there.", HelpName = "file" };
        return VerbBuilder.Verb(
            "get",
            "Writes the value of a key of a cache, or of an object of a pile without one: text as UTF-8, an object as JSON, anything else as its bytes.",
            where,
            (run, parsed) => Run(run, parsed.GetValue(table)!, parsed.GetRequiredValue(key), parsed.GetValue(output)),
            key,
            table,
            output);
    }

    private static ExitCode Run(VerbRun run, string table, string words, string? output)
    {
        if (run.Directory is { } directory && table == EntryArguments.TableDefault && !CacheTables.HasAny(PileInspection.Of(directory, run.Stop)))
        {
            return ShowVerb.WriteValue(run, words, output);
        }

        using IEntries entries = run.OpenEntries();
        byte[] key = entries.KeyOf(table, words);
        EntryValue value = entries.Get(table, key) ?? throw Missing(entries, table, key);
        ValueOutput.Write(run, value.Output(), value.Text is not null || value.Json is not null, output, json =>
        {
            json.WriteString("table", table);
            json.WriteString("key", entries.WordsOf(table, key));
            value.Write(json);
        });
        return ExitCode.Ok;
    }

    /// <summary>A damaged entry is a miss to a cache; who looks for it here is told that it may be one.</summary>
    private static ToolException Missing(IEntries entries, string table, byte[] key)
    {
        string words = entries.WordsOf(table, key);
        return entries.Damaged is > 0 and var damaged
            ? new ToolException(ExitCode.Damaged, $"No entry '{words}' in the table '{table}' can be read, and {Damage.OfEntries(damaged)}: it may be one of these. 'pile verify' lists what is damaged; 'pile set' stores an entry anew.")
            : new ToolException(ExitCode.NotFound, $"There is no entry '{words}' in the table '{table}'.");
    }
}
