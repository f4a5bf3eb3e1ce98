// A set of small integers as a bitmap: free and absent segments by index, lowest or highest first.
// Reusing the lowest keeps what is resident together, so that memory above it can go back whole.
using System;
using System.Numerics;

namespace Pile.Segments;

/// <summary>A set of indices. Not thread-safe.</summary>
internal sealed class IndexSet
{
    private ulong[] _words = new ulong[4];

    /// <summary>Members.</summary>
    internal int Count { get; private set; }

    /// <summary>Whether an index is a member.</summary>
    internal bool Contains(int index) => index / 64 < _words.Length && (_words[index / 64] & (1UL << (index % 64))) != 0;

    /// <summary>Adds an index that is not a member.</summary>
    internal void Add(int index)
    {
        Reserve(index + 1);
        _words[index / 64] |= 1UL << (index % 64);
        Count++;
    }

    /// <summary>Finds the memory for indices below an end: adding them can't fail then.</summary>
    internal void Reserve(int end)
    {
        int words = (end + 63) / 64;
        if (words > _words.Length)
        {
            Array.Resize(ref _words, int.Max(words, _words.Length * 2));
        }
    }

    /// <summary>Removes and returns the lowest member; the set is not empty.</summary>
    internal int TakeLowest()
    {
        int word = 0;
        while (_words[word] == 0)
        {
            word++;
        }

        int bit = BitOperations.TrailingZeroCount(_words[word]);
        _words[word] &= _words[word] - 1;
        Count--;
        return (word * 64) + bit;
    }

    /// <summary>Removes and returns the lowest member that a test accepts; -1 when there is none.</summary>
    internal int TakeLowest(Predicate<int> accepts)
    {
        for (int word = 0; word < _words.Length; word++)
        {
            for (ulong rest = _words[word]; rest != 0; rest &= rest - 1)
            {
                int index = (word * 64) + BitOperations.TrailingZeroCount(rest);
                if (accepts(index))
                {
                    _words[word] &= ~(1UL << (index % 64));
                    Count--;
                    return index;
                }
            }
        }

        return -1;
    }

    /// <summary>Removes and returns the highest member; the set is not empty.</summary>
    internal int TakeHighest()
    {
        int word = _words.Length - 1;
        while (_words[word] == 0)
        {
            word--;
        }

        int bit = BitOperations.Log2(_words[word]);
        _words[word] &= ~(1UL << bit);
        Count--;
        return (word * 64) + bit;
    }
}
