using System.Collections.Generic;
using System.IO;
using System.Text.Json;
using Pile.Bench.Reports;
using Pile.Compare.Running;

namespace Pile.Compare.Reports;

/// <summary>Everything a run found, as it is written to JSON and read back for the README.</summary>
internal sealed record CompareResult
{
    private static readonly JsonSerializerOptions _json = new() { WriteIndented = true };

    public required Machine Machine { get; init; }

    public required string Command { get; init; }

    /// <summary>What the one who measured had to say, or nothing.</summary>
    public string Note { get; init; } = "";

    public required int Objects { get; init; }

    public required int PayloadBytes { get; init; }

    public required int Rounds { get; init; }

    public required IReadOnlyList<ContestantResult> Contestants { get; init; }

    /// <summary>Objects when settings were tried.</summary>
    public int TrialObjects { get; init; }

    public required IReadOnlyList<TrialResult> Trials { get; init; }

    public required IReadOnlyList<RowResult> Rows { get; init; }

    public required IReadOnlyList<SeriesResult> Series { get; init; }

    public required double Seconds { get; init; }

    internal string ToJson() => JsonSerializer.Serialize(this, _json);

    /// <exception cref="InvalidDataException">The text is no result.</exception>
    internal static CompareResult FromJson(string text)
    {
        try
        {
            return JsonSerializer.Deserialize<CompareResult>(text) ?? throw new InvalidDataException("The result is empty.");
        }
        catch (JsonException exception)
        {
            throw new InvalidDataException($"This is no result of Pile.Compare: {exception.Message}", exception);
        }
    }
}
