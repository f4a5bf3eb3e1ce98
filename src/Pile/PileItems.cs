// Enumeration of a pile in slot order, while others write: each slot is looked at once, in groups under one short pin,
// so that neither the enumeration nor what its consumer does holds reclamation back.
using System;
using System.Runtime.CompilerServices;
using Pile.Epochs;
using Pile.Format;
using Pile.Heap;
using Pile.Primitives;

namespace Pile;

/// <summary>All objects of a pile. An object alive from the beginning to the end of the enumeration is met exactly once, one that
/// comes or goes meanwhile at most once. Stack-only; allocates nothing; not for two threads at once.</summary>
public ref struct PileItems
{
    private readonly ObjectPile _pile;
    private readonly uint _end;
    private uint _next;
    private int _count;
    private int _index;
    private Items _items;

    internal PileItems(ObjectPile pile)
    {
        _pile = pile;
        _next = Limits.FirstSlot;
        _end = pile.Core.Slots.HighWater;
        _index = -1;
    }

    /// <summary>The object that the last <see cref="MoveNext"/> found.</summary>
    public readonly PileItem Current => _items[_index];

    /// <summary>This enumeration, for foreach.</summary>
    public readonly PileItems GetEnumerator() => this;

    /// <summary>Goes on to the next object.</summary>
    /// <returns>False at the end.</returns>
    /// <exception cref="ObjectDisposedException">The pile was disposed.</exception>
    /// <exception cref="PilePoisonedException">Pages of the pile's table were lost: some of its objects would be missing.</exception>
    public bool MoveNext()
    {
        while (++_index >= _count)
        {
            if (_next >= _end)
            {
                return false;
            }

            ReadGroup();
        }

        return true;
    }

    private void ReadGroup()
    {
        HeapReads reads = _pile.Reads;
        EpochLine line = EpochLine.Current;
        long held = line.Enter(_pile.Core.Epochs.IdWord);
        bool disposed = _pile.Core.IsDisposed;
        uint end = disposed ? _next : (uint)long.Min((long)_next + Limits.EnumerationSlots, _end);
        _count = 0;
        _index = -1;
        try
        {
            for (uint slot = _next; slot < end; slot++)
            {
                reads.PrefetchSlot(slot);
            }

            for (; _next < end; _next++)
            {
                if (reads.TryReadSlot(_next, out ulong pointer, out ulong word))
                {
                    _items[_count++] = new PileItem(new PilePointer(pointer), (PileKind)RecordWord.Code(word), RecordWord.PayloadBytes(word));
                }
            }
        }
        finally
        {
            // Damage of before the open is noted where it is met, which takes memory.
            line.Leave(held);
        }

        if (disposed)
        {
            Throw.Disposed();
        }

        if (_pile.Durable is { } files && files.Core.Touch!.IsLost)
        {
            // Nor is the group shown that was read just now.
            (_count, _next) = (0, _end);
            files.Failed.ThrowIfLost();
        }
    }

    [InlineArray(Limits.EnumerationSlots)]
    private struct Items
    {
        private PileItem _first;
    }
}
