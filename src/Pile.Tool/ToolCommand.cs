// The command line: the list of verbs, and what is said of a line that is none of them.
// What a verb takes and does is its own file's, in Verbs.
using System;
using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Parsing;
using System.IO;
using System.Linq;
using Pile.Tool.Output;
using Pile.Tool.Running;
using Pile.Tool.Verbs;

namespace Pile.Tool;

/// <summary>The command <c>pile</c>.</summary>
internal static class ToolCommand
{
    private const string Name = "pile";

    /// <summary>How words are read. Keys and values may begin with '@': no word is the name of a file of arguments.</summary>
    internal static ParserConfiguration Parsing { get; } = new() { ResponseFileTokenReplacer = null };

    /// <summary>Runs a command line.</summary>
    internal static ExitCode Run(string[] words)
    {
        // No RootCommand: that has the name of the file, not the one under which the tool is installed.
        Command root = new(Name, "Looks into piles and caches, in a directory or at a server: reads and writes entries, verifies, recovers, copies, measures.");
        root.Options.Add(new HelpOption { Recursive = true });
        root.Options.Add(new VersionOption());
        root.Options.Add(VerbBuilder.Json);
        root.Options.Add(VerbBuilder.Quiet);
        root.Subcommands.Add(GetVerb.Build());
        root.Subcommands.Add(SetVerb.Build());
        root.Subcommands.Add(DeleteVerb.Build());
        root.Subcommands.Add(ScanVerb.Build());
        root.Subcommands.Add(TablesVerb.Build());
        root.Subcommands.Add(InfoVerb.Build());
        root.Subcommands.Add(VerifyVerb.Build());
        root.Subcommands.Add(RecoverVerb.Build());
        root.Subcommands.Add(TypesVerb.Build());
        root.Subcommands.Add(ListVerb.Build());
        root.Subcommands.Add(ShowVerb.Build());
        root.Subcommands.Add(StatVerb.Build());
        root.Subcommands.Add(CompactVerb.Build());
        root.Subcommands.Add(CopyVerb.Build());
        root.Subcommands.Add(ExportVerb.Build());
        root.Subcommands.Add(ImportVerb.Build());
        root.Subcommands.Add(BenchVerb.Build());
        root.Subcommands.Add(PingVerb.Build());
        root.Subcommands.Add(WatchVerb.Build());
        root.Subcommands.Add(TopVerb.Build());
        root.Subcommands.Add(DoctorVerb.Build());
        root.Subcommands.Add(CompletionVerb.Build());
        root.Subcommands.Add(CompletionVerb.BuildHidden(root));
        ParseResult parsed = root.Parse(words, Parsing);
        if (GivenWords.MistakeIn(words) is { } mistake)
        {
            return Refuse(parsed, [mistake]);
        }

        if (parsed.CommandResult.Command == root && parsed.UnmatchedTokens is [string unknown, ..])
        {
            // The parser has an error for each word, and one for the verb that is missing.
            return Refuse(parsed, [$"'{unknown}' is neither a verb nor an option of {Name}."]);
        }

        if (parsed.Errors.Count > 0 || words.Length == 0)
        {
            return Refuse(parsed, [.. parsed.Errors.Select(MessageOf).Distinct(StringComparer.Ordinal)]);
        }

        try
        {
            return (ExitCode)parsed.Invoke(new InvocationConfiguration { EnableDefaultExceptionHandler = false });
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            // Of the help and the version alone: verbs end their own failures.
            Console.Error.WriteLine(TextOutput.Clean($"pile: {StandardStream.MessageOf(failure)}"));
            return ExitCode.Failed;
        }
    }

    private static ExitCode Refuse(ParseResult parsed, string[] mistakes)
    {
        string verb = parsed.CommandResult.Command.Name;
        foreach (string mistake in mistakes)
        {
            Console.Error.WriteLine(TextOutput.Clean($"pile: {mistake.ReplaceLineEndings(" ")}"));
        }

        Console.Error.WriteLine($"'{(verb == Name ? Name : $"{Name} {verb}")} --help' says what can be given.");
        using var run = new VerbRun(verb, where: null, parsed, parsed.GetValue(VerbBuilder.Json), isQuiet: true);
        run.WriteError(ExitCode.Usage, string.Join(' ', mistakes));
        return ExitCode.Usage;
    }

    // The parser names the verb that something is missing for, and not what.
    private static string MessageOf(ParseError error) =>
        error.SymbolResult is ArgumentResult { Tokens.Count: 0, Parent: CommandResult } missing ? $"<{missing.Argument.Name}> is missing. {missing.Argument.Description}" : error.Message;
}
