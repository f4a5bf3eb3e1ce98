// What stands in what, within a ring of values (GraphWalk): each value has a place, so that what stands in one is a run of places that ends
// with its own, inner ones first. References have numbers by the places that they stand in, so that those in one value are a run as well.
using System;
using System.Collections.Generic;

namespace Pile.Codecs;

/// <summary>Places of the values of a ring.</summary>
internal sealed class Standing
{
    /// <summary>Steps from a value to one that it stands in; more are not gone: one large object may be the key of many.</summary>
    private const int StepsMax = 64;

    private readonly int[] _around;
    private readonly int[] _firsts;
    private readonly int[] _lasts;
    private readonly int[] _targets;
    private readonly int[] _referencesBefore;

    /// <param name="nodes">The nodes of the ring.</param>
    /// <param name="ring">The number of the first one.</param>
    /// <param name="references">References between nodes of the ring, by their numbers.</param>
    internal Standing(ReadOnlySpan<WalkNode> nodes, int ring, ReadOnlySpan<(int From, int Target)> references)
    {
        Ring = ring;
        Count = nodes.Length;
        (_around, _firsts, _lasts) = (new int[Count], new int[Count], new int[Count]);
        Place(nodes);

        _referencesBefore = new int[Count + 1];
        foreach ((int from, _) in references)
        {
            _referencesBefore[PlaceOf(from) + 1]++;
        }

        for (int place = 0; place < Count; place++)
        {
            _referencesBefore[place + 1] += _referencesBefore[place];
        }

        int[] next = _referencesBefore.AsSpan(0, Count).ToArray();
        _targets = new int[references.Length];
        foreach ((int from, int target) in references)
        {
            _targets[next[PlaceOf(from)]++] = target;
        }
    }

    /// <summary>The number of the ring's first node.</summary>
    internal int Ring { get; }

    /// <summary>How many places there are.</summary>
    internal int Count { get; }

    /// <summary>How many references there are.</summary>
    internal int References => _targets.Length;

    /// <summary>The place of a node.</summary>
    internal int PlaceOf(int node) => _lasts[node - Ring];

    /// <summary>The places of a node and of what stands in it.</summary>
    internal (int First, int Last) Within(int node) => (_firsts[node - Ring], _lasts[node - Ring]);

    /// <summary>The first reference that stands in a place or behind it.</summary>
    internal int ReferencesFrom(int place) => _referencesBefore[place];

    /// <summary>The node that a reference leads to.</summary>
    internal int TargetOf(int reference) => _targets[reference];

    /// <summary>What stands between an inner value and a node that it stands in, from the inner one on; nothing where it stands in that itself, or too
    /// deep.</summary>
    internal List<int> Between(int inner, int node)
    {
        List<int> between = [];
        for (int at = _around[inner - Ring]; at >= 0 && between.Count < StepsMax; at = _around[at])
        {
            if (at == node - Ring)
            {
                return between;
            }

            between.Add(at + Ring);
        }

        return [];
    }

    /// <summary>A value begins before what stands in it; so sizes come from behind, and rooms from the front.</summary>
    private void Place(ReadOnlySpan<WalkNode> nodes)
    {
        int[] offsets = new int[Count];
        int[] order = new int[Count];
        int[] sizes = new int[Count];
        for (int node = 0; node < Count; node++)
        {
            (offsets[node], order[node], sizes[node]) = (nodes[node].Offset, node, 1);
            _around[node] = int.Max(nodes[node].Around - Ring, -1);
        }

        Array.Sort(offsets, order);
        for (int index = Count - 1; index >= 0; index--)
        {
            int around = _around[order[index]];
            if (around >= 0)
            {
                sizes[around] += sizes[order[index]];
            }
        }

        int free = 0;
        int[] freeIn = new int[Count];
        foreach (int node in order)
        {
            int around = _around[node];
            ref int room = ref around >= 0 ? ref freeIn[around] : ref free;
            _firsts[node] = freeIn[node] = room;
            _lasts[node] = room + sizes[node] - 1;
            room += sizes[node];
        }
    }
}
