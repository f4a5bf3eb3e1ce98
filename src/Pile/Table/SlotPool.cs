// The slots that no writer holds: fresh ones above a high-water mark, and freed ones in a bitmap. Both are handed out by the run.
// Slots at their last generation are never issued again: they are retired for good, and a page of nothing else goes back.
using System;
using System.Collections.Generic;
using System.Threading;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Table;

/// <summary>Shared pool of slots; all members take its lock.</summary>
internal sealed class SlotPool : IDisposable
{
    private const int WordSlots = SlotStock.RunSlots;
    private const int PageGone = -1;

    private readonly Lock _gate = new();
    private readonly ObjectTable _table;
    private readonly MemoryBudget _budget;
    private readonly SlotBitmap _freed;
    private readonly SlotList _waiting = new();
    private readonly SlotList _covered = new();
    // Slots retired by page of the table, and PageGone: there before any slot is, because whoever retires one can't do without.
    private int[] _retiredOf = new int[16];
    private uint _next = Limits.FirstSlot;
    private long _accounted;
    private long _waitingCount;
    private long _retired;
    private long _takenBytes;

    /// <summary>Creates the pool of a table.</summary>
    /// <param name="provider">Source of regions for the bitmap.</param>
    /// <param name="table">The table whose slots these are.</param>
    /// <param name="budget">The account that table and bitmap are taken from.</param>
    internal SlotPool(RegionProvider provider, ObjectTable table, MemoryBudget budget)
    {
        _table = table;
        _budget = budget;
        _freed = new SlotBitmap(provider, table.SlotsMax);
    }

    /// <summary>Slots ever issued as fresh, slot 0 included.</summary>
    internal uint HighWater => Volatile.Read(ref _next);

    /// <summary>Freed slots in the bitmap.</summary>
    internal long Pooled => _freed.Count;

    /// <summary>Slots whose generations are used up.</summary>
    internal long Retired => Volatile.Read(ref _retired);

    /// <summary>Bytes taken from the budget for entries and bitmap.</summary>
    internal long TakenBytes => Volatile.Read(ref _takenBytes);

    /// <summary>Bytes of the budget that the next fresh slots would take, when those accounted for are used up.</summary>
    internal long NextBytes => (NextSlots * Limits.WordBytes) + (NextSlots / 8) + (NextSlots / Limits.TablePageSlots * 2 * sizeof(int));

    /// <summary>Whether every slot has been issued and none is free: no memory brings another.</summary>
    internal bool IsUsedUp => Pooled == 0 && HighWater > _table.SlotsMax;

    /// <summary>Bytes of the table or its bitmap that the operating system did not open when they were asked for last; else 0. For messages.</summary>
    internal long WantedBytes => long.Max(_table.WantedBytes, _freed.WantedBytes);

    /// <summary>A table page, or a whole huge page's worth of entries once the table is large.</summary>
    private long NextSlots =>
        Volatile.Read(ref _accounted) is >= Limits.TableHugeSlotsFirst and long accounted && accounted % Limits.TableGranuleSlots == 0 ? Limits.TableGranuleSlots : Limits.TablePageSlots;

    /// <summary>Makes ready a page of entries, or a huge page of them, behind those that are accounted for, until so many slots are.</summary>
    /// <returns>False when they are, or the limit less the cleaner's reserve has no room.</returns>
    internal bool TryPrepare(long slots)
    {
        using (_gate.EnterAnyhow())
        {
            long first = _accounted;
            if (first >= long.Min(slots, _table.SlotsMax) || !TryAccountLocked(besideReserve: true))
            {
                return false;
            }

            _table.MakeReady(first, long.Min(_accounted, _table.SlotsMax + 1L) - first);
            return true;
        }
    }

    /// <summary>Fills an empty stock from the bitmap, or with runs of fresh slots.</summary>
    /// <param name="stock">The stock of the writer that is held.</param>
    /// <returns>False when the limit less the cleaner's reserve, or the number of slots, leaves none.</returns>
    internal bool TryRefill(ref SlotStock stock)
    {
        using (_gate.EnterAnyhow())
        {
            if (_freed.Count > 0)
            {
                _freed.Harvest(ref stock, RunsFor(_freed.Count));
                return true;
            }

            return TryTakeFreshLocked(ref stock);
        }
    }

    /// <summary>Takes back half of a full stock, or all of one whose slots wait for a flush.</summary>
    /// <param name="stock">The stock of the writer that is held.</param>
    /// <param name="isWaiting">Whether the slots may be issued again only after the next flush.</param>
    internal void Spill(ref SlotStock stock, bool isWaiting)
    {
        using (_gate.EnterAnyhow())
        {
            int count = isWaiting ? stock.RingCount : stock.RingCount / 2;

            // Before any leaves its stock: one that is in neither would never be issued again.
            _waiting.Reserve(isWaiting ? count : 0);
            for (; count > 0 && stock.TryPop(out uint slot, ahead: 0, out _); count--)
            {
                if (isWaiting)
                {
                    _waiting.Add(slot);
                }
                else
                {
                    _freed.Add(slot);
                }
            }

            Volatile.Write(ref _waitingCount, _waiting.Count + _covered.Count);
        }
    }

