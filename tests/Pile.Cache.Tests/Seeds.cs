// Seeds of random runs: new ones each day of the build, or the one of PILE_SEED.
// Whoever draws one prints it.
using System;
using System.Globalization;

namespace Pile.Cache.Tests;

internal static class Seeds
{
    internal static int Next(int run) =>
        Environment.GetEnvironmentVariable("PILE_SEED") is { Length: > 0 } given ? int.Parse(given, CultureInfo.InvariantCulture) : (run * 7919) + 17;
}
