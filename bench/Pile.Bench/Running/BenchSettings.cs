using System;
using System.Collections.Generic;
using System.Globalization;

namespace Pile.Bench.Running;

/// <summary>What a run was asked to do.</summary>
internal sealed record BenchSettings
{
    /// <summary>Objects in a pile, unless a workload says otherwise.</summary>
    public int Objects { get; init; } = 10_000_000;

    /// <summary>Rounds; a figure is the median over them.</summary>
    public int Rounds { get; init; } = 9;

    /// <summary>A smoke: few objects, two rounds, nothing written.</summary>
    public bool Quick { get; init; }

    /// <summary>Workloads to run; empty for all.</summary>
    public IReadOnlyList<string> Only { get; init; } = [];

    /// <summary>Where to write JSON, or null for the place of the machine under bench/results.</summary>
    public string? JsonPath { get; init; }

    /// <summary>The command as it was given, for the report.</summary>
    public string Command { get; init; } = "";

    /// <summary>Reads the command line; an unknown word is an error that names it.</summary>
    public static BenchSettings Parse(string face, string[] args)
    {
        var settings = new BenchSettings { Command = string.Join(' ', [face, .. args]) };
        for (int index = 0; index < args.Length; index++)
        {
            string Next() => ++index < args.Length ? args[index] : throw new ArgumentException($"{args[index - 1]} wants a value.");
            settings = args[index] switch
            {
                "--objects" => settings with { Objects = int.Parse(Next(), CultureInfo.InvariantCulture) },
                "--rounds" => settings with { Rounds = int.Parse(Next(), CultureInfo.InvariantCulture) },
                "--quick" => settings with { Quick = true, Objects = 200_000, Rounds = 2 },
                "--only" => settings with { Only = Next().Split(',') },
                "--json" => settings with { JsonPath = Next() },
                string other => throw new ArgumentException($"'{other}' is not an option of {face}."),
            };
        }

        return settings;
    }
}
