// Seeds of random runs: the same ones in every build, or the one of PILE_SEED.
// Whoever draws one prints it.
using System;
using System.Globalization;

namespace Pile.Cache.Tests;

internal static class Seeds
{
    /// <summary>Whether a run is to be made again.</summary>
    internal static bool IsGiven => Environment.GetEnvironmentVariable("PILE_SEED") is { Length: > 0 };

    internal static int Next(int run) =>
        Environment.GetEnvironmentVariable("PILE_SEED") is { Length: > 0 } given ? int.Parse(given, CultureInfo.InvariantCulture) : (run * 7919) + 17;
}
