using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;

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

    /// <summary>Where to write JSON, and beside it what a whole run is as text; null for the place of the machine under bench/results.</summary>
    public string? JsonPath { get; init; }

    /// <summary>The command as it was given, for the report, which goes to others: without the place of the JSON, which sets nothing of what is measured.</summary>
    public string Command { get; init; } = "";

    /// <summary>Reads the command line; an unknown word is an error that names it.</summary>
    public static BenchSettings Parse(TableFace face, string[] args)
    {
        var settings = new BenchSettings { Objects = face.Objects, Rounds = face.Rounds, Command = face.Name };
        for (int index = 0; index < args.Length; index++)
        {
            int option = index;
            string Next() => ++index < args.Length ? args[index] : throw new OptionException($"{args[index - 1]} wants a value.");
            settings = args[index] switch
            {
                "--objects" => settings with { Objects = Count(Next) },
                "--rounds" => settings with { Rounds = Count(Next) },
                "--quick" => settings with { Quick = true, Objects = 200_000, Rounds = 2 },
                "--only" => settings with { Only = Known(face, Next().Split(',')) },
                "--directory" => settings with { Directory = Next() },
                "--json" => settings with { JsonPath = Next() },
                string other => throw new OptionException($"'{other}' is not an option of {face.Name}."),
            };
            if (args[option] != "--json")
            {
                settings = settings with { Command = string.Join(' ', [settings.Command, .. args[option..(index + 1)]]) };
            }
        }

        return settings;
    }

    private static int Count(Func<string> next)
    {
        string word = next();
        return int.TryParse(word, CultureInfo.InvariantCulture, out int count) && count > 0 ? count : throw new OptionException($"'{word}' is not a number from 1 to {int.MaxValue:N0}.");
    }

    private static string[] Known(TableFace face, string[] names)
    {
        string? strange = names.FirstOrDefault(name => face.Workloads.All(entry => entry.Name != name));
        return strange is null ? names : throw new OptionException($"'{strange}' is no workload of {face.Name}, which has: {string.Join(", ", face.Workloads.Select(static entry => entry.Name))}.");
    }
}
