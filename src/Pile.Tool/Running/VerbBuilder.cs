// Makes a verb of the command line from its words and its work: the options that all verbs have, and the frame that turns what the
// work throws into a message and an exit code.
using System;
using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;

namespace Pile.Tool.Running;

/// <summary>Makes verbs.</summary>
internal static class VerbBuilder
{
    /// <summary>The option for output as JSON, the same of all verbs.</summary>
    internal static Option<bool> Json { get; } = new("--json") { Description = "Write one JSON document instead of text (docs/TOOL.md).", Recursive = true };

    /// <summary>The option against progress, the same of all verbs.</summary>
    internal static Option<bool> Quiet { get; } = new("--quiet", "-q") { Description = "Show no progress.", Recursive = true };

    /// <summary>The argument that names a pile's directory.</summary>
    internal static Argument<string> Directory() => new("directory") { Description = "The pile's directory." };

    /// <summary>A verb.</summary>
    /// <param name="name">Its word.</param>
    /// <param name="description">What it does, in a sentence.</param>
    /// <param name="directory">The argument with the directory, or null.</param>
    /// <param name="work">Its work.</param>
    /// <param name="symbols">Its further arguments and options.</param>
    internal static Command Verb(string name, string description, Argument<string>? directory, Func<VerbRun, ParseResult, ExitCode> work, params Symbol[] symbols)
    {
        Command verb = new(name, description);
        if (directory is not null)
        {
            verb.Arguments.Add(directory);
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

        verb.SetAction(parsed =>
        {
            using var run = new VerbRun(name, directory is null ? null : parsed.GetRequiredValue(directory), parsed.GetValue(Json), parsed.GetValue(Quiet));
            return (int)Guard(run, () => work(run, parsed));
        });
        return verb;
    }

    /// <summary>Refuses a number outside of a range.</summary>
    internal static Action<OptionResult> InRange(Option<int> option, int min, int max) => result =>
    {
        if (result.Tokens.Count == 1 && int.TryParse(result.Tokens[0].Value, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out int value) && (value < min || value > max))
        {
            result.AddError($"{option.Name} must lie between {min} and {max}, not {value}.");
        }
    };

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
            try
            {
                run.Fail(cause, code);
            }
            catch (OutputClosedException)
            {
                // The code says it.
            }

            return code;
        }
    }
}
