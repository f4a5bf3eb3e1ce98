using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Text.Json;

namespace Pile.Compare.Running;

/// <summary>This program once more, as a contestant or as a case of a solo workload.</summary>
internal sealed class ChildProcess : IDisposable
{
    private readonly Process _process;
    private readonly string _name;

    private ChildProcess(string name, IEnumerable<string> arguments)
    {
        _name = name;
        var start = new ProcessStartInfo(Environment.ProcessPath!) { RedirectStandardInput = true, RedirectStandardOutput = true };
        if (string.Equals(Path.GetFileNameWithoutExtension(Environment.ProcessPath), "dotnet", StringComparison.OrdinalIgnoreCase))
        {
            start.ArgumentList.Add(typeof(ChildProcess).Assembly.Location);
        }

        foreach (string argument in arguments)
        {
            start.ArgumentList.Add(argument);
        }

        _process = Process.Start(start)!;
    }

    /// <summary>Starts a contestant and waits until it is ready.</summary>
    internal static ChildProcess Contestant(string name, int setting, int objects, CompareSettings settings)
    {
        var child = new ChildProcess(name, ["contestant", name, Text(setting), Text(objects), Text(settings.RandomOperations), Text(settings.WarmMs)]);
        _ = child.Answer<JsonElement>();
        return child;
    }

    /// <summary>Runs a case of a solo workload to its end.</summary>
    internal static Dictionary<string, double> Solo(string name, string caseName, long objects)
    {
        using var child = new ChildProcess($"{name}, {caseName}", ["solo", name, caseName, objects.ToString(CultureInfo.InvariantCulture)]);
        return child.Answer<Dictionary<string, double>>();
    }

    /// <summary>Sends a command and waits for the answer.</summary>
    /// <exception cref="InvalidOperationException">The process ended instead.</exception>
    internal T Ask<T>(params ReadOnlySpan<string> words)
    {
        _process.StandardInput.WriteLine(string.Join('|', words!));
        _process.StandardInput.Flush();
        return Answer<T>();
    }

    /// <summary>Closes its input and waits for its end.</summary>
    public void Dispose()
    {
        _process.StandardInput.Close();
        _process.WaitForExit();
        _process.Dispose();
    }

    private T Answer<T>()
    {
        if (_process.StandardOutput.ReadLine() is { } line)
        {
            return JsonSerializer.Deserialize<T>(line)!;
        }

        _process.WaitForExit();
        throw new InvalidOperationException($"The process of {_name} ended with exit code {_process.ExitCode}; what it said is above. 137 or 9 mean that memory ran out: give --objects a smaller number.");
    }

    private static string Text(int value) => value.ToString(CultureInfo.InvariantCulture);
}
