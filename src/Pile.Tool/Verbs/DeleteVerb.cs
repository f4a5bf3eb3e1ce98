// pile del: removes entries of a cache by their keys, or all that have a tag.
// The exit code says whether all were there.
using System.Collections.Generic;
using System.CommandLine;
using Pile.Tool.Entries;
using Pile.Tool.Output;
using Pile.Tool.Running;

namespace Pile.Tool.Verbs;

/// <summary>The verb <c>del</c>.</summary>
internal static class DeleteVerb
{
    /// <summary>The verb.</summary>
    internal static Command Build()
    {
        Argument<string> where = VerbBuilder.Where();
        Argument<string[]> keys = new("keys") { Description = $"The keys. {EntryArguments.KeyForms}", Arity = ArgumentArity.ZeroOrMore };
        Option<string> table = EntryArguments.Table();
        Option<string?> tag = new("--tag") { Description = "Remove all entries of the table that were stored with this tag.", HelpName = "tag" };
        tag.Validators.Add(static result =>
        {
            if (result.Tokens is [{ Value: "" }])
            {
                result.AddError("--tag is empty: give the tag that the entries were stored with.");
            }
        });
        Command verb = VerbBuilder.Verb(
            "del",
            "Removes entries of a cache. The exit code is 6 when one of the keys has none.",
            where,
            (run, parsed) => Run(run, parsed.GetValue(table)!, parsed.GetValue(keys)!, parsed.GetValue(tag)),
            keys,
            table,
            tag);
        verb.Validators.Add(result =>
        {
            if (result.GetResult(keys) is { Tokens.Count: > 0 } == result.GetResult(tag) is not null)
            {
                result.AddError("Give keys, or --tag: one of them.");
            }
        });
        return verb;
    }

    private static ExitCode Run(VerbRun run, string table, string[] words, string? tag)
    {
        using IEntries entries = run.OpenEntries();
        if (tag is not null)
        {
            entries.RemoveByTag(table, tag);
            run.Write(
                json =>
                {
                    json.WriteString("table", table);
                    json.WriteString("tag", tag);
                },
                text => text.Line($"removed what had the tag '{tag}'"));
            return ExitCode.Ok;
        }

        // All words first: a wrong one changes nothing.
        List<byte[]> keys = [];
        foreach (string word in words)
        {
            keys.Add(entries.KeyOf(table, word));
        }

        List<string> missing = [];
        foreach (byte[] key in keys)
        {
            run.Stop.ThrowIfCancellationRequested();
            if (entries.Remove(table, key) == EntryOutcome.Missing)
            {
                missing.Add(entries.WordsOf(table, key));
            }
        }

        run.Write(
            json =>
            {
                json.WriteString("table", table);
                json.WriteNumber("removed", keys.Count - missing.Count);
                json.WriteStartArray("missing");
                missing.ForEach(json.WriteStringValue);
                json.WriteEndArray();
            },
            text =>
            {
                text.Line($"removed {Amount.Count(keys.Count - missing.Count)}");
                missing.ForEach(key => text.Line($"not there: {key}"));
            });
        return missing.Count == 0 ? ExitCode.Ok : ExitCode.NotFound;
    }
}
