using System;
using System.Globalization;

namespace Pile.Bench.Goals;

/// <summary>A line of the status: a goal, what was found, and how to find it again.</summary>
/// <param name="Part">The part of the project whose goal it is.</param>
/// <param name="Figure">What is measured.</param>
/// <param name="Must">The bar that must be met.</param>
/// <param name="Reach">The bar to reach for, or nothing.</param>
/// <param name="Found">The figure.</param>
/// <param name="Verdict">What the bars say of it.</param>
/// <param name="Command">What measures it.</param>
/// <param name="Cores">Processors of the machine that it was found on, or nothing when its folder does not say.</param>
internal sealed record GoalRow(string Part, string Figure, string Must, string Reach, string Found, string Verdict, string Command, string Cores = "")
{
    internal const string Heap = "The heap";
    internal const string Comparison = "The comparison";
    internal const string Codec = "The codec";
    internal const string Files = "Piles in files";
    internal const string Attacks = "Attacks on piles in files";
    internal const string Tool = "The tool, copies and hosts";
    internal const string Cache = "The cache";
    internal const string Server = "The cache server";
    internal const string Client = "The client";

    /// <summary>A bar in words.</summary>
    internal static string Bar(double? bar, bool atMost) => bar is { } value ? string.Create(CultureInfo.InvariantCulture, $"{(atMost ? "<=" : ">=")} {value:#,0.##}") : "";

    /// <summary>A number for people: three digits that count.</summary>
    internal static string Number(double value)
    {
        double size = Math.Abs(value);
        return size < 0.0005 ? "0" : value.ToString(size >= 100 ? "#,0" : size >= 10 ? "0.0" : size >= 1 ? "0.00" : "0.###", CultureInfo.InvariantCulture);
    }

    /// <summary>What bars say of a figure.</summary>
    internal static string VerdictOf(double found, double must, double? reach, bool atMost = true) =>
        Meets(found, reach, atMost) ? "reached" : Meets(found, must, atMost) ? "met" : "MISSED";

    private static bool Meets(double found, double? bar, bool atMost) => bar is { } value && (atMost ? found <= value : found >= value);
}
