using System;
using System.Globalization;

namespace Pile.HitRatio.Traces;

/// <summary>A line of a trace file: time, key, size, and whatever follows, with commas between.</summary>
internal static class CsvLine
{
    private const int TextMax = 60;

    /// <summary>Whether a first line names columns: it has three, and neither its time nor its size is a number.</summary>
    internal static bool IsHeader(string line)
    {
        Span<Range> fields = stackalloc Range[4];
        return Split(line, fields) >= 3 && !IsNumber(line.AsSpan()[fields[0]]) && !IsNumber(line.AsSpan()[fields[2]]);
    }

    /// <summary>Reads a line.</summary>
    /// <returns>What is wrong with it, or nothing.</returns>
    internal static string? TryParse(string line, out Request request)
    {
        request = default;
        Span<Range> fields = stackalloc Range[4];
        if (Split(line, fields) < 3)
        {
            return $"wants time, key and size with commas between, not '{Shown(line)}'.";
        }

        ReadOnlySpan<char> time = line.AsSpan()[fields[0]];
        ReadOnlySpan<char> key = line.AsSpan()[fields[1]];
        ReadOnlySpan<char> size = line.AsSpan()[fields[2]];
        if (!TryTime(time, out long at))
        {
            return $"the time must be a number, not '{Shown(time)}'.";
        }

        if (key.IsEmpty || key.Contains('"'))
        {
            return $"the key must be a number or text without quotes, not '{Shown(key)}'.";
        }

        if (!int.TryParse(size, NumberStyles.None, CultureInfo.InvariantCulture, out int bytes))
        {
            return string.Create(CultureInfo.InvariantCulture, $"the size must be a whole number of bytes from 0 to {int.MaxValue:#,0}, not '{Shown(size)}'.");
        }

        request = new Request(KeyOf(key), bytes, at);
        return null;
    }

    /// <summary>A number stands for itself; text for its hash: FNV-1a over its characters, mixed.</summary>
    internal static ulong KeyOf(ReadOnlySpan<char> key)
    {
        bool isPlain = key.Length == 1 || key[0] != '0';
        if (isPlain && ulong.TryParse(key, NumberStyles.None, CultureInfo.InvariantCulture, out ulong number))
        {
            return number;
        }

        ulong hash = 0xCBF2_9CE4_8422_2325;
        foreach (char letter in key)
        {
            hash = (hash ^ letter) * 0x0000_0100_0000_01B3;
        }

        return SplitMix.Mix(hash);
    }

    private static int Split(string line, Span<Range> fields) => line.AsSpan().Split(fields, ',', StringSplitOptions.TrimEntries);

    private static bool IsNumber(ReadOnlySpan<char> text) => decimal.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out _);

    private static bool TryTime(ReadOnlySpan<char> text, out long time)
    {
        if (long.TryParse(text, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out time))
        {
            return true;
        }

        bool isNumber = decimal.TryParse(text, NumberStyles.AllowLeadingSign | NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out decimal number)
            && number is >= long.MinValue and <= long.MaxValue;
        time = isNumber ? (long)number : 0;
        return isNumber;
    }

    private static string Shown(ReadOnlySpan<char> text) => text.Length <= TextMax ? text.ToString() : $"{text[..TextMax]}...";
}
