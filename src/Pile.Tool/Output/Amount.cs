// Numbers as people read them: counts with thousands apart, bytes in binary units, spans of time in the unit that fits.
// JSON has the plain numbers instead.
using System;
using System.Globalization;

namespace Pile.Tool.Output;

/// <summary>Numbers in words.</summary>
internal static class Amount
{
    private static readonly string[] _units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

    /// <summary>A count.</summary>
    internal static string Count(long value) => value.ToString("N0", CultureInfo.InvariantCulture);

    /// <summary>A count, or what to say where there is none.</summary>
    internal static string Count(long? value, string otherwise) => value is { } known ? Count(known) : otherwise;

    /// <summary>Bytes, to three digits.</summary>
    internal static string Bytes(double bytes)
    {
        int unit = 0;
        while (bytes >= 1000 && unit < _units.Length - 1)
        {
            bytes /= 1024;
            unit++;
        }

        string format = unit == 0 || bytes >= 100 ? "0" : bytes >= 10 ? "0.0" : "0.00";
        return $"{bytes.ToString(format, CultureInfo.InvariantCulture)} {_units[unit]}";
    }

    /// <summary>A share of a whole.</summary>
    internal static string Percent(double part, double whole) =>
        whole <= 0 ? "-" : (part / whole).ToString("0 %", CultureInfo.InvariantCulture);

    /// <summary>A span of time.</summary>
    internal static string Span(TimeSpan span) =>
        span.TotalSeconds < 1 ? string.Create(CultureInfo.InvariantCulture, $"{span.TotalMilliseconds:0} ms")
        : span.TotalSeconds < 100 ? string.Create(CultureInfo.InvariantCulture, $"{span.TotalSeconds:0.0} s")
        : span.TotalMinutes < 100 ? string.Create(CultureInfo.InvariantCulture, $"{span.TotalMinutes:0} min")
        : string.Create(CultureInfo.InvariantCulture, $"{span.TotalHours:0} h");

    /// <summary>A moment.</summary>
    internal static string Moment(DateTime utc) => utc.ToString("yyyy-MM-dd HH:mm:ss 'UTC'", CultureInfo.InvariantCulture);
}
