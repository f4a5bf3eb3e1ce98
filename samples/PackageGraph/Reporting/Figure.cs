using System;
using System.Globalization;

namespace PackageGraph.Reporting;

/// <summary>Numbers for people: three digits that count.</summary>
internal static class Figure
{
    /// <summary>Three significant digits, thousands set apart.</summary>
    internal static string Of(double value)
    {
        double size = Math.Abs(value);
        string format = size >= 100 ? "#,0" : size >= 10 ? "0.0" : size >= 1 ? "0.00" : size >= 0.1 ? "0.000" : "0.####";
        return value.ToString(format, CultureInfo.InvariantCulture);
    }

    /// <summary>A duration in the unit that suits it.</summary>
    internal static string Duration(double milliseconds) => milliseconds switch
    {
        >= 1000 => $"{Of(milliseconds / 1000)} s",
        >= 1 => $"{Of(milliseconds)} ms",
        >= 0.001 => $"{Of(milliseconds * 1000)} us",
        _ => $"{Of(milliseconds * 1e6)} ns",
    };

    /// <summary>Mebibytes.</summary>
    internal static string MiB(long bytes) => $"{Of(bytes / (double)(1 << 20))} MiB";

    /// <summary>How many times one figure is another: "x 12"; the pile's advantage reads above 1.</summary>
    internal static string Times(double theirs, double ours) => ours > 0 ? $"{Of(theirs / ours)} x" : "-";
}
