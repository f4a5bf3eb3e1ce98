// Spans of time as a command line has them: a number and its unit, as 500ms, 90s, 10m, 2h, 7d.
// A number alone is refused: seconds and minutes are easily taken for each other.
using System;
using System.CommandLine.Parsing;
using System.Globalization;

namespace Pile.Tool.Entries;

/// <summary>Spans of time in words.</summary>
internal static class DurationText
{
    // Half of what a TimeSpan holds: what is added to it still fits.
    private const int DaysMax = 5_000_000;

    private static readonly (string Unit, double Seconds)[] _units = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("d", 86_400)];

    /// <summary>Reads an option's value.</summary>
    internal static TimeSpan? Parse(ArgumentResult result)
    {
        string text = result.Tokens.Count == 1 ? result.Tokens[0].Value : "";
        if (TryRead(text) is { } span)
        {
            return span;
        }

        result.AddError($"'{text}' is no span of time: give a number above 0 with its unit, as 500ms, 90s, 10m, 2h or 7d, and at most {DaysMax}d.");
        return null;
    }

    /// <summary>The span of a text; null where it is none.</summary>
    internal static TimeSpan? TryRead(string text)
    {
        foreach ((string unit, double seconds) in _units)
        {
            if (text.EndsWith(unit, StringComparison.Ordinal)
                && double.TryParse(text.AsSpan(0, text.Length - unit.Length), NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double count)
                && count * seconds <= DaysMax * 86_400.0
                && TimeSpan.FromSeconds(count * seconds) is var span && span > TimeSpan.Zero)
            {
                return span;
            }
        }

        return null;
    }
}
