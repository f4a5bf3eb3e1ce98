using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Pile.Compare.Contestants;
using Pile.Compare.Solo;
using Pile.Compare.Workloads;

namespace Pile.Compare.Running;

/// <summary>What a run was asked to do.</summary>
internal sealed record CompareSettings
{
    internal const int RoundsMin = 5;
    private const int QuickObjects = 50_000;
    private const int ObjectsMin = 1_000;
    private const int ObjectsMax = 50_000_000;

    /// <summary>Objects of each contestant.</summary>
    public int Objects { get; init; } = 10_000_000;

    /// <summary>Rounds that count.</summary>
    public int Rounds { get; init; } = RoundsMin;

    /// <summary>A smoke of a minute: few objects, nothing written.</summary>
    public bool Quick { get; init; }

    /// <summary>Workloads to run; empty for all.</summary>
    public IReadOnlyList<string> Only { get; init; } = [];

    /// <summary>Contestants that stay out.</summary>
    public IReadOnlyList<string> Without { get; init; } = [];

    /// <summary>Where JSON goes, or null for the machine's place under bench/results.</summary>
    public string? JsonPath { get; init; }

    /// <summary>What the reader of the report should know, such as who else used the machine.</summary>
    public string Note { get; init; } = "";

    /// <summary>The command as it was given.</summary>
    public string Command { get; init; } = "";

    /// <summary>Operations of a round of a random workload.</summary>
    internal int RandomOperations => int.Min(Objects, 2_000_000);

    /// <summary>How long a loop runs before it counts: the JIT's last tier comes in the background.</summary>
    internal int WarmMs => Quick ? 100 : 400;

    /// <summary>Objects when settings are tried.</summary>
    internal int TrialObjects => int.Min(Objects, 1_000_000);

    /// <summary>Rounds when settings are tried.</summary>
    internal int TrialRounds => Quick ? 1 : 3;

    /// <summary>Whether everything ran that the committed result has.</summary>
    internal bool IsWhole => !Quick && Only.Count == 0 && Without.Count == 0;

    /// <summary>Reads the command line.</summary>
    /// <exception cref="ArgumentException">Something is wrong with it; the message says what would be right.</exception>
    internal static CompareSettings Parse(string[] args)
    {
        var settings = new CompareSettings { Command = string.Join(' ', ["dotnet run -c Release --project bench/Pile.Compare", .. args.Length > 0 ? ["--"] : Array.Empty<string>(), .. args]) };
        for (int index = 0; index < args.Length; index++)
        {
            string name = args[index];
            string Next() => ++index < args.Length ? args[index] : throw new ArgumentException($"{name} wants a value.");
            settings = name switch
            {
                "--quick" => settings with { Quick = true, Objects = QuickObjects },
                "--objects" => settings with { Objects = Number(name, Next(), ObjectsMin, ObjectsMax) },
                "--rounds" => settings with { Rounds = Number(name, Next(), RoundsMin, 99) },
                "--only" => settings with { Only = Known(name, Next(), [.. WorkloadList.All.Select(workload => workload.Name), .. SoloList.All.Select(solo => solo.Name)]) },
                "--without" => settings with { Without = Known(name, Next(), [.. Entries.All.Skip(1).Select(entry => entry.Name)]) },
                "--note" => settings with { Note = Next() },
                "--json" => settings with { JsonPath = Next() },
                _ => throw new ArgumentException($"'{name}' is not an option: --quick, --objects N, --rounds R, --only workload;..., --without contestant;..., --note text, --json path."),
            };
        }

        return settings;
    }

    private static int Number(string name, string text, int min, int max) =>
        int.TryParse(text, NumberStyles.Integer | NumberStyles.AllowThousands, CultureInfo.InvariantCulture, out int value) && value >= min && value <= max
            ? value
            : throw new ArgumentException(string.Create(CultureInfo.InvariantCulture, $"{name} must lie between {min:#,0} and {max:#,0}, not '{text}'."));

    private static string[] Known(string name, string text, string[] known)
    {
        string[] names = text.Split(';', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries);
        return names.FirstOrDefault(one => !known.Contains(one)) is { } unknown
            ? throw new ArgumentException($"{name}: there is no '{unknown}'. There is: {string.Join("; ", known)}.")
            : names;
    }
}