    /// <summary>Takes back all free slots of a writer, so that others find them.</summary>
    /// <param name="stock">Those that may be issued at once.</param>
    /// <param name="freed">Those that wait for a flush.</param>
    internal void TakeBack(ref SlotStock stock, ref SlotStock freed)
    {
        Spill(ref freed, isWaiting: true);
        using (_gate.EnterAnyhow())
        {
            while (stock.HasRun || stock.TryNext(out _))
            {
                _freed.Add(stock.Take());
            }
        }
    }

    /// <summary>Notes that a flush begins: it covers the tombstones of all slots that wait now.</summary>
    internal void BeginFlush()
    {
        using (_gate.EnterAnyhow())
        {
            _covered.Add(_waiting);
            _waiting.Clear();
        }
    }

    /// <summary>Frees the slots that waited when the flush began, which has completed.</summary>
    internal void EndFlush()
    {
        using (_gate.EnterAnyhow())
        {
            for (int index = 0; index < _covered.Count; index++)
            {
                _freed.Add(_covered[index]);
            }

            _covered.Clear();
            Volatile.Write(ref _waitingCount, _waiting.Count);
        }
    }

    /// <summary>Freed slots that wait for a flush.</summary>
    internal long Waiting => Volatile.Read(ref _waitingCount);

    /// <summary>Continues with a table that was opened again, or is being imported.</summary>
    /// <param name="highWater">Slots ever issued as fresh, slot 0 included.</param>
    /// <param name="besideReserve">Whether to leave the cleaner its reserve: at an open there is none yet.</param>
    /// <returns>False when the limit, or the table, does not have so many.</returns>
    internal bool TryRestore(uint highWater, bool besideReserve = false)
    {
        if (highWater > _table.SlotsMax + 1L)
        {
            return false;
        }

        using (_gate.EnterAnyhow())
        {
            while (_accounted < highWater)
            {
                if (!TryAccountLocked(besideReserve))
                {
                    return false;
                }
            }

            if (highWater > _next)
            {
                Volatile.Write(ref _next, highWater);
                _table.NoteHighWater(highWater);
            }

            return true;
        }
    }

    /// <summary>Frees a slot that was found free in a table that was opened again.</summary>
    internal void RestoreFree(uint slot, uint generation, bool isWaiting)
    {
        using (_gate.EnterAnyhow())
        {
            if (generation >= EntryWord.GenerationLast)
            {
                RetireLocked(slot);
            }
            else if (isWaiting)
            {
                _waiting.Add(slot);
                Volatile.Write(ref _waitingCount, _waiting.Count + _covered.Count);
            }
            else
            {
                _freed.Add(slot);
            }
        }
    }

    /// <summary>Takes a slot out of use that is at its last generation. A table page of which that was the last goes back to the
    /// system: its entries then read as zero, which no pointer matches.</summary>
    internal void Retire(uint slot)
    {
        using (_gate.EnterAnyhow())
        {
            RetireLocked(slot);
        }
    }

    /// <summary>Makes every slot that is not retired free again. The caller excludes all writers and has emptied their
    /// stocks; all entries are free.</summary>
    internal void PoolAll()
    {
        using (_gate.EnterAnyhow())
        {
            Volatile.Write(ref _retired, 0);
            foreach (ref int retired in _retiredOf.AsSpan())
            {
                retired = int.Min(retired, 0);
            }

            _waiting.Clear();
            _covered.Clear();
            Volatile.Write(ref _waitingCount, 0);
            for (uint slot = Limits.FirstSlot; slot < _next; slot++)
            {
                if (EntryWord.IsInternal(_table.Read(slot)))
                {
                    // The pile's own keep their slots.
                    continue;
                }

                if (_retiredOf[slot / Limits.TablePageSlots] == PageGone)
                {
                    Volatile.Write(ref _retired, _retired + 1);
                }
                else if (EntryWord.Generation(_table.Read(slot)) >= EntryWord.GenerationLast)
                {
                    RetireLocked(slot);
                }
                else if (!_freed.Contains(slot))
                {
                    _freed.Add(slot);
                }
            }

            _freed.Restart();
        }
    }

    /// <summary>Pages of the table that were given back: all their slots are used up.</summary>
    internal HashSet<uint> GonePages()
    {
        using (_gate.EnterAnyhow())
        {
            HashSet<uint> gone = [];
            for (int page = Array.IndexOf(_retiredOf, PageGone); page >= 0; page = Array.IndexOf(_retiredOf, PageGone, page + 1))
            {
                _ = gone.Add((uint)page);
            }

            return gone;
        }
    }

