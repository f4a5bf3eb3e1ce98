namespace Pile.Compare.Running;

/// <summary>What bars say of a ratio.</summary>
internal static class Verdicts
{
    internal const string Reached = "reached";
    internal const string Met = "met";
    internal const string Missed = "MISSED";
    internal const string None = "-";

    /// <summary>Reached when it is on the right side of the higher bar, met for the lower one; a row without bars has no verdict.</summary>
    internal static string Of(double ratio, double? must, double? reach, bool atMost) =>
        must is null && reach is null ? None
        : Meets(reach, ratio, atMost) ? Reached
        : Meets(must, ratio, atMost) ? Met
        : Missed;

    private static bool Meets(double? bar, double ratio, bool atMost) => bar is { } value && (atMost ? ratio <= value : ratio >= value);
}
