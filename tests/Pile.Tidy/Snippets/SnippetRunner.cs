using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection;
using System.Threading.Tasks;

namespace Pile.Tidy.Snippets;

/// <summary>Compiles and runs a snippet and compares what it prints. One at a time: the console belongs to the process.</summary>
internal static class SnippetRunner
{
    private static readonly TimeSpan _runMax = TimeSpan.FromMinutes(1);

    /// <summary>Returns what is wrong with <paramref name="snippet"/>, or null.</summary>
    public static string? Check(Snippet snippet)
    {
        Assembly? assembly = SnippetCompiler.Compile(snippet, out IReadOnlyList<string> errors);
        if (assembly is null)
        {
            return "does not compile:\n" + string.Join('\n', errors);
        }
        if (!snippet.Runs || assembly.EntryPoint is null)
        {
            return snippet.Output is null ? null : "has an output block but does not run.";
        }
        string? failure = Run(assembly.EntryPoint, out string output);
        if (failure is not null)
        {
            return $"{snippet}: {failure}";
        }
        string actual = output.ReplaceLineEndings("\n").TrimEnd('\n');
        return snippet.Output is null || snippet.Output == actual ? null : $"{snippet}: prints\n{actual}\nnot\n{snippet.Output}";
    }

    private static string? Run(MethodInfo entryPoint, out string output)
    {
        object?[] arguments = entryPoint.GetParameters().Length == 0 ? [] : [Array.Empty<string>()];
        TextWriter console = Console.Out;
        using StringWriter captured = new();
        Console.SetOut(TextWriter.Synchronized(captured));
        try
        {
            bool ended = Task.Run(() => entryPoint.Invoke(null, arguments)).Wait(_runMax);
            return ended ? null : $"runs for more than {_runMax}.";
        }
        catch (AggregateException error)
        {
            return $"throws {(error.InnerException as TargetInvocationException)?.InnerException ?? error.InnerException}";
        }
        finally
        {
            Console.SetOut(console);
            output = captured.ToString();
        }
    }
}
