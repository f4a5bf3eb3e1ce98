// The object table: one 8-byte entry a slot, in one reservation of address space. Reading and swinging entries only;
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
    /// <summary>Address of a table with an entry for every number of a slot, all free, never stored into: for who must find nothing without asking first. 0 where
    /// it can't be had. 32 GiB of address space, once for the process.</summary>
    internal static readonly nint Nothing =
        RegionProvider.Default.ReservesFreely && RegionProvider.Default.TryReserve(Limits.TableBytesWhole, Limits.OsPageBytes, out Region table) ? table.Address : 0;

    private readonly WordRegion _region;
    private readonly WordArray _entries;
    private long _end;
    private long _populated;

    /// <summary>Reserves a table.</summary>
    /// <param name="provider">Source of regions.</param>
    /// <param name="slotsMax">The most slots wanted; fewer where the operating system has less address space.</param>
    /// <param name="front">What is reserved for it in front of the flat space, or default.</param>
    internal ObjectTable(RegionProvider provider, uint slotsMax, in Region front = default)
    {
        _region = front.Bytes > 0
            ? new WordRegion(provider, in front, slotsMax + 1L)
            : new WordRegion(provider, slotsMax + 1L, Limits.TableGranuleSlots, provider.WordsSkewBytes);
        _entries = _region.Words;
        SlotsMax = (uint)(_region.Count - 1);
        _end = provider.ReadsBeyondAllocated ? SlotsMax + 1L : 0;
    }

    /// <summary>Slots that may be read: all, or in files those that have space.</summary>
    internal long End => Volatile.Read(ref _end);

    /// <summary>What to call with <see cref="End"/> when it grows.</summary>
    internal Action<long> Grown { get; set; } = static _ => { };

    /// <summary>What to call with the number of slots ever issued, slot 0 included, when it grows.</summary>
    internal Action<uint> NoteHighWater { get; set; } = static _ => { };

    /// <summary>The most slots there will ever be.</summary>
    internal uint SlotsMax { get; }

    /// <summary>What the entries hold of slots that were never issued: zero, or the generation before the first that may be.</summary>
    internal ulong Unissued { get; init; }

    /// <summary>Where the entries lie.</summary>
    internal Region Region => _region.Region;

    /// <summary>The entries themselves, for the read path.</summary>
    internal WordArray Entries => _entries;

    /// <summary>Acquire load of an entry; the slot is at most <see cref="SlotsMax"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ulong Read(uint slot) => _entries.Read(slot);

    /// <summary>The entry of any 32-bit slot, 0 (free, generation 0) where there is none.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ulong ReadAny(uint slot) => slot < Volatile.Read(ref _end) ? _entries.Read(slot) : 0;

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

    /// <summary>Makes sure that entries can be stored.</summary>
    /// <returns>False when there is no space for them.</returns>
    internal bool TryAllocate(long firstSlot, long slots)
    {
        if (!_region.TryAllocate(firstSlot, slots))
        {
            return false;
        }

        for (long slot = firstSlot; Unissued != 0 && slot < firstSlot + slots; slot++)
        {
            _entries.WriteRelease((uint)slot, Unissued);
        }

        if (firstSlot + slots > _end)
        {
            Volatile.Write(ref _end, firstSlot + slots);
            Grown(_end);
        }

        return true;
    }

    /// <inheritdoc cref="WordRegion.WantedBytes"/>
    internal long WantedBytes => _region.WantedBytes;

    /// <summary>Makes the pages of entries that are about to be used for the first time resident for storing: they are read before that, and each page
    /// would be made twice, the second time by a call of the file system's where it is a file's.</summary>
    internal void MakeReady(long firstSlot, long slots) => _ = _region.TryPopulate(firstSlot, slots); // Refused, they are made when they are touched.

    /// <summary>Asks for huge pages under entries that are about to be used for the first time.</summary>
    internal void PreferHugePages(long firstSlot, long slots) => _region.PreferHugePages(firstSlot, slots);

    /// <summary>Asks for huge pages under a table that is about to be built, where it can have so many slots that their rounding does not show.</summary>
    /// <param name="slots">How many it has at the most.</param>
    internal void PreferHugePages(long slots)
    {
        if (slots >= Limits.TableHugeSlotsFirst)
        {
            PreferHugePages(0, long.Min(slots, SlotsMax + 1L) & -Limits.TableGranuleSlots);
        }
    }

    /// <summary>Whether <see cref="Populate"/> does anything: a table is being built in memory.</summary>
    internal bool IsPopulated { get; set; }

    /// <summary>Makes the pages of the entries up to a slot resident for storing, where a table is being built: an entry that is read before it
    /// is stored would have its page made twice, and every core told of it. Each stretch is as long as all before it, from 32 KiB to
    /// 2 MiB. Thread-safe; each stretch is made once.</summary>
    internal void Populate(uint slot)
    {
        long from = Volatile.Read(ref _populated);
        while (IsPopulated && from <= slot)
        {
            long end = long.Min(from + long.Clamp(from, Limits.TablePageSlots, Limits.TableGranuleSlots), _region.Count);
            long found = Interlocked.CompareExchange(ref _populated, end, from);
            if (found == from)
            {
                // Refused, the pages are made when they are touched.
                _ = _region.TryPopulate(from, end - from);
                found = end;
            }

            from = found;
        }
    }

    /// <summary>Returns the memory of entries that are never used again; they read as zero from then on.</summary>
    /// <returns>False when the platform can't, or its pages are larger.</returns>
    internal bool TryGiveBack(long firstSlot, long slots) => _region.TryGiveBack(firstSlot, slots);

    /// <summary>Frees every entry but those of the pile's own records, generations kept, tombstones forgotten. The caller excludes all writers and the cleaner; readers may go on.</summary>
    /// <param name="slots">Slots that were ever issued.</param>
    internal void FreeAll(uint slots)
    {
        for (uint slot = Limits.FirstSlot; slot < slots; slot++)
        {
            ulong entry = _entries.Read(slot);
            if (EntryWord.Location(entry) != 0 && !EntryWord.IsInternal(entry))
            {
                _entries.WriteRelease(slot, EntryWord.Free(EntryWord.Generation(entry)));
            }
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _region.Dispose();
}
