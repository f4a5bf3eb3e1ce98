// What a thread's line has no room for: who the thread is, its stays inside other stays, and the piles that it is inside when it
// is inside several. Rarely touched; the line itself says whether the thread is inside at all.
using System;
using System.Threading;

namespace Pile.Epochs;

/// <summary>The nested stays of one thread. Own thread only, but for <see cref="Thread"/> and <see cref="IsNamed"/>.</summary>
internal sealed class EpochStays(Thread thread)
{
    private const int IdBits = 15;
    private const int IdsMax = 4;
    private const long IdMask = (1 << IdBits) - 1;
    private const long AllPiles = -1;
    private (long Outer, long Lease)[] _nested = new (long Outer, long Lease)[4];
    private long _serial;
    private long _names;

    /// <summary>The thread.</summary>
    internal Thread Thread { get; } = thread;

    /// <summary>Whether the system marks the line when the thread ends.</summary>
    internal bool IsWatched { get; set; }

    /// <summary>Stays inside the outermost one.</summary>
    internal int Count { get; private set; }

    /// <summary>The innermost one: the word to return to, and the lease's own, 0 for a call.</summary>
    internal (long Outer, long Lease) Last => _nested[Count - 1];

    /// <summary>A number that no other nested lease of this thread had.</summary>
    internal long NextSerial() => ++_serial;

    internal void Push(long outer, long lease)
    {
        if (Count == _nested.Length)
        {
            Array.Resize(ref _nested, _nested.Length * 2);
        }

        _nested[Count++] = (outer, lease);
    }

    internal (long Outer, long Lease) Pop() => _nested[--Count];

    /// <summary>Whether the thread, of which the word says that it is inside several piles, is inside this one. Any thread.</summary>
    internal bool IsNamed(long pileId)
    {
        long names = Volatile.Read(ref _names);
        return names == AllPiles || Has(names, pileId);
    }

    /// <summary>Names a pile that the thread enters while it is inside others.</summary>
    /// <param name="first">The pile that it was inside alone, or 0 when it was inside several.</param>
    /// <param name="second">The pile that it enters.</param>
    internal void Name(long first, long second)
    {
        // Writer: this thread. Reader: a reclaimer, which loads the word first. Needed: the names before the word that sends it
        // to them; and a name stays until the thread is back in one pile, so that none is missing while it is inside.
        long names = first != 0 ? first | (second << IdBits) : _names;
        if (names != AllPiles && !Has(names, second))
        {
            int free = 0;
            while (free < IdsMax && ((names >> (free * IdBits)) & IdMask) != 0)
            {
                free++;
            }

            names = free == IdsMax ? AllPiles : names | (second << (free * IdBits));
        }

        Volatile.Write(ref _names, names);
    }

    private static bool Has(long names, long pileId)
    {
        for (; names != 0; names >>>= IdBits)
        {
            if ((names & IdMask) == pileId)
            {
                return true;
            }
        }

        return false;
    }
}
