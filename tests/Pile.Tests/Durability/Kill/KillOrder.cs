using System;
using System.Globalization;
using Pile.Primitives;

namespace Pile.Tests.Durability.Kill;

/// <summary>What a child shall do, as its command line says it.</summary>
/// <param name="Path">The directory.</param>
/// <param name="Promise">The promise of a pile that is created.</param>
/// <param name="Seed">Of the random choices.</param>
/// <param name="FirstVersion">The first version that nobody has used.</param>
/// <param name="Calls">Calls of each thread.</param>
/// <param name="Point">Where to be killed; null for nowhere.</param>
/// <param name="Passage">At which passage of the point.</param>
internal sealed record KillOrder(string Path, PilePromise Promise, int Seed, int FirstVersion, int Calls, StopPoint? Point, int Passage)
{
    internal string[] ToArguments() =>
        ["kill", Path, $"{Promise}", Text(Seed), Text(FirstVersion), Text(Calls), Point is { } point ? $"{point}" : "-", Text(Passage)];

    internal static KillOrder Parse(string[] arguments) => new(
        arguments[1],
        Enum.Parse<PilePromise>(arguments[2]),
        Number(arguments[3]),
        Number(arguments[4]),
        Number(arguments[5]),
        arguments[6] == "-" ? null : Enum.Parse<StopPoint>(arguments[6]),
        Number(arguments[7]));

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);

    private static int Number(string text) => int.Parse(text, CultureInfo.InvariantCulture);
}
