using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;

namespace Pile.Tests.Fuzz;

/// <summary>An input that can be made again: a good one by its number, and a seed for each change of it, in their order.</summary>
internal sealed record FuzzCase(int Origin, IReadOnlyList<int> Seeds)
{
    private const int SeedsMax = 8;

    /// <summary>Reads what <see cref="ToString"/> wrote.</summary>
    internal static FuzzCase Parse(string text)
    {
        string[] parts = text.Trim().Split(':');
        return new FuzzCase(
            int.Parse(parts[0], CultureInfo.InvariantCulture),
            [.. parts[1].Split(',', StringSplitOptions.RemoveEmptyEntries).Select(static seed => int.Parse(seed, CultureInfo.InvariantCulture))]);
    }

    /// <summary>The same with one change more; the first one gives way when there are many.</summary>
    internal FuzzCase With(int seed) => this with { Seeds = [.. Seeds.Skip(Seeds.Count == SeedsMax ? 1 : 0), seed] };

    /// <summary>A random sequence of what is done with the input, which follows from the case alone.</summary>
    internal Random Choices() => new(Seeds.Aggregate(Origin, static (sum, seed) => unchecked((sum * 31) + seed)) & int.MaxValue);

    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Origin}:{string.Join(',', Seeds)}");
}
