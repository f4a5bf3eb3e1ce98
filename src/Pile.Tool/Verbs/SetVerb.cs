// pile set: stores a value under a key of a cache, from the command line or from a file, with an end, a worth, tags, a condition.
// Its table must be there: programs and servers make tables.
using System;
using System.CommandLine;
using System.IO;
using Pile.Cache;
using Pile.Client;
using Pile.Tool.Entries;
using Pile.Tool.Running;

namespace Pile.Tool.Verbs;

/// <summary>The verb <c>set</c>.</summary>
internal static class SetVerb
{
    // Read at once of a file: between two pieces the command may be asked to end.
    private const int PieceBytes = 1 << 20;

    /// <summary>The verb.</summary>
    internal static Command Build()
    {
        Argument<string> where = VerbBuilder.Where();
        Argument<string> key = EntryArguments.Key();
        Argument<string?> value = new("value") { Description = "The value, in the same forms; or --input.", Arity = ArgumentArity.ZeroOrOne };
        Option<string> table = EntryArguments.Table();
        Option<string?> input = new("--input", "-i") { Description = "Store the bytes of this file; - for standard input.", HelpName = "file" };
        Option<TimeSpan?> ttl = new("--ttl") { Description = "How long it lives, as 500ms, 90s, 10m, 2h, 7d; as the table says unless given.", HelpName = "time", CustomParser = DurationText.Parse };
        Option<TimeSpan?> sliding = new("--sliding") { Description = "How long it lives from its last use on.", HelpName = "time", CustomParser = DurationText.Parse };
        Option<PileCachePriority?> priority = new("--priority") { Description = "What it is worth when room is needed.", CustomParser = ChoiceText.Parse<PileCachePriority>("--priority") };
        Option<string[]> tags = new("--tag") { Description = "A tag that it can be removed by; may be given several times.", HelpName = "tag", DefaultValueFactory = static _ => [] };
        Option<SetWhen> when = new("--when") { Description = "Store in any case, only where there is no entry, or only where there is one. The exit code is 10 where it was not stored.", CustomParser = ChoiceText.ParseOr("--when", SetWhen.Always), DefaultValueFactory = static _ => SetWhen.Always };
        Command verb = VerbBuilder.Verb(
            "set",
            "Stores a value under a key of a cache.",
            where,
            (run, parsed) => Run(
                run,
                parsed.GetValue(table)!,
                parsed.GetRequiredValue(key),
                Read(run, parsed.GetValue(value), parsed.GetValue(input)),
                new EntryTermsAsked(parsed.GetValue(ttl), parsed.GetValue(sliding), parsed.GetValue(priority), parsed.GetValue(tags)!, parsed.GetValue(when))),
            key,
            value,
            table,
            input,
            ttl,
            sliding,
            priority,
            tags,
            when);
        verb.Validators.Add(result =>
        {
            if (result.GetResult(value) is { Tokens.Count: > 0 } == result.GetResult(input) is not null)
            {
                result.AddError("Give the value, or --input with a file: one of them.");
            }
        });
        return verb;
    }

    private static ValueWords Read(VerbRun run, string? words, string? input)
    {
        if (words is not null)
        {
            return new ValueWords(words, null);
        }

        using Stream stream = InputFile.Open(input!, "a file with the value", run.Stop);
        using var bytes = new MemoryStream();
        byte[] piece = new byte[PieceBytes];
        for (int count = stream.Read(piece); count > 0; count = stream.Read(piece))
        {
            run.Stop.ThrowIfCancellationRequested();
            if (bytes.Length + count > ClientLimits.ValueBytesMax)
            {
                throw new ToolException(ExitCode.Usage, $"'{input}' has more bytes than a value may have (ValueBytesMax = {ClientLimits.ValueBytesMax:N0}). Store it in parts, each under a key of its own.");
            }

            bytes.Write(piece, 0, count);
        }

        return new ValueWords(null, bytes.ToArray());
    }

    private static ExitCode Run(VerbRun run, string table, string words, ValueWords value, EntryTermsAsked terms)
    {
        using IEntries entries = run.OpenEntries();
        byte[] key = entries.KeyOf(table, words);
        EntryOutcome outcome = entries.Set(table, key, value, terms);
        run.Write(
            json =>
            {
                json.WriteString("table", table);
                json.WriteString("key", entries.WordsOf(table, key));
                json.WriteString("outcome", outcome.ToString());
            },
            text => text.Line(outcome switch
            {
                EntryOutcome.Inserted => "stored",
                EntryOutcome.Replaced => "stored in place of another",
                EntryOutcome.Expired => "not stored: it would have ended already",
                _ => $"not stored: there is {(terms.When == SetWhen.Absent ? "an" : "no")} entry of that key",
            }));
        return outcome is EntryOutcome.Inserted or EntryOutcome.Replaced ? ExitCode.Ok : ExitCode.Refused;
    }
}
