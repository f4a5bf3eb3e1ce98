using System.Collections.Generic;
using System.IO;
using System.Text.Json;
using PackageGraph.Live;
using PackageGraph.Measuring;
using Pile.Bench.Reports;

namespace PackageGraph.Reporting;

/// <summary>Everything that a run found, as it is written to JSON and read back for the picture.</summary>
internal sealed record GraphResult
{
    private static readonly JsonSerializerOptions _json = new() { WriteIndented = true };

    public required Machine Machine { get; init; }

    public required string Command { get; init; }

    public required int Editions { get; init; }

    public required int Objects { get; init; }

    public required long Edges { get; init; }

    /// <summary>Ordinary objects in a dictionary.</summary>
    public required FormFigures Heap { get; init; }

    /// <summary>The pile.</summary>
    public required FormFigures Pile { get; init; }

    public required AccessFigures Access { get; init; }

    /// <summary>Why one package depends on another: names, the first is the one that depends.</summary>
    public required IReadOnlyList<string> Why { get; init; }

    /// <summary>Edges compared at the end, item by item; all were equal, or the run had failed.</summary>
    public required long ComparedEdges { get; init; }

    public LiveFigures? LiveHeap { get; init; }

    public LiveFigures? LivePile { get; init; }

    public required double Seconds { get; init; }

    internal string ToJson() => JsonSerializer.Serialize(this, _json);

    /// <exception cref="InvalidDataException">The text is no result.</exception>
    internal static GraphResult FromJson(string text)
    {
        try
        {
            return JsonSerializer.Deserialize<GraphResult>(text) ?? throw new InvalidDataException("The result is empty.");
        }
        catch (JsonException exception)
        {
            throw new InvalidDataException($"This is no result of PackageGraph: {exception.Message}", exception);
        }
    }
}
