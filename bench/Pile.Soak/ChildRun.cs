using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Text.Json;

namespace Pile.Soak;

/// <summary>Runs one case of a scenario in a process of its own, so that no case sees the memory of another.</summary>
internal static class ChildRun
{
    /// <summary>Starts this program again and hands on its rows.</summary>
    internal static void Run(SoakOptions options, string name, SoakPrinter printer)
    {
        var start = new ProcessStartInfo(Environment.ProcessPath!) { RedirectStandardOutput = true };
        if (string.Equals(System.IO.Path.GetFileNameWithoutExtension(Environment.ProcessPath), "dotnet", StringComparison.OrdinalIgnoreCase))
        {
            start.ArgumentList.Add(typeof(ChildRun).Assembly.Location);
        }

        foreach (string argument in options.ForCase(name))
        {
            start.ArgumentList.Add(argument);
        }

        using Process process = Process.Start(start)!;
        while (process.StandardOutput.ReadLine() is { } line)
        {
            Dictionary<string, string> cells = JsonSerializer.Deserialize<Dictionary<string, string>>(line)!;
            printer.Print([.. cells]);
        }

        process.WaitForExit();
        if (process.ExitCode != 0)
        {
            throw new InvalidOperationException($"case {name} ended with exit code {process.ExitCode}");
        }
    }
}
