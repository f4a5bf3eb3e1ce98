// Rows that say of a segment that it holds nothing, in an open that builds the table anew although there was one: a salvage, and one for reading alone of a
// pile whose process was killed. The log alone would not miss what such segments hold (decision 70), and what is made of it, a copy too, would lack that
// without a word; and where they hold tombstones, have back what was deleted. So the old table's entries are looked at first, those of free slots too.
// Where that table can't be believed its entries are hints: one counts where it leads to a whole record of its slot. Nothing is written.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>Finds segments by the table of before.</summary>
internal static class RowsByTable
{
    /// <summary>Decides how to open. Where it is for the log, of a table that may say where segments are, the log has also those then that its entries lead into and whose rows say
    /// that they hold nothing.</summary>
    /// <param name="directory">The directory.</param>
    /// <param name="core">The heap, with its segments.</param>
    /// <param name="regions">Where they lie.</param>
    /// <param name="segments">What each segment was, by its index.</param>
    /// <param name="damages">Gets what is wrong.</param>
    /// <param name="builds">Whether the log decides whatever the table is like.</param>
    internal static TableTrust Decide(
        PileDirectory directory, HeapCore<DurableRecord> core, FileRegions regions, List<StoredSegment> segments, FirstFew<PileDamageReport> damages, bool builds)
    {
        MetaSlot meta = directory.Meta;
        TableTrust old = TableTrust.Decide(directory, core.Table.SlotsMax);
        if (!builds && !old.IsLeft)
        {
            return old;
        }

        StoreFile? file = old.Table;
        if (file is null && meta.TableFile != 0)
        {
            _ = directory.TryOpenTable(meta.TableFile, uint.Min(core.Table.SlotsMax, meta.SlotsMax), out file, out _);
        }

        using StoreFile? table = file;
        if (table is not null)
        {
            var rows = new LostRows(core.Extents, core.Directory, core.Pool.Left, regions, core.Log.Identity, meta.FirstCountingSequence, core.OpenedSequence);

            // How far one is written that may have been open is the crawl's to find.
            Restore(table, old, TableTrust.IsOfThisBoot(meta, directory), rows, segments, damages);
        }

        return builds ? TableTrust.Decide(directory, core.Table.SlotsMax, builds: true) : old;
    }

    private static void Restore(StoreFile table, in TableTrust old, bool isOfThisBoot, LostRows rows, List<StoredSegment> segments, FirstFew<PileDamageReport> damages)
    {
        SegmentRowState state = old.IsTrusted ? SegmentRowState.Sealed : SegmentRowState.Open;
        SortedDictionary<int, Segment> missing = [];
        byte[] bytes = new byte[Limits.TablePageSlots * Limits.WordBytes];
        if (!TryRead(table, 0, bytes.AsSpan(0, TableHeader.Bytes)))
        {
            return;
        }

        long end = long.Min(TableFile.HighWaterIn(bytes), (table.Bytes - TableHeader.Bytes) / Limits.WordBytes);
        for (long first = 0; first < end; first += Limits.TablePageSlots)
        {
            int page = (int)(first / Limits.TablePageSlots);
            Span<byte> some = bytes.AsSpan(0, (int)long.Min(Limits.TablePageSlots, end - first) * Limits.WordBytes);
            if (!TryRead(table, TableHeader.Bytes + (first * Limits.WordBytes), some))
            {
                continue;
            }

            bool isSound = old.Sums is { } sums ? page < sums.Sums.Length && sums.Sums[page] == Crc32C.Compute(some) : isOfThisBoot;
            uint slot = (uint)first;
            foreach (ulong entry in MemoryMarshal.Cast<byte, ulong>(some))
            {
                if (rows.Find(slot, entry, out long sequence, out int cutBytes) is { } found)
                {
                    Restore(table, found, sequence, cutBytes, segments, state, damages);
                }
                else if (isSound && rows.AbsentOf(entry) is { } absent)
                {
                    missing[absent.Index] = absent;
                }

                slot++;
            }
        }

        foreach (Segment segment in missing.Values)
        {
            if (segment.State != SegmentState.Absent)
            {
                continue;
            }

            if (rows.HasHeader(segment, out long sequence, out int cutBytes))
            {
                // None of its records is where the table has one: the crawl says so.
                Restore(table, segment, sequence, cutBytes, segments, state, damages);
                continue;
            }

            segments[segment.Index] = new StoredSegment(segment, SegmentRowState.Quarantined, 0);
            damages.Add(new PileDamageReport(table.Path, $"segment {segment.Index}: its row says that it holds nothing, its header can't be read, and the table leads to what it held, which is lost"));
        }
    }

    private static void Restore(StoreFile table, Segment segment, long sequence, int cutBytes, List<StoredSegment> segments, SegmentRowState state, FirstFew<PileDamageReport> damages)
    {
        bool isCut = cutBytes >= SegmentHeader.Bytes;
        segment.Restore(sequence, SegmentState.Sealed, isCut);
        segments[segment.Index] = new StoredSegment(segment, isCut ? SegmentRowState.Cut : state, isCut ? int.Min(cutBytes, segment.Bytes) : segment.Bytes);
        string leads = state == SegmentRowState.Sealed ? "the table leads to what it holds; its header was used" : "the table, which may be older, leads to a record of it; it was read as well";
        damages.Add(new PileDamageReport(table.Path, $"segment {segment.Index}: its row says that it holds nothing, and {leads}"));
    }

    /// <summary>Reads of the table. What the device does not give is not needed for a salvage.</summary>
    private static bool TryRead(StoreFile table, long offset, Span<byte> target)
    {
        try
        {
            table.Read(offset, target);
            return true;
        }
        catch (FileCallException)
        {
            return false;
        }
    }
}
