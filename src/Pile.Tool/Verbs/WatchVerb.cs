// pile watch: what changes in a server's table, as it happens: each change on a line, with its key as `pile get` takes it.
// Values are not told; a change that was lost is.
using System;
using System.CommandLine;
using Pile.Client;
using Pile.Tool.Entries;
using Pile.Tool.Running;

namespace Pile.Tool.Verbs;

/// <summary>The verb <c>watch</c>.</summary>
internal static class WatchVerb
{
    private const string Lost = "lost";

    /// <summary>The verb.</summary>
    internal static Command Build()
    {
        Argument<string> address = VerbBuilder.Address();
        Option<string> table = EntryArguments.Table();
        Option<string?> prefix = new("--prefix") { Description = "Only keys that begin so. The forms are those of keys.", HelpName = "words" };
        Option<string?> resume = new("--resume") { Description = "Go on where a former watch was: the last 'resume' that it wrote with --json.", HelpName = "hex" };
        resume.Validators.Add(static result =>
        {
            if (result.Tokens is [var given] && !IsPlace(given.Value))
            {
                result.AddError($"--resume must be hexadecimal digits as --json writes them behind 'resume', not '{given.Value}'.");
            }
        });
        Option<int> count = FollowOptions.Count();
        return VerbBuilder.Verb(
            "watch",
            "Tells what changes in a table of a server, as it happens.",
            address,
            (run, parsed) => Run(run, parsed.GetValue(table)!, parsed.GetValue(prefix), parsed.GetValue(resume), parsed.GetValue(count)),
            table,
            prefix,
            resume,
            count);
    }

    private static ExitCode Run(VerbRun run, string table, string? prefix, string? resume, int count)
    {
        run.BeginLines();
        using PileClient client = run.Connect();
        byte[] place = resume is null ? [] : Convert.FromHexString(resume);
        bool isBegun = false;
        string? former = place.Length == 0 ? null : Convert.ToHexStringLower(place);
        foreach (V1.WatchReply reply in ServerWatch.Follow(run, client, table, prefix is null ? [] : Words.ToBytes(prefix), place))
        {
            if (!isBegun && !run.IsQuiet)
            {
                run.Say($"watching '{table}'");
            }

            isBegun = true;
            string at = Convert.ToHexStringLower(reply.Resume.Span);

            // Where a reply ends may only be said by its last line: who goes on from another one would miss the rest.
            int left = reply.Events.Count;
            if (reply.Lost)
            {
                Write(run, Lost, "", left == 0 ? at : former);
            }

            foreach (V1.WatchEvent change in reply.Events)
            {
                Write(run, NameOf(change.Kind), change.Key.IsEmpty ? "" : Words.Of(change.Key.Span), --left == 0 ? at : former);
                if (--count == 0)
                {
                    return ExitCode.Ok;
                }
            }

            former = at;
        }

        return ExitCode.Ok;
    }

    private static bool IsPlace(string digits) => digits.Length % 2 == 0 && Array.TrueForAll(digits.ToCharArray(), char.IsAsciiHexDigit);

    private static void Write(VerbRun run, string kind, string key, string? resume) => run.WriteAgain(
        json =>
        {
            json.WriteString("kind", kind);
            json.WriteString("key", key);
            if (resume is not null)
            {
                json.WriteString("resume", resume);
            }
        },
        text => text.Whole($"{kind}  {key}".TrimEnd()));

    private static string NameOf(V1.WatchEvent.Types.Kind kind) => kind switch
    {
        V1.WatchEvent.Types.Kind.Set => "set",
        V1.WatchEvent.Types.Kind.Removed => "removed",
        V1.WatchEvent.Types.Kind.Expired => "expired",
        V1.WatchEvent.Types.Kind.Evicted => "evicted",
        V1.WatchEvent.Types.Kind.Cleared => "cleared",
        V1.WatchEvent.Types.Kind.TagRemoved => "tag removed",
        _ => "unknown",
    };
}
