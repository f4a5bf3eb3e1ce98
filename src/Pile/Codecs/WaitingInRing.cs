// A collection that waits and whose keys or comparers lead back to it.
// What it is filled after is RingOrder's.
using System;
using System.Collections.Generic;

namespace Pile.Codecs;

/// <summary>One of a ring.</summary>
/// <param name="pending">What waits.</param>
/// <param name="node">The number of its node.</param>
/// <param name="keys">The nodes of what it depends on, comparers first; -1 for those outside of the ring.</param>
internal sealed class WaitingInRing(Pending pending, int node, int[] keys)
{
    internal Pending Pending { get; } = pending;

    internal int Node { get; } = node;

    internal int[] Keys { get; } = keys;

    /// <summary>Whether a comparer leads back, which may look into any other collection.</summary>
    internal bool LooksAround { get; } = keys.AsSpan(0, pending.Comparers).ContainsAnyExcept(-1);

    /// <summary>References to it from within the ring, as far as somebody asks for them.</summary>
    internal List<int> References { get; } = [];

    /// <summary>How many keys were looked at for what is to be filled before.</summary>
    internal int Looked { get; set; }

    /// <summary>Whether it is filled, or waits for those before.</summary>
    internal bool IsBegun { get; set; }
}
