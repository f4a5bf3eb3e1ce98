// Makes a verb of the command line from its words and its work: the options that all verbs have, and the frame that turns what the
// work throws into a message and an exit code.
using System;
using System.CommandLine;
using Pile.Tool.Entries;

namespace Pile.Tool.Running;

/// <summary>Makes verbs.</summary>
internal static class VerbBuilder
{
    private const string WhereName = "where";
    private const string AddressName = "address";

    /// <summary>The option for output as JSON, the same of all verbs.</summary>
    internal static Option<bool> Json { get; } = new("--json") { Description = "Write one JSON document instead of text (docs/TOOL.md).", Recursive = true };

    /// <summary>The option against progress, the same of all verbs.</summary>
    internal static Option<bool> Quiet { get; } = new("--quiet", "-q") { Description = "Show no progress.", Recursive = true };

    /// <summary>The argument that names a pile's directory, for verbs that work on one alone.</summary>
    internal static Argument<string> Directory()
    {
        Argument<string> directory = new("directory") { Description = "The pile's directory." };
        directory.Validators.Add(static result =>
        {
            if (result.Tokens is [var given] && Place.IsAddress(given.Value))
            {
                result.AddError($"'{given.Value}' is the address of a server; this verb works on a pile's directory. Run it on the server's machine, with its directory.");
            }
        });
        return directory;
    }

    /// <summary>The argument that says where a cache is, for verbs that work in a directory and at an address.</summary>
    internal static Argument<string> Where() => Where("The cache: its directory");

    /// <summary>The same for verbs that work on a pile too: a cache is one.</summary>
    internal static Argument<string> WherePile() => Where("The pile or cache: its directory");

    private static Argument<string> Where(string what) => new(WhereName) { Description = $"{what}, or a server's address: http://host:port, https://host:port, unix:path." };

    /// <summary>The argument for verbs that need a server.</summary>
    internal static Argument<string> Address()
    {
        Argument<string> address = new(AddressName) { Description = "The server: http://host:port, https://host:port, unix:path." };
        address.Validators.Add(static result =>
        {
            if (result.Tokens is [var given] && !Place.IsAddress(given.Value))
            {
                result.AddError($"'{given.Value}' is no address of a server, and this verb needs one: http://host:port, https://host:port or unix:path.");
            }
        });
        return address;
    }

    /// <summary>A verb.</summary>
    /// <param name="name">Its word.</param>
    /// <param name="description">What it does, in a sentence.</param>
    /// <param name="where">The argument with the directory or the address, or null.</param>
    /// <param name="work">Its work.</param>
    /// <param name="symbols">Its further arguments and options.</param>
    internal static Command Verb(string name, string description, Argument<string>? where, Func<VerbRun, ParseResult, ExitCode> work, params Symbol[] symbols)
    {
        Command verb = new(name, description);
        if (where is not null)
        {
            verb.Arguments.Add(where);
        }

        foreach (Symbol symbol in symbols)
        {
            if (symbol is Argument argument)
            {
                verb.Arguments.Add(argument);
            }
            else
            {
                verb.Options.Add((Option)symbol);
            }
        }

        if (where is { Name: WhereName or AddressName })
        {
            foreach (Option option in ServerLogin.Options)
            {
                verb.Options.Add(option);
            }
        }

        verb.SetAction(parsed =>
        {
            using var run = new VerbRun(name, where is null ? null : parsed.GetRequiredValue(where), parsed, parsed.GetValue(Json), parsed.GetValue(Quiet));
            return (int)Guard(run, () => work(run, parsed));
        });
        return verb;
    }

    private static ExitCode Guard(VerbRun run, Func<ExitCode> work)
    {
        try
        {
            return work();
        }
        catch (OutputClosedException)
        {
            return ExitCode.OutputClosed;
        }
        catch (Exception failure)
        {
            Exception cause = failure is AggregateException { InnerExceptions: [var only] } ? only : failure;
            ExitCode code = Failures.CodeOf(cause, run.StopCode);
            run.Fail(cause, code);
            return code;
        }
    }
}
