using System;

namespace Pile.Tests.Durability.Model;

/// <summary>What the program outside has been told, and what it may therefore find: of each slot the states it went through since
/// the last that is durable for certain, in order. No part of the protocol reads it.</summary>
internal sealed class Promises
{
    private const int StatesMax = 8;
    private readonly ulong[] _histories;
    private readonly int[] _counts;
    private readonly int[] _firsts;
    private readonly int[] _marks;
    private readonly int[] _issued;
    private readonly int[] _batchAt;
    private readonly bool _bindsLater;
    private bool _isClearing;
    private int _closedBelow;
    private int _provingBelow;
    private int _provenBelow;

    /// <summary>Promises to somebody who has a new pile.</summary>
    /// <param name="slots">How many slots there are.</param>
    /// <param name="bindsLater">Whether to promise besides that what came after a batch does not outlive it; the design does not.</param>
    internal Promises(int slots, bool bindsLater)
    {
        _bindsLater = bindsLater;
        _histories = new ulong[slots];
        _counts = new int[slots];
        _firsts = new int[slots];
        _marks = new int[slots];
        _issued = new int[slots];
        _batchAt = new int[slots];
        for (int slot = 0; slot < slots; slot++)
        {
            Begin(slot, SlotState.Nothing);
        }
    }

    /// <summary>What a reader must find in the slot now.</summary>
    internal SlotState Last(int slot) => At(slot, _counts[slot] - 1);

    internal bool IsClearing { get => _isClearing; set => _isClearing = value; }

    /// <summary>Segments of a lower sequence were synced by a close, and a flush since has completed: damage in them is told.</summary>
    internal int ProvenBelow => _provenBelow;

    /// <summary>The pile is open.</summary>
    /// <param name="closedBelow">The sequence below which a close had synced all; 0 where there was none.</param>
    internal void Opened(int closedBelow) => (_closedBelow, _provingBelow) = (closedBelow, 0);

    /// <summary>A flush starts that has room for a proof.</summary>
    internal void ProofBegun() => _provingBelow = _closedBelow;

    /// <summary>A writer is about to issue a pointer.</summary>
    internal void CheckIssue(int slot, int generation)
    {
        if ((_issued[slot] & (1 << generation)) != 0)
        {
            throw new BrokenPromiseException(Promise.PointersUnique, $"the pointer (slot {slot}, generation {generation}) is handed out a second time");
        }
    }

    /// <summary>The entry is swung: from here on readers see the state, and the pointer is known.</summary>
    internal void Publish(int slot, SlotState state, bool isInBatch)
    {
        Append(slot, state);
        _issued[slot] |= state.IsLive ? 1 << state.Generation : 0;
        _batchAt[slot] = isInBatch ? _counts[slot] : _batchAt[slot];
    }

    /// <summary>Whatever is visible now was requested before this flush.</summary>
    internal void FlushStarted()
    {
        for (int slot = 0; slot < _counts.Length; slot++)
        {
            _marks[slot] = _counts[slot] - 1;
        }
    }

    /// <summary>The flush is acknowledged.</summary>
    internal void FlushCompleted()
    {
        _provenBelow = int.Max(_provenBelow, _provingBelow);
        for (int slot = 0; slot < _counts.Length; slot++)
        {
            _histories[slot] >>= 8 * _marks[slot];
            _counts[slot] -= _marks[slot];
            _batchAt[slot] = _batchAt[slot] == 0 ? 0 : Math.Max(1, _batchAt[slot] - _marks[slot]);
            _marks[slot] = 0;
        }

        if (Array.TrueForAll(_batchAt, static at => at <= 1))
        {
            Array.Clear(_batchAt);
        }
    }

    /// <summary>Clear has returned.</summary>
    internal void Cleared()
    {
        for (int slot = 0; slot < _counts.Length; slot++)
        {
            Begin(slot, SlotState.Nothing);
        }

        Array.Clear(_batchAt);
        _isClearing = false;
    }

    /// <summary>The process, or the machine, stops. What calls in flight were about to publish may be found as well.</summary>
    internal void Crash(Process process, bool isCut)
    {
        for (int slot = 0; slot < _counts.Length; slot++)
        {
            _firsts[slot] = isCut ? 0 : _counts[slot] - 1;
        }

        foreach (Writer writer in process.Writers)
        {
            for (int index = 0; index < writer.Count; index++)
            {
                if (!writer.IsSwung(index))
                {
                    Append(writer[index].Slot, writer[index].State);
                    _batchAt[writer[index].Slot] = writer.IsBatch ? _counts[writer[index].Slot] : _batchAt[writer[index].Slot];
                }
            }
        }

        Array.Clear(_marks);
        Opened(closedBelow: 0);
    }

    /// <summary>The power goes while nothing runs.</summary>
    internal void CutAgain() => Array.Clear(_firsts);

    /// <summary>No cut will come any more: what a kill could not bring back is forgotten.</summary>
    internal void ForgetOlder()
    {
        for (int slot = 0; slot < _counts.Length; slot++)
        {
            Begin(slot, Last(slot));
        }

        Array.Clear(_batchAt);
    }

