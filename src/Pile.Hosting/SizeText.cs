// Sizes as people write them in configuration: bytes, or a number with a unit, "64MB" or "1.5 GiB". MB is a million bytes and MiB 1,048,576,
// as the standards of units say. The culture is nobody's.
using System;
using System.Globalization;

namespace Pile.Hosting;

/// <summary>The reader of sizes.</summary>
internal static class SizeText
{
    /// <summary>What sizes look like, for people.</summary>
    internal const string Form = "a number of bytes, or one with a unit, such as 64MB or 2GiB";

    private static readonly (string Unit, long Bytes)[] _units =
    [
        ("KiB", 1L << 10), ("MiB", 1L << 20), ("GiB", 1L << 30), ("TiB", 1L << 40),
        ("KB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000),
        ("B", 1),
    ];

    /// <summary>Reads a size.</summary>
    /// <param name="text">The text.</param>
    /// <param name="bytes">The size in bytes, without the part of a byte that a fraction may give.</param>
    /// <returns>False for any other form, and for what 64 bits don't hold.</returns>
    internal static bool TryRead(string text, out long bytes)
    {
        bytes = 0;
        foreach ((string unit, long factor) in _units)
        {
            if (text.EndsWith(unit, StringComparison.OrdinalIgnoreCase))
            {
                ReadOnlySpan<char> number = text.AsSpan()[..^unit.Length].TrimEnd(' ');
                return decimal.TryParse(number, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out decimal value)
                    && TryScale(value, factor, out bytes);
            }
        }

        return long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out bytes);
    }

    private static bool TryScale(decimal value, long factor, out long bytes)
    {
        bool fits = value <= long.MaxValue / factor;
        bytes = fits ? (long)(value * factor) : 0;
        return fits;
    }
}
