// Numbers of a range that are left, of which the next one from any on is found in almost no time, however many were taken away.
// Source: union by the next number with path halving, Tarjan and van Leeuwen, 1984.
using System;

namespace Pile.Codecs;

/// <summary>Numbers from 0 that are left.</summary>
internal sealed class Remaining
{
    private readonly int[] _next;

    /// <summary>None of so many.</summary>
    internal Remaining(int count)
    {
        _next = new int[count + 1];
        Array.Fill(_next, count);
        Count = count;
    }

    /// <summary>The end of the range.</summary>
    internal int Count { get; }

    /// <summary>The numbers that something holds for.</summary>
    internal static Remaining Where(int count, Predicate<int> holds)
    {
        var remaining = new Remaining(count);
        for (int number = count - 1; number >= 0; number--)
        {
            remaining._next[number] = holds(number) ? number : remaining._next[number + 1];
        }

        return remaining;
    }

    /// <summary>The least one that is left and not below a number; the end when there is none.</summary>
    internal int Next(int from)
    {
        while (_next[from] != from)
        {
            _next[from] = _next[_next[from]];
            from = _next[from];
        }

        return from;
    }

    /// <summary>Takes one away.</summary>
    internal void Remove(int number) => _next[number] = number + 1;
}
