// Checksums of the pages of a table that was closed in order: a clean table is believed without a look at it, so each page is
// compared when one of its entries is first used. Nothing may change an entry of a page before that: whoever looks at an entry of
// before the open, to read it or to swing it, asks here first.
using System.Threading;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Persistence;

/// <summary>The checksums of one open table. Thread-safe.</summary>
internal sealed class TableSums
{
    private const byte Unknown = 0;
    private const byte Good = 1;
    private const byte Bad = 2;

    private readonly WordArray _entries;
    private readonly PageSums _stored;
    private readonly byte[] _pages;

    /// <summary>Prepares the comparison.</summary>
    /// <param name="entries">The table's entries.</param>
    /// <param name="stored">What was stored when the table was closed.</param>
    internal TableSums(WordArray entries, PageSums stored)
    {
        _entries = entries;
        _stored = stored;
        _pages = new byte[stored.Sums.Length];
    }

    /// <summary>Held while a page is compared.</summary>
    internal Lock Gate { get; } = new();

    /// <summary>The checksums of a table as it is. When nobody changes it.</summary>
    /// <param name="entries">The table's entries.</param>
    /// <param name="table">Its file.</param>
    /// <param name="identity">The pile's identity.</param>
    internal static PageSums Of(WordArray entries, TableFile table, ulong identity)
    {
        uint highWater = table.HighWater;
        uint[] sums = new uint[PageSums.PagesOf(highWater)];
        for (int page = 0; page < sums.Length; page++)
        {
            sums[page] = SumOf(entries, page, highWater);
        }

        return new PageSums(identity, table.Number, highWater, table.HeaderSum(), sums);
    }

    /// <summary>Whether the page of a slot is what it was. Slots above those that were stored have none to compare.</summary>
    internal bool IsPageGood(ulong slot)
    {
        ulong page = slot / Limits.TablePageSlots;
        return page >= (ulong)_pages.Length || Volatile.Read(ref _pages[page]) == Good || Compare((int)page);
    }

    /// <summary>Whether every page that was stored is, or was when it was first used, what it was. Compares those that nobody used.</summary>
    internal bool AreAllGood()
    {
        bool isGood = true;
        for (int page = 0; page < _pages.Length; page++)
        {
            isGood &= IsPageGood((ulong)page * Limits.TablePageSlots);
        }

        return isGood;
    }

    private bool Compare(int page)
    {
        // One at a time: whoever finds the page good may change it right after. Readers come by here inside an epoch that they could not leave.
        using (Gate.EnterAnyhow())
        {
            if (_pages[page] == Unknown)
            {
                Volatile.Write(ref _pages[page], SumOf(_entries, page, _stored.HighWater) == _stored.Sums[page] ? Good : Bad);
            }

            return _pages[page] == Good;
        }
    }

    private static uint SumOf(WordArray entries, int page, uint highWater)
    {
        uint first = (uint)page * Limits.TablePageSlots;
        return Crc32C.Compute(entries.Bytes(first, (int)uint.Min(Limits.TablePageSlots, highWater - first)));
    }
}
