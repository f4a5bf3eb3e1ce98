// A list of lengths whose memory stays with it. It keeps no more than the items that a batch may have, and counts what came beyond, so
// that a hostile message costs no memory and is refused with its count.
using System.Buffers;

namespace Pile.Server.Packed;

/// <summary>Lengths of the items of a batch.</summary>
internal sealed class LengthList
{
    private uint[] _items = [];

    /// <summary>How many were added; those beyond the limit are counted and not kept.</summary>
    internal int Count { get; private set; }

    internal uint this[int index] => _items[index];

    /// <summary>Adds one.</summary>
    /// <param name="length">The length.</param>
    /// <param name="kept">How many are kept.</param>
    internal void Add(uint length, int kept)
    {
        if (Count < kept)
        {
            if (Count == _items.Length)
            {
                uint[] larger = ArrayPool<uint>.Shared.Rent(int.Max(64, Count * 2));
                _items.CopyTo(larger, 0);
                Release();
                _items = larger;
            }

            _items[Count] = length;
        }

        Count++;
    }

    internal void Clear()
    {
        Count = 0;
        if (_items.Length * sizeof(uint) > ServerLimits.PooledBytesMax)
        {
            Release();
        }
    }

    private void Release()
    {
        if (_items.Length > 0)
        {
            ArrayPool<uint>.Shared.Return(_items);
            _items = [];
        }
    }
}
