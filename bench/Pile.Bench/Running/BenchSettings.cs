using System;
using System.Collections.Generic;
using System.Globalization;

namespace Pile.Bench.Running;

/// <summary>What a run was asked to do.</summary>
internal sealed record BenchSettings
{
    /// <summary>Objects in a pile, unless a workload says otherwise.</summary>
    public required int Objects { get; init; }

    /// <summary>Rounds; a figure is the median over them.</summary>
    public required int Rounds { get; init; }

    /// <summary>A smoke: few objects, two rounds, nothing written.</summary>
    public bool Quick { get; init; }

    /// <summary>Workloads to run; empty for all.</summary>
    public IReadOnlyList<string> Only { get; init; } = [];

    /// <summary>Where piles in files and what they are compared with are made, or null for the repository's artifacts. A folder of its own
    /// is made there, and removed.</summary>
    public string? Directory { get; init; }

    /// <summary>Where to write JSON, or null for the place of the machine under bench/results.</summary>
    public string? JsonPath { get; init; }

    /// <summary>The command as it was given, for the report.</summary>
    public string Command { get; init; } = "";

    /// <summary>Reads the command line; an unknown word is an error that names it.</summary>
    public static BenchSettings Parse(TableFace face, string[] args)
    {
        var settings = new BenchSettings { Objects = face.Objects, Rounds = face.Rounds, Command = string.Join(' ', [face.Name, .. args]) };
        for (int index = 0; index < args.Length; index++)
        {
            string Next() => ++index < args.Length ? args[index] : throw new ArgumentException($"{args[index - 1]} wants a value.");
            settings = args[index] switch
            {
                "--objects" => settings with { Objects = int.Parse(Next(), CultureInfo.InvariantCulture) },
                "--rounds" => settings with { Rounds = int.Parse(Next(), CultureInfo.InvariantCulture) },
                "--quick" => settings with { Quick = true, Objects = 200_000, Rounds = 2 },
                "--only" => settings with { Only = Next().Split(',') },
                "--directory" => settings with { Directory = Next() },
                "--json" => settings with { JsonPath = Next() },
                string other => throw new ArgumentException($"'{other}' is not an option of {face.Name}."),
            };
        }

        return settings;
    }
}