    /// <summary>Whether the slot is in the bitmap. For Verify, with writers excluded.</summary>
    internal bool IsPooled(uint slot) => _freed.Contains(slot);

    /// <summary>Recounts the bitmap against the page counts. For Verify, with writers excluded; a flush that ends frees slots all the same.</summary>
    /// <param name="pooled">How many the pool says there are, at that moment.</param>
    /// <param name="waiting">How many wait for a flush, at that moment.</param>
    /// <returns>Bits counted, or -1 when a page's count disagrees.</returns>
    internal long Recount(out long pooled, out long waiting)
    {
        using (_gate.EnterAnyhow())
        {
            (pooled, waiting) = (Pooled, Waiting);
            return _freed.Recount(_next);
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _freed.Dispose();

    /// <summary>Sets a bit that has no right to be set. For the planted damages of Verify's tests.</summary>
    internal void Damage(uint slot) => _freed.Damage(slot);

    private void RetireLocked(uint slot)
    {
        Volatile.Write(ref _retired, _retired + 1);
        uint page = slot / Limits.TablePageSlots;
        if (++_retiredOf[page] == Limits.TablePageSlots - (page == 0 ? Limits.FirstSlot : 0) && _table.TryGiveBack(page * Limits.TablePageSlots, Limits.TablePageSlots))
        {
            _retiredOf[page] = PageGone;
            Volatile.Write(ref _takenBytes, _takenBytes - (Limits.TablePageSlots * Limits.WordBytes));
            _budget.GiveBack(Limits.TablePageSlots * Limits.WordBytes);
        }
    }

    private bool TryTakeFreshLocked(ref SlotStock stock)
    {
        uint fresh = _next;
        uint first = fresh & ~(uint)(WordSlots - 1);
        long end = first + ((long)RunsFor(long.Min(first, _table.SlotsMax + 1L - first)) * WordSlots);
        end = long.Min(long.Min(end, Align.Up(fresh + 1L, Limits.TablePageSlots)), _table.SlotsMax + 1L);
        if (fresh >= end || (end > _accounted && !TryAccountLocked(besideReserve: true)))
        {
            return false;
        }

        if (fresh % Limits.TablePageSlots == 0)
        {
            _table.MakeReady(fresh, long.Min(Limits.TablePageSlots, _table.SlotsMax + 1L - fresh));
        }

        Volatile.Write(ref _next, (uint)end);
        _table.NoteHighWater((uint)end);
        Span<ulong> runs = stackalloc ulong[(int)((end - first + WordSlots - 1) / WordSlots)];
        runs.Fill(ulong.MaxValue);
        runs[0] <<= (int)(fresh - first);
        runs[^1] &= ulong.MaxValue >> (int)((WordSlots - (end % WordSlots)) % WordSlots);
        stock.SetRuns(first, runs);
        return true;
    }

    /// <summary>Runs that a writer takes at once: as many as make a lock cheap, and no large part of what there is for all, or of what there was.</summary>
    private static int RunsFor(long slots) => (int)long.Clamp(slots / (WordSlots * Limits.SlotRunsShare), 1, Limits.SlotRunsMax);

    /// <summary>Entries that a table of so many slots has.</summary>
    internal static long SlotsFor(long slots) => Align.Up(slots, slots > Limits.TableHugeSlotsFirst ? Limits.TableGranuleSlots : Limits.TablePageSlots);

    private bool TryAccountLocked(bool besideReserve)
    {
        long slots = NextSlots;
        long bytes = NextBytes;
        int pages = (int)((_accounted + slots) / Limits.TablePageSlots);
        if (!_freed.TryGrow(pages)) // First, because it may throw: a slot of a page that is not heard of can't be freed, nor retired.
        {
            return false;
        }

        if (pages > _retiredOf.Length)
        {
            Array.Resize(ref _retiredOf, int.Max(pages, _retiredOf.Length * 2));
        }

        if (!(besideReserve ? _budget.TryTakeBesideReserve(bytes) : _budget.TryTake(bytes)))
        {
            return false;
        }

        using var taken = new BudgetTake(_budget, bytes);
        if (!_table.TryAllocate(_accounted, long.Min(slots, _table.SlotsMax + 1L - _accounted)))
        {
            return false;
        }

        taken.Keep();
        Volatile.Write(ref _accounted, _accounted + slots);
        Volatile.Write(ref _takenBytes, _takenBytes + bytes);
        if (slots == Limits.TableGranuleSlots)
        {
            _table.PreferHugePages(_accounted - slots, long.Min(slots, _table.SlotsMax + 1L - (_accounted - slots)));
        }

        return true;
    }
}
