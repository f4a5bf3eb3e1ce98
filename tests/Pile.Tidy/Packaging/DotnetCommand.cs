using System;
using System.Diagnostics;
using System.Linq;
using System.Text;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Tidy.Packaging;

/// <summary>Runs the <c>dotnet</c> that runs these tests, as if from a fresh shell.</summary>
internal static class DotnetCommand
{
    private static readonly TimeSpan _runMax = TimeSpan.FromMinutes(4);

    // What the test run around us tells its children, and what would make the child another run of the same build.
    private static readonly string[] _inheritedPrefixes = ["MSBUILD", "VSTEST", "DOTNET_CLI_TEST", "TESTINGPLATFORM", "NUGET_PACKAGES", "CI"];

    /// <summary>Runs <c>dotnet</c> with <paramref name="arguments"/> in <paramref name="folder"/>, asserts that it succeeds, and returns what it wrote.</summary>
    public static async Task<string> RunAsync(string folder, params string[] arguments)
    {
        (int code, string output, string errors) = await TryRunAsync(folder, arguments);
        Assert.True(code == 0, $"dotnet {string.Join(' ', arguments)} ended with {code}:\n{output}{errors}");
        return output;
    }

    /// <summary>Runs it, and returns its exit code too, and what it wrote to both its outputs.</summary>
    public static async Task<(int Code, string Output, string Errors)> TryRunAsync(string folder, params string[] arguments)
    {
        ProcessStartInfo start = new(Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet", arguments)
        {
            WorkingDirectory = folder,
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            StandardOutputEncoding = Encoding.UTF8,
        };
        foreach (string name in start.Environment.Keys.Where(name => _inheritedPrefixes.Any(prefix => name.StartsWith(prefix, StringComparison.OrdinalIgnoreCase))).ToArray())
        {
            start.Environment.Remove(name);
        }
        // A server that outlives the command would keep our end of its output open.
        start.Environment["MSBUILDDISABLENODEREUSE"] = "1";
        start.Environment["DOTNET_CLI_USE_MSBUILD_SERVER"] = "0";
        start.Environment["DOTNET_NOLOGO"] = "1";

        using Process process = Process.Start(start)!;
        process.StandardInput.Close();
        Task<string> output = process.StandardOutput.ReadToEndAsync(TestContext.Current.CancellationToken);
        Task<string> errors = process.StandardError.ReadToEndAsync(TestContext.Current.CancellationToken);
        if (!process.WaitForExit(_runMax))
        {
            process.Kill(entireProcessTree: true);
        }
        // What was killed ends a moment later.
        await process.WaitForExitAsync(TestContext.Current.CancellationToken);
        return (process.ExitCode, await output, await errors);
    }
}
