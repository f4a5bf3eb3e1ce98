using System;
using System.Numerics;
using System.Text;
using Pile;

namespace PackageGraph.Forms;

/// <summary>Packages of a pile by name, without a name on the heap: pointers in one array, found by hash, compared in place.</summary>
internal sealed class NameIndex
{
    /// <summary>Longest name in UTF-8, with much room to spare.</summary>
    private const int NameBytesMax = 768;

    private readonly ObjectPile _pile;
    private readonly PilePointer[] _slots;

    internal NameIndex(ObjectPile pile, int count)
    {
        _pile = pile;
        _slots = new PilePointer[BitOperations.RoundUpToPowerOf2((uint)int.Max(count, 4) * 2)];
    }

    /// <summary>Enters a package whose name is not there yet.</summary>
    internal void Add(string name, PileRef<StoredPackage> package)
    {
        Span<byte> buffer = stackalloc byte[NameBytesMax];
        ReadOnlySpan<byte> utf8 = Utf8(name, buffer);
        int slot = FirstSlot(utf8);
        while (!_slots[slot].IsNull)
        {
            slot = Next(slot);
        }

        _slots[slot] = package;
    }

    /// <summary>The package of a name.</summary>
    internal bool TryFind(string name, out PileRef<StoredPackage> package)
    {
        package = default;
        if (name.Length > NameBytesMax / 3)
        {
            return false;
        }

        Span<byte> buffer = stackalloc byte[NameBytesMax];
        ReadOnlySpan<byte> utf8 = Utf8(name, buffer);
        for (int slot = FirstSlot(utf8); !_slots[slot].IsNull; slot = Next(slot))
        {
            using PileLease lease = _pile.Lease(_slots[slot]);
            if (PackageCodec.ViewOf(lease.Bytes).Name.SequenceEqual(utf8))
            {
                package = _slots[slot].As<StoredPackage>();
                return true;
            }
        }

        return false;
    }

    private static ReadOnlySpan<byte> Utf8(string name, Span<byte> buffer) => buffer[..Encoding.UTF8.GetBytes(name, buffer)];

    private int FirstSlot(ReadOnlySpan<byte> utf8)
    {
        ulong hash = 14695981039346656037;
        foreach (byte letter in utf8)
        {
            hash = (hash ^ letter) * 1099511628211;
        }

        hash ^= hash >> 32;
        return (int)((hash * 0x9E3779B97F4A7C15) >> 33) & (_slots.Length - 1);
    }

    private int Next(int slot) => (slot + 1) & (_slots.Length - 1);
}
