using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;
using Pile.Tests.Foreign;
using Xunit;

namespace Pile.Tool.Tests;

/// <summary>The command, run as a process without a terminal.</summary>
internal static class ToolProcess
{
    private const int TimeoutMinutes = 2;

    internal static string Host { get; } = Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", "..", "dotnet"));

    internal static string Program { get; } = Path.Combine(AppContext.BaseDirectory, "Pile.Tool.dll");

    /// <summary>What a run wrote and how it ended.</summary>
    internal sealed record Outcome(int Code, string Output, string Errors)
    {
        internal string[] Lines => Output.Split('\n', StringSplitOptions.RemoveEmptyEntries);

        /// <summary>Requires an exit code, and shows what was written when it is another.</summary>
        internal Outcome Expect(int code)
        {
            Assert.True(code == Code, $"It ended with {Code}, not {code}:\n{Output}\n{Errors}");
            return this;
        }
    }

    /// <summary>Runs a command line to its end.</summary>
    internal static Task<Outcome> RunAsync(params string[] arguments) => RunAsync(new Dictionary<string, string>(), arguments);

    /// <summary>Runs a command line to its end, with variables of the environment.</summary>
    internal static Task<Outcome> RunAsync(Dictionary<string, string> variables, params string[] arguments) => EndAsync(Start(arguments, variables));

    /// <summary>Runs a command line in a directory.</summary>
    internal static Task<Outcome> RunInAsync(string directory, params string[] arguments) => EndAsync(Start(arguments, [], directory));

    /// <summary>Runs a command line by a shell, with its output redirected.</summary>
    internal static Task<Outcome> RunByShellAsync(string redirection, params string[] arguments) =>
        EndAsync(StartProgram("/bin/sh", ["-c", $"exec \"$0\" \"$@\" {redirection}", Host, Program, .. arguments], [], ""));

    /// <summary>Runs another program to its end.</summary>
    internal static Task<Outcome> RunProgramAsync(string program, IEnumerable<string> arguments, Dictionary<string, string> variables) => EndAsync(StartProgram(program, arguments, variables, ""));

    private static async Task<Outcome> EndAsync(Process started)
    {
        using Process process = started;
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        stop.CancelAfter(TimeSpan.FromMinutes(TimeoutMinutes));
        try
        {
            Task<string> errors = process.StandardError.ReadToEndAsync(stop.Token);
            string output = await process.StandardOutput.ReadToEndAsync(stop.Token);
            await process.WaitForExitAsync(stop.Token);
            return new Outcome(process.ExitCode, output, await errors);
        }
        finally
        {
            if (!process.HasExited)
            {
                process.Kill(entireProcessTree: true);
            }
        }
    }

    /// <summary>Runs a command line with --json, and reads the one document that it writes.</summary>
    internal static async Task<JsonElement> JsonAsync(int code, params string[] arguments)
    {
        Outcome outcome = (await RunAsync([.. arguments, "--json"])).Expect(code);
        using var document = JsonDocument.Parse(outcome.Output);
        Assert.Equal(arguments[0], document.RootElement.GetProperty("verb").GetString());
        return document.RootElement.Clone();
    }

    /// <summary>Starts a command line.</summary>
    internal static Process Start(IEnumerable<string> arguments, Dictionary<string, string>? variables = null, string directory = "") =>
        StartProgram(Host, arguments.Prepend(Program), variables ?? [], directory);

    /// <summary>Starts a command line that heeds SIGINT whatever this process does: what a shell starts in the background ignores it, and
    /// hands that on.</summary>
    internal static Process StartHeeding(IEnumerable<string> arguments) =>
        StartProgram(ForeignProgram.Require("env", "coreutils"), ["--default-signal=INT", Host, Program, .. arguments], [], "");

    private static Process StartProgram(string program, IEnumerable<string> arguments, Dictionary<string, string> variables, string directory)
    {
        var start = new ProcessStartInfo(program, arguments)
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            RedirectStandardInput = true,
            WorkingDirectory = directory,
        };
        _ = start.Environment.Remove("COLUMNS");
        foreach ((string name, string value) in variables)
        {
            start.Environment[name] = value;
        }

        return Process.Start(start)!;
    }
}
