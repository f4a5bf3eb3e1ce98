// Options that are numbers: how one is read, and what is said of one that is none or lies outside of its range: the option, the range,
// the value. The parser's own words would name a type of the program.
using System;
using System.CommandLine.Parsing;
using System.Globalization;
using System.Linq;
using System.Numerics;

namespace Pile.Tool.Running;

/// <summary>Numbers in words.</summary>
internal static class NumberText
{
    /// <summary>Reads a whole number of an option.</summary>
    internal static Func<ArgumentResult, int> Int(string name, int min, int max) => result => Read(result, name, min, max, NumberStyles.AllowLeadingSign);

    /// <summary>Reads a large whole number of an option.</summary>
    internal static Func<ArgumentResult, long> Long(string name, long min, long max) => result => Read(result, name, min, max, NumberStyles.AllowLeadingSign);

    /// <summary>Reads a number with a fraction of an option.</summary>
    internal static Func<ArgumentResult, double> Double(string name, double min, double max) => result => Read(result, name, min, max, NumberStyles.Float);

    /// <summary>Reads the whole numbers of an option that may be given several times.</summary>
    internal static Func<ArgumentResult, int[]> Ints(string name, int min, int max) => result =>
        [.. result.Tokens.Select(token => Read(result, token.Value, name, min, max, NumberStyles.AllowLeadingSign))];

    private static T Read<T>(ArgumentResult result, string name, T min, T max, NumberStyles styles)
        where T : struct, INumber<T> => Read(result, result.Tokens is [var token] ? token.Value : "", name, min, max, styles);

    private static T Read<T>(ArgumentResult result, string text, string name, T min, T max, NumberStyles styles)
        where T : struct, INumber<T>
    {
        if (T.TryParse(text, styles, CultureInfo.InvariantCulture, out T value) && value >= min && value <= max)
        {
            return value;
        }

        result.AddError(string.Create(CultureInfo.InvariantCulture, $"{name} must lie between {min} and {max}, not '{text}'."));
        return default;
    }
}
