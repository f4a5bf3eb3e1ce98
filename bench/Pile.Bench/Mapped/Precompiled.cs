using System;
using System.Diagnostics;
using System.IO;
using Pile.Bench.Reports;
using Pile.Bench.Running;

namespace Pile.Bench.Mapped;

/// <summary>A copy of this program with the library as its package has it for this runtime: compiled before it runs.</summary>
internal static class Precompiled
{
    /// <summary>Makes it in a folder that is not there yet.</summary>
    internal static string Copy(string folder)
    {
        _ = Directory.CreateDirectory(folder);
        foreach (string file in Directory.GetFiles(AppContext.BaseDirectory))
        {
            File.Copy(file, Path.Combine(folder, Path.GetFileName(file)));
        }

        foreach (string name in (string[])["Pile", "Pile.Cache"])
        {
            File.Copy(Compile(name), Path.Combine(folder, name + ".dll"), overwrite: true);
        }

        return folder;
    }

    private static string Compile(string name)
    {
        string project = Path.Combine(ResultFolder.Root(), "src", name);
        var start = new ProcessStartInfo(
            Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet",
            ["build", project, "-c", "Release", "--no-restore", "-t:Precompile", "-nologo", "-v:q", "-p:NoBuild=true"])
        {
            RedirectStandardOutput = true,
        };
        using Process process = Process.Start(start)!;
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        if (process.ExitCode != 0)
        {
            throw new NotAvailableException($"the SDK's compiler Microsoft.NETCore.App.Crossgen2, which has to be restored ({output.Trim()})");
        }

        return Path.Combine(project, "obj", "Release", "net10.0", "linux-x64", name + ".dll");
    }
}
