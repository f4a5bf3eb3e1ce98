using System.Collections.Generic;
using System.IO;
using System.Text.Json;
using Pile.Bench.Reports;

namespace Pile.HitRatio.Reports;

/// <summary>Everything a run found, as it is written to JSON.</summary>
internal sealed record HitRatioResult
{
    private static readonly JsonSerializerOptions _json = new() { WriteIndented = true };

    public required Machine Machine { get; init; }

    public required string Command { get; init; }

    public required int Seed { get; init; }

    public required int KeyBytes { get; init; }

    /// <summary>Bytes that each object was counted with beyond its key and value.</summary>
    public required int ChargeBytes { get; init; }

    public required IReadOnlyList<ContestantResult> Contestants { get; init; }

    public required IReadOnlyList<TraceResult> Traces { get; init; }

    public required IReadOnlyList<CellResult> Cells { get; init; }

    public required IReadOnlyList<MeanResult> Means { get; init; }

    public required double Seconds { get; init; }

    internal string ToJson() => JsonSerializer.Serialize(this, _json);

    /// <exception cref="InvalidDataException">The text is no result.</exception>
    internal static HitRatioResult FromJson(string text)
    {
        try
        {
            return JsonSerializer.Deserialize<HitRatioResult>(text) ?? throw new InvalidDataException("The result is empty.");
        }
        catch (JsonException exception)
        {
            throw new InvalidDataException($"This is no result of Pile.HitRatio: {exception.Message}", exception);
        }
    }
}
