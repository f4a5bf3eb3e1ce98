using System;
using System.Globalization;

namespace Pile.Soak;

/// <summary>The command line: a scenario, then --name value pairs and --json.</summary>
internal sealed class SoakOptions
{
    private readonly string[] _args;

    internal SoakOptions(string[] args) => _args = args;

    /// <summary>The scenario's name, or empty.</summary>
    internal string Scenario => _args.Length > 0 ? _args[0] : string.Empty;

    /// <summary>Whether to print JSON lines instead of a table.</summary>
    internal bool Json => Array.IndexOf(_args, "--json") >= 0;

    /// <summary>The one case that a child process runs, or empty.</summary>
    internal string Case => Text("--case", string.Empty);

    /// <summary>Factor on all counts, for quick runs.</summary>
    internal double Scale => double.Parse(Text("--scale", "1"), CultureInfo.InvariantCulture);

    /// <summary>How long the timed parts last.</summary>
    internal double Seconds(double otherwise) => double.Parse(Text("--seconds", otherwise.ToString(CultureInfo.InvariantCulture)), CultureInfo.InvariantCulture);

    /// <summary>How many objects: --objects, or the scenario's number times the scale.</summary>
    internal int Objects(int otherwise) =>
        int.Parse(Text("--objects", Scaled(otherwise).ToString(CultureInfo.InvariantCulture)), CultureInfo.InvariantCulture);

    /// <summary>A count times the scale, at least 1.</summary>
    internal long Scaled(long count) => long.Max(1, (long)(count * Scale));

    /// <summary>The arguments of a child process that runs one case of the same scenario.</summary>
    internal string[] ForCase(string name) => [.. _args, "--case", name, "--child"];

    /// <summary>Whether this process is such a child.</summary>
    internal bool IsChild => Array.IndexOf(_args, "--child") >= 0;

    private string Text(string name, string otherwise)
    {
        int index = Array.LastIndexOf(_args, name);
        return index >= 0 && index + 1 < _args.Length ? _args[index + 1] : otherwise;
    }
}
