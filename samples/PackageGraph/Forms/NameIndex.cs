using System.Numerics;
using System.Text;
using Pile;

namespace PackageGraph.Forms;

/// <summary>Nodes of a pile by name, without a name on the heap: pointers in one array, found by hash, compared in place. Names are
/// ASCII (Debian policy, chapter 5).</summary>
internal sealed class NameIndex
{
    private readonly ObjectPile _pile;
    private readonly PilePointer[] _slots;

    internal NameIndex(ObjectPile pile, int count)
    {
        _pile = pile;
        _slots = new PilePointer[BitOperations.RoundUpToPowerOf2((uint)int.Max(count, 4) * 2)];
    }

    /// <summary>Enters a node whose name is not there yet.</summary>
    internal void Add(string name, PileRef<Link[]> node)
    {
        int slot = FirstSlot(name);
        while (!_slots[slot].IsNull)
        {
            slot = Next(slot);
        }

        _slots[slot] = node;
    }

    /// <summary>The node of a name.</summary>
    internal bool TryFind(string name, out PileRef<Link[]> node)
    {
        using PileReader reader = _pile.BeginRead();
        for (int slot = FirstSlot(name); !_slots[slot].IsNull; slot = Next(slot))
        {
            node = _slots[slot].As<Link[]>();
            if (Ascii.Equals(reader[new NodeView(reader[node]).Name], name))
            {
                return true;
            }
        }

        node = default;
        return false;
    }

    private int FirstSlot(string name)
    {
        ulong hash = 14695981039346656037;
        foreach (char letter in name)
        {
            hash = (hash ^ letter) * 1099511628211;
        }

        hash ^= hash >> 32;
        return (int)((hash * 0x9E3779B97F4A7C15) >> 33) & (_slots.Length - 1);
    }

    private int Next(int slot) => (slot + 1) & (_slots.Length - 1);
}
