using System;
using System.Diagnostics;
using System.IO;
using System.Runtime.InteropServices;

namespace Pile.Tests.Faults;

/// <summary>Runs tests/Pile.Faults, which the build of this project builds too, in a process of its own.</summary>
internal static class FaultProgram
{
    /// <summary>Runs up to <paramref name="rounds"/> rounds of all scenarios, or of one, with a fault planted, or none.</summary>
    /// <returns>The exit code, and all that the program said.</returns>
    internal static (int ExitCode, string Said) Run(string fault, int rounds, string scenario = "")
    {
        using Process process = Start(fault, [$"{rounds}", .. scenario.Length > 0 ? [scenario] : Array.Empty<string>()]);
        System.Threading.Tasks.Task<string> errors = process.StandardError.ReadToEndAsync();
        string said = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        return (process.ExitCode, said + errors.Result);
    }

    /// <summary>Starts it with all three streams redirected.</summary>
    internal static Process Start(string fault, params string[] arguments)
    {
        // Beside our own output folder, in the same configuration.
        string separator = Path.DirectorySeparatorChar.ToString();
        string folder = AppContext.BaseDirectory.Replace($"{separator}Pile.Tests{separator}", $"{separator}Pile.Faults{separator}", StringComparison.Ordinal);
        string program = Path.Combine(folder, "Pile.Faults.dll");
        string host = Path.GetFullPath(Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "..", "..", "..", OperatingSystem.IsWindows() ? "dotnet.exe" : "dotnet"));
        var start = new ProcessStartInfo(host, [program, .. arguments]) { RedirectStandardInput = true, RedirectStandardOutput = true, RedirectStandardError = true };
        start.Environment["PILE_FAULT"] = fault;
        return Process.Start(start)!;
    }
}
