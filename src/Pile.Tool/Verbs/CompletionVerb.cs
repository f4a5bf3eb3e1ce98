// pile completion: the script that makes a shell complete the command's verbs and options, and the hidden verb `complete` that the
// script asks. What can follow is System.CommandLine's to say; where nothing of it fits, the shell completes names of files.
using System;
using System.CommandLine;
using System.CommandLine.Completions;
using System.Linq;
using System.Text;
using Pile.Tool.Running;

namespace Pile.Tool.Verbs;

/// <summary>The verbs <c>completion</c> and <c>complete</c>.</summary>
internal static class CompletionVerb
{
    private const string Bash = """
        # pile: completion for bash. Put this line into ~/.bashrc: eval "$(pile completion bash)"
        _pile() {
            local IFS=$'\n'
            COMPREPLY=($(pile complete "$COMP_LINE" --position "$COMP_POINT" 2> /dev/null))
        }
        complete -o default -F _pile pile
        """;

    private const string Zsh = """
        # pile: completion for zsh. Put this line into ~/.zshrc, after compinit: eval "$(pile completion zsh)"
        _pile() {
            local -a found
            found=("${(@f)$(pile complete "$BUFFER" --position "$CURSOR" 2> /dev/null)}")
            if [[ -n "$found" ]]; then
                compadd -- $found
            else
                _files
            fi
        }
        compdef _pile pile
        """;

    private const string Fish = """
        # pile: completion for fish. Put this line into ~/.config/fish/config.fish: pile completion fish | source
        complete --command pile --arguments '(pile complete (commandline --current-process --cut-at-cursor | string collect) 2> /dev/null)'
        """;

    private enum Shell
    {
        Bash,
        Zsh,
        Fish,
    }

    /// <summary>The verb <c>completion</c>.</summary>
    internal static Command Build()
    {
        Argument<Shell> shell = new("shell") { Description = "The shell.", CustomParser = ChoiceText.ParseOr("<shell>", Shell.Bash) };
        return VerbBuilder.Verb("completion", "Writes the script by which a shell completes verbs and options; its first line says where to put it.", null, (run, parsed) =>
        {
            string script = parsed.GetValue(shell) switch { Shell.Bash => Bash, Shell.Zsh => Zsh, _ => Fish };
            ValueOf(run, script);
            return ExitCode.Ok;
        }, shell);
    }

    /// <summary>The hidden verb <c>complete</c>.</summary>
    /// <param name="root">The whole command.</param>
    internal static Command BuildHidden(Command root)
    {
        Argument<string> line = new("line") { Description = "A command line, as far as it is." };
        Option<int?> position = new("--position") { Description = "Where the cursor is in it, in chars.", HelpName = "chars" };
        Command verb = VerbBuilder.Verb("complete", "Writes what can follow in a command line.", null, (run, parsed) =>
        {
            string text = parsed.GetRequiredValue(line);
            int at = int.Clamp(parsed.GetValue(position) ?? text.Length, 0, text.Length);
            string begun = text[(text.LastIndexOf(' ', int.Max(at - 1, 0)) + 1)..at];
            string words = string.Concat(root.Parse(text, ToolCommand.Parsing).GetCompletions(at).Select(Word).Where(word => word.Length > 0 && word.StartsWith(begun, StringComparison.OrdinalIgnoreCase)).Distinct(StringComparer.Ordinal).Select(static word => word + "\n"));
            run.Stream.Write(Encoding.UTF8.GetBytes(words));
            run.Stream.Flush();
            return ExitCode.Ok;
        }, line, position);
        verb.Hidden = true;
        return verb;
    }

    /// <summary>What is to be inserted, in small letters, which all words are taken in; nothing for the forms of other systems, as /?.</summary>
    private static string Word(CompletionItem item) => (item.InsertText ?? item.Label) is { } word && !word.StartsWith('/') && !word.Contains('?', StringComparison.Ordinal) ? word.ToLowerInvariant() : "";

    private static void ValueOf(VerbRun run, string script) => run.Write(
        json => json.WriteString("script", script),
        text =>
        {
            foreach (string line in script.Split('\n'))
            {
                text.Whole(line);
            }
        });
}
