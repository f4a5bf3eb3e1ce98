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
        Argument<string> where = VerbBuilder.Where();
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
        EntryValue value = entries.Get(table, key) ?? throw new ToolException(ExitCode.NotFound, $"There is no entry '{entries.WordsOf(table, key)}' in the table '{table}'.");
        ValueOutput.Write(run, value.Output(), value.Text is not null || value.Json is not null, output, json =>
        {
            json.WriteString("table", table);
            json.WriteString("key", entries.WordsOf(table, key));
            value.Write(json);
        });
        return ExitCode.Ok;
    }
}
