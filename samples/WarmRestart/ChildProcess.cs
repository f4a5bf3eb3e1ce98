using System;
using System.Diagnostics;
using System.IO;

namespace WarmRestart;

/// <summary>This program, started once more for a part of its own.</summary>
internal static class ChildProcess
{
    /// <summary>What the shell says of a process that SIGKILL ended.</summary>
    internal const int Killed = 128 + 9;

    internal static Process Start(params string[] arguments)
    {
        string program = Environment.ProcessPath!;
        bool isHosted = Path.GetFileNameWithoutExtension(program) == "dotnet";
        var start = new ProcessStartInfo(program) { RedirectStandardOutput = true, RedirectStandardInput = true };
        foreach (string argument in (string[])[.. isHosted ? [Path.Combine(AppContext.BaseDirectory, "WarmRestart.dll")] : Array.Empty<string>(), .. arguments])
        {
            start.ArgumentList.Add(argument);
        }

        return Process.Start(start)!;
    }
}
