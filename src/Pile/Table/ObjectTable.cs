// The object table: one 8-byte entry a slot, in granules that are mapped as it grows. Reading and swinging entries only;
// which slots are free is SlotPool's business.
using System;
using System.Runtime.CompilerServices;
using System.Threading;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Table;

/// <summary>The entries of one pile. Reads need an epoch; swings are compare-exchanges, or stores by a slot's only owner.</summary>
internal sealed class ObjectTable : IDisposable
{
    private readonly GranuleMap _map;
    private readonly WordArray _entries;
    private readonly int _granuleShift;
    private uint _slots;
    private bool _closed;

    internal ObjectTable(RegionProvider provider, uint slotsMax, int granuleShift)
    {
        _map = new GranuleMap(provider, slotsMax + 1L, granuleShift);
        _entries = _map.Words;
        _granuleShift = granuleShift;
        SlotsMax = slotsMax;
    }

    /// <summary>Slots that have an entry in memory, slot 0 included; only grows.</summary>
    internal uint Slots
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref _slots);
    }

    /// <summary>Slots in mapped granules, closed or not. Under the slot pool's lock.</summary>
    internal long MappedSlots => _map.Granules << _granuleShift;

    /// <summary>The most slots there will ever be.</summary>
    internal uint SlotsMax { get; }

    /// <summary>Bytes that one more granule of entries takes.</summary>
    internal long GranuleBytes => _map.GranuleBytes;

    /// <summary>Whether the next granule will be backed by a huge page and so counts whole from its first slot.</summary>
    internal bool NextGranuleIsHuge => _map.Granules >= Limits.TableHugeGranuleFirst && _map.GranuleBytes >= Limits.HugePageBytes;

    /// <summary>Acquire load of an entry; the slot is below <see cref="Slots"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ulong Read(uint slot) => _entries.Read(slot);

    /// <summary>The entry of any 32-bit slot, 0 (free, generation 0) where there is none.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ulong ReadAny(uint slot) => slot < Slots ? _entries.Read(slot) : 0;

    /// <summary>Release store by the only owner of a free slot: this is what publishes a new object.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Publish(uint slot, ulong entry) => _entries.WriteRelease(slot, entry);

    /// <summary>Swings an entry from one word to another.</summary>
    /// <returns>The word that stood there; the swing happened if it equals <paramref name="expected"/>.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ulong Swing(uint slot, ulong expected, ulong entry) => _entries.CompareExchange(slot, entry, expected);

    /// <summary>Asks for an entry's cache line.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Prefetch(uint slot) => _entries.Prefetch(slot);

    /// <summary>Asks for an entry's cache line, for any 32-bit slot.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void PrefetchAny(uint slot)
    {
        if (slot < Slots)
        {
            _entries.Prefetch(slot);
        }
    }

    /// <summary>Makes every slot unknown, so that each reader's next look fails and asks why. The entries stay mapped.
    /// Caller: SlotPool, under its lock.</summary>
    internal void Close()
    {
        _closed = true;
        Volatile.Write(ref _slots, 0);
    }

    /// <summary>Maps one more granule of entries. Caller: SlotPool, under its lock, with the bytes already taken.</summary>
    internal bool TryGrow()
    {
        long slots = (_map.Granules + 1L) << _granuleShift;
        if (_closed || !_map.TryGrow(NextGranuleIsHuge))
        {
            return false;
        }

        // Release: a reader that sees the larger count finds the granule in the directory.
        Volatile.Write(ref _slots, (uint)long.Min(slots, SlotsMax + 1L));
        return true;
    }

    /// <summary>Frees every entry, generations kept. The caller excludes all writers and the cleaner; readers may go on.</summary>
    /// <param name="slots">Slots that were ever issued.</param>
    internal void FreeAll(uint slots)
    {
        for (uint slot = Limits.FirstSlot; slot < slots; slot++)
        {
            ulong entry = _entries.Read(slot);
            if (EntryWord.IsLive(entry))
            {
                _entries.WriteRelease(slot, EntryWord.Free(EntryWord.Generation(entry)));
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _map.Dispose();
}
