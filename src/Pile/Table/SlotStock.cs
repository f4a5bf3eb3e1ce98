// A writer's own free slots: a run, which is up to 64 neighbours as the bits of a word, the runs that follow it, and behind them a ring
// of single ones, first in first out. Runs are what fresh and mass-deleted slots come in, and taking from them touches no memory but their
// own; the ring's next slots are known early enough to prefetch their entries, and a slot comes round again only after hundreds of others,
// which spreads the wear of generations.
// Not thread-safe: it belongs to the holder of the writer, inside whose object it lies.
using System;
using System.Numerics;
using System.Runtime.CompilerServices;
using Pile.Primitives;

namespace Pile.Table;

/// <summary>A bounded stock of free slots.</summary>
internal struct SlotStock
{
    /// <summary>Slots of a run at the most.</summary>
    internal const int RunSlots = 64;

    private const int Mask = Limits.SlotRingSlots - 1;
    private ulong _run;
    private uint _runFirst;
    private uint _nextFirst;
    private int _next;
    private int _end;
    private Runs _runs;
    private uint _head;
    private uint _tail;
    private Slots _slots;

    /// <summary>Slots in stock.</summary>
    internal readonly int Count
    {
        get
        {
            int count = BitOperations.PopCount(_run) + RingCount;
            for (int index = _next; index < _end; index++)
            {
                count += BitOperations.PopCount(_runs[index]);
            }

            return count;
        }
    }

    /// <summary>Slots in the ring.</summary>
    internal readonly int RingCount => (int)(_tail - _head);

    /// <summary>Whether <see cref="Take"/> has something to take.</summary>
    internal readonly bool HasRun => _run != 0;

    /// <summary>Whether a push would find no room.</summary>
    internal readonly bool IsFull => RingCount == Limits.SlotRingSlots;

    /// <summary>Takes the lowest slot of a run that is not empty.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal uint Take()
    {
        Check.That(HasRun);
        ulong run = _run;
        _run = run & (run - 1);
        return _runFirst + (uint)BitOperations.TrailingZeroCount(run);
    }

    /// <summary>Sets the runs, when those before are used up, and begins with the first that has a slot.</summary>
    /// <param name="first">The slot of the lowest bit of the first, a multiple of 64.</param>
    /// <param name="runs">Neighbours, one after the other, at most <see cref="Limits.SlotRunsMax"/>: which of 64 slots each are free.</param>
    internal void SetRuns(uint first, ReadOnlySpan<ulong> runs)
    {
        Check.That(!HasRun && _next == _end && first % RunSlots == 0);
        runs.CopyTo(_runs);
        (_nextFirst, _next, _end) = (first, 0, runs.Length);
        _ = TryNextRun();
    }

    /// <summary>Goes on to the next run when the present one is used up; behind the last, to the oldest slot of the ring.</summary>
    /// <param name="later">A slot that comes soon, whose entry is worth a prefetch; any slot when none is.</param>
    /// <returns>False when there is neither.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryNext(out uint later)
    {
        later = 0;
        if (_next < _end && TryNextRun())
        {
            return true;
        }

        if (!TryPop(out uint slot, Limits.SlotsAhead, out later))
        {
            return false;
        }

        Check.That(!HasRun);
        (_run, _runFirst) = (1, slot);
        return true;
    }

    /// <summary>Adds a slot behind all others.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Push(uint slot)
    {
        Check.That(!IsFull);
        _slots[(int)(_tail++ & Mask)] = slot;
    }

    /// <summary>Takes the oldest slot of the ring, and tells the one that will come after <paramref name="ahead"/> others, for a
    /// prefetch: stale when there are fewer, but a slot.</summary>
    /// <returns>False when the ring is empty.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryPop(out uint slot, int ahead, out uint later)
    {
        uint head = _head;
        if (head == _tail)
        {
            slot = later = 0;
            return false;
        }

        slot = _slots[(int)(head & Mask)];
        later = _slots[(int)((head + (uint)ahead) & Mask)];
        _head = head + 1;
        return true;
    }

    /// <summary>Forgets all slots.</summary>
    internal void Clear()
    {
        _run = 0;
        _next = _end = 0;
        _head = _tail = 0;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryNextRun()
    {
        while (_next < _end && !HasRun)
        {
            (_run, _runFirst) = (_runs[_next], _nextFirst);
            _next++;
            _nextFirst += RunSlots;
        }

        return HasRun;
    }

    [InlineArray(Limits.SlotRunsMax)]
    private struct Runs
    {
        private ulong _first;
    }

    [InlineArray(Limits.SlotRingSlots)]
    private struct Slots
    {
        private uint _first;
    }
}
