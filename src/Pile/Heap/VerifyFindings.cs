// What one thread of a verification has found, and the words for it. Findings of a segment's walk carry its index, so that the
// report has them in the order of the segments whichever thread came upon them.
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>Findings in the making. Used by one thread.</summary>
internal sealed class VerifyFindings
{
    private readonly List<(int Order, PileFinding Finding)> _list = [];

    /// <summary>How many there are.</summary>
    internal int Count => _list.Count;

    /// <summary>The segment that is walked; it orders what is found.</summary>
    internal int Order { get; set; }

    /// <summary>What a finding calls a segment.</summary>
    internal static string Name(Segment segment) => $"segment {segment.Index}";

    /// <summary>Adds a finding.</summary>
    internal void Add(PileDamage damage, string where, string expected, string actual) =>
        _list.Add((Order, new PileFinding(damage, where, expected, actual)));

    /// <summary>Adds a finding unless both numbers are the same.</summary>
    internal void Expect(PileDamage damage, string where, long expected, long actual)
    {
        if (expected != actual)
        {
            Add(damage, where, expected.ToString("N0", CultureInfo.InvariantCulture), actual.ToString("N0", CultureInfo.InvariantCulture));
        }
    }

    /// <summary>Adds what another thread found, when it has ended.</summary>
    internal void AddAll(VerifyFindings other) => _list.AddRange(other._list);

    /// <summary>All of them, by segment.</summary>
    internal List<PileFinding> InOrder() => [.. _list.OrderBy(static item => item.Order).Select(static item => item.Finding)];
}