    /// <summary>An open has found these states: each must be among those that the slot may show, and is from here on what it shows.</summary>
    /// <param name="found">A state for each slot.</param>
    /// <param name="isOnDisk">Whether it was read from the disk, so that it is durable.</param>
    internal void Recovered(SlotState[] found, bool isOnDisk)
    {
        if (_isClearing)
        {
            _isClearing = false;
            if (Array.TrueForAll(found, static state => state == SlotState.Nothing))
            {
                Cleared();
                return;
            }

            for (int slot = 0; slot < found.Length; slot++)
            {
                if (found[slot] == SlotState.Nothing && IndexOf(slot, found[slot]) < 0)
                {
                    throw new BrokenPromiseException(Promise.WholeOrNothing, "some slots are cleared and others are not");
                }
            }
        }

        int before = 0;
        int after = 0;
        for (int slot = 0; slot < found.Length; slot++)
        {
            int index = IndexOf(slot, found[slot]);
            if (index < 0)
            {
                throw Broken(slot, found[slot]);
            }

            // A later change of one member may outlive the batch and the other member: each write is whole or not at all by itself.
            int batchAt = _batchAt[slot] - 1;
            before += index < batchAt ? 1 : 0;
            after += batchAt >= 0 && (index == batchAt || (_bindsLater && index > batchAt)) ? 1 : 0;
            Settle(slot, index, isOnDisk);
        }

        if (before > 0 && after > 0)
        {
            throw new BrokenPromiseException(Promise.WholeOrNothing, "one change of a batch survived and the other did not");
        }

        if (before > 0 || isOnDisk)
        {
            Array.Clear(_batchAt);
        }
    }

    internal void Carry(ref Carrier carrier)
    {
        for (int slot = 0; slot < _counts.Length; slot++)
        {
            carrier.Word(ref _histories[slot]);
        }

        carrier.Smalls(_counts);
        carrier.Smalls(_firsts);
        carrier.Smalls(_marks);
        for (int slot = 0; slot < _counts.Length; slot++)
        {
            ulong issued = (ulong)_issued[slot];
            carrier.Word(ref issued);
            _issued[slot] = (int)issued;
        }

        carrier.Smalls(_batchAt);
        carrier.Flag(ref _isClearing);
        carrier.Small(ref _closedBelow);
        carrier.Small(ref _provingBelow);
        carrier.Small(ref _provenBelow);
    }

    private SlotState At(int slot, int index)
    {
        int bits = (int)(_histories[slot] >> (8 * index)) & 255;
        return new SlotState(bits >> 4, bits & 15);
    }

    private void Begin(int slot, SlotState state)
    {
        (_histories[slot], _counts[slot], _firsts[slot], _marks[slot]) = (0, 0, 0, 0);
        Append(slot, state);
    }

    private void Append(int slot, SlotState state)
    {
        if (_counts[slot] == StatesMax)
        {
            throw new InvalidOperationException("a slot has more states than the model can write down");
        }

        _histories[slot] |= (ulong)((state.Generation << 4) | state.Value) << (8 * _counts[slot]);
        _counts[slot]++;
    }

    private void Settle(int slot, int index, bool isOnDisk)
    {
        SlotState state = At(slot, index);
        _issued[slot] |= state.IsLive ? 1 << state.Generation : 0;
        if (isOnDisk)
        {
            Begin(slot, state);
            return;
        }

        _counts[slot] = index + 1;
        _histories[slot] &= index == StatesMax - 1 ? ulong.MaxValue : (1UL << (8 * (index + 1))) - 1;
        _firsts[slot] = 0;
        _batchAt[slot] = _batchAt[slot] > index + 1 ? 0 : _batchAt[slot];
    }

    private int IndexOf(int slot, SlotState state)
    {
        for (int index = _counts[slot] - 1; index >= _firsts[slot]; index--)
        {
            if (At(slot, index) == state)
            {
                return index;
            }
        }

        return -1;
    }

    private BrokenPromiseException Broken(int slot, SlotState found)
    {
        SlotState last = Last(slot);
        string what = $"slot {slot} shows {found}; it may show {Admissible(slot)}";
        bool isOlder = found.IsLive && last.IsLive && found.Generation == last.Generation;
        return found.Value == LogRecord.Garbage ? new BrokenPromiseException(Promise.NothingGarbled, what)
            : found.IsLive && !isOlder && last.Generation >= found.Generation | last == SlotState.Nothing ? new BrokenPromiseException(Promise.NothingRisen, what)
            : new BrokenPromiseException(Promise.NothingLost, what);
    }

    private string Admissible(int slot)
    {
        string[] states = new string[_counts[slot] - _firsts[slot]];
        for (int index = 0; index < states.Length; index++)
        {
            states[index] = At(slot, _firsts[slot] + index).ToString();
        }

        return string.Join(", or ", states);
    }
}
