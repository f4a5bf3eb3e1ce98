using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Tests.Foreign;

/// <summary>A program that is not ours, which a test with the trait Foreign needs.</summary>
internal static class ForeignProgram
{
    /// <summary>Set by <c>.ci/run</c>, which has installed everything: there a missing program is a failure, not a skip.</summary>
    public const string RequiredVariable = "PILE_REQUIRE_FOREIGN";

    /// <summary>Returns the full path of <paramref name="program"/>, or skips the calling test and says what is missing.</summary>
    public static string Require(string program, string debianPackage)
    {
        string? path = Find(program, Environment.GetEnvironmentVariable("PATH") ?? "");
        if (path is not null)
        {
            return path;
        }
        RequireThat(false, DescribeMissing(program, debianPackage));
        return "";
    }

    /// <summary>Skips the calling test, saying what is missing, unless it is there.</summary>
    public static void RequireThat(bool isThere, string message)
    {
        Assert.SkipUnless(isThere || Environment.GetEnvironmentVariable(RequiredVariable) == "1", message);
        Assert.True(isThere, message);
    }

    /// <summary>Returns what a skipped test says.</summary>
    internal static string DescribeMissing(string program, string debianPackage) =>
        $"Foreign: {program} is not on the path (Debian package {debianPackage}).";

    /// <summary>Returns the first file named <paramref name="program"/> in the folders of <paramref name="searchPath"/>, or null.</summary>
    internal static string? Find(string program, string searchPath) =>
        searchPath.Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries)
            .Select(folder => Path.Combine(folder, program))
            .FirstOrDefault(File.Exists);

    /// <summary>Starts a program; its output is the caller's to read.</summary>
    internal static Process Start(string program, IEnumerable<string> arguments, IEnumerable<(string Name, string Value)> environment)
    {
        var start = new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true, RedirectStandardError = true };
        foreach ((string name, string value) in environment)
        {
            start.Environment[name] = value;
        }

        return Process.Start(start)!;
    }

    /// <summary>Runs a program to its end, which may take as long as is said: then it is killed, and the test fails with what it has said.</summary>
    internal static async Task<(int Code, string Said, string Errors)> RunAsync(TimeSpan most, string program, IEnumerable<string> arguments, IEnumerable<(string Name, string Value)> environment)
    {
        using Process process = Start(program, arguments, environment);
        using var late = CancellationTokenSource.CreateLinkedTokenSource(TestContext.Current.CancellationToken);
        late.CancelAfter(most);
        Task<string> said = process.StandardOutput.ReadToEndAsync(CancellationToken.None);
        Task<string> errors = process.StandardError.ReadToEndAsync(CancellationToken.None);
        try
        {
            await process.WaitForExitAsync(late.Token);
        }
        catch (OperationCanceledException)
        {
            process.Kill(entireProcessTree: true);
            Assert.Fail($"{program} did not end within {most}: {await said}{await errors}");
        }

        return (process.ExitCode, await said, await errors);
    }
}
