// Freed slots as bits, with a count per table page. A bit per slot costs 1/64 of the table, however many objects were deleted; a stack of
// slots would cost half of it and a list threaded through the table a cache miss a slot.
using System;
using System.Numerics;
using System.Threading;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Table;

/// <summary>A set of slots. Not thread-safe but for <see cref="Count"/> and <see cref="Contains"/>: its pool locks.</summary>
internal sealed class SlotBitmap : IDisposable
{
    private const int WordSlots = SlotStock.RunSlots;
    private const int PageWords = Limits.TablePageSlots / WordSlots;
    private readonly WordRegion _region;
    private readonly WordArray _words;
    private int[] _pageFree = new int[16];
    private int _pagesOpen;
    private int _cursor;
    private long _count;

    /// <summary>Creates an empty set.</summary>
    /// <param name="provider">Source of the region.</param>
    /// <param name="slotsMax">The greatest slot.</param>
    internal SlotBitmap(RegionProvider provider, uint slotsMax)
    {
        long words = ((long)slotsMax / WordSlots) + PageWords;
        _region = new WordRegion(provider, words, words);
        _words = _region.Words;
    }

    /// <summary>Slots in the set.</summary>
    internal long Count => Volatile.Read(ref _count);

    /// <summary>Whether a slot is in the set.</summary>
    internal bool Contains(uint slot) => (_words.Read(slot / WordSlots) & Bit(slot)) != 0;

    /// <summary>Adds a slot that is not in the set, of a page that <see cref="TryGrow"/> has heard of.</summary>
    internal void Add(uint slot)
    {
        uint word = slot / WordSlots;
        ulong before = _words.Read(word);
        Check.That((before & Bit(slot)) == 0);
        _words.WriteRelease(word, before | Bit(slot));
        _pageFree[slot / Limits.TablePageSlots]++;
        Volatile.Write(ref _count, _count + 1);
    }

    /// <summary>Makes room for so many pages of the table.</summary>
    /// <returns>False when the operating system refuses.</returns>
    internal bool TryGrow(int pages)
    {
        if (pages > _pageFree.Length)
        {
            Array.Resize(ref _pageFree, int.Max(pages, _pageFree.Length * 2));
        }

        if (pages > _pagesOpen)
        {
            // In steps of at least an eighth, so that a growing table makes few calls for it.
            int open = (int)long.Min(long.Max(pages, _pagesOpen + (_pagesOpen / 8)), _region.Count / PageWords);
            if (!_region.TryOpen((long)_pagesOpen * PageWords, (long)(open - _pagesOpen) * PageWords))
            {
                return false;
            }

            _pagesOpen = open;
        }

        return true;
    }

    /// <inheritdoc cref="WordRegion.WantedBytes"/>
    internal long WantedBytes => _region.WantedBytes;

    /// <summary>Goes on with the lowest slots.</summary>
    internal void Restart() => _cursor = 0;

    /// <summary>Moves slots of one page to a stock that is empty. Full words make runs, as long as they are near each other; of others each
    /// slot is one for the ring.</summary>
    /// <param name="stock">The stock. It has slots afterwards, in runs or in its ring.</param>
    /// <param name="runsMax">Runs at the most.</param>
    internal void Harvest(ref SlotStock stock, int runsMax)
    {
        while (_pageFree[_cursor] == 0)
        {
            int ahead = _pageFree.AsSpan(_cursor).IndexOfAnyExcept(0);
            _cursor = ahead < 0 ? 0 : _cursor + ahead;
        }

        Span<ulong> runs = stackalloc ulong[Limits.SlotRunsMax];
        runs.Clear();
        uint end = ((uint)_cursor + 1) * PageWords;
        uint firstRun = end;
        uint lastRun = end;
        for (uint word = end - PageWords; word < end && word < firstRun + runsMax && stock.RingCount <= Limits.SlotRingSlots - WordSlots; word++)
        {
            ulong bits = Take(word);
            if (BitOperations.PopCount(bits) >= WordSlots / 2)
            {
                firstRun = uint.Min(firstRun, word);
                lastRun = word;
                runs[(int)(word - firstRun)] = bits;
                continue;
            }

            for (; bits != 0; bits &= bits - 1)
            {
                stock.Push((word * WordSlots) + (uint)BitOperations.TrailingZeroCount(bits));
            }
        }

        if (firstRun < end)
        {
            stock.SetRuns(firstRun * WordSlots, runs[..(int)(lastRun - firstRun + 1)]);
        }
    }

    /// <summary>Counts the bits again.</summary>
    /// <param name="highWater">The slot after the last.</param>
    /// <returns>Bits counted, or -1 when a page's count disagrees.</returns>
    internal long Recount(uint highWater)
    {
        long total = 0;
        int pages = (int)((highWater + Limits.TablePageSlots - 1L) / Limits.TablePageSlots);
        for (int page = 0; page < pages; page++)
        {
            int count = 0;
            for (uint word = 0; word < PageWords; word++)
            {
                count += BitOperations.PopCount(_words.Read(((uint)page * PageWords) + word));
            }

            if (count != (page < _pageFree.Length ? _pageFree[page] : 0))
            {
                return -1;
            }

            total += count;
        }

        return total;
    }

    /// <inheritdoc/>
    public void Dispose() => _region.Dispose();

    /// <summary>Sets a bit that has no right to be set. For the planted damages of Verify's tests.</summary>
    internal void Damage(uint slot) => _words.WriteRelease(slot / WordSlots, _words.Read(slot / WordSlots) ^ Bit(slot));

    private static ulong Bit(uint slot) => 1UL << (int)(slot % WordSlots);

    private ulong Take(uint word)
    {
        ulong bits = _words.Read(word);
        int count = BitOperations.PopCount(bits);
        if (count > 0)
        {
            _words.WriteRelease(word, 0);
            _pageFree[_cursor] -= count;
            Volatile.Write(ref _count, _count - count);
        }

        return bits;
    }
}
