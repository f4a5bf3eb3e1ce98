// Rows that say of a segment that it holds nothing, in an open that builds the table anew although there is one that could be believed: a salvage. The log
// alone would not miss what such segments hold (decision 70), and the pile that is made of it would lack that without a word. So the old table's
// entries are looked at first. Nothing is written.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>Finds segments by a table that was closed in order.</summary>
internal static class RowsByTable
{
    private const int EntriesAtOnce = 8192;

    /// <summary>Decides for the log, which has also the segments then that entries of the old table lead into and whose rows say that they hold nothing.</summary>
    /// <param name="directory">The directory.</param>
    /// <param name="files">Source of files.</param>
    /// <param name="core">The heap, with its segments.</param>
    /// <param name="regions">Where they lie.</param>
    /// <param name="segments">What each segment was, by its index.</param>
    /// <param name="damages">Gets what is wrong.</param>
    internal static TableTrust Decide(
        PileDirectory directory, FileProvider files, HeapCore<DurableRecord> core, FileRegions regions, List<StoredSegment> segments, FirstFew<PileDamageReport> damages)
    {
        TableTrust old = TableTrust.Decide(directory, files, core.Table.SlotsMax);
        if (old.IsTrusted)
        {
            using StoreFile table = old.Table;
            var rows = new LostRows(core.Extents, core.Directory, core.Pool.Left, regions, core.Log.Identity, directory.Meta.FirstCountingSequence, core.OpenedSequence);
            Restore(table, rows, segments, damages);
        }

        return TableTrust.Decide(directory, files, core.Table.SlotsMax, builds: true);
    }

    private static void Restore(StoreFile table, LostRows rows, List<StoredSegment> segments, FirstFew<PileDamageReport> damages)
    {
        byte[] bytes = new byte[EntriesAtOnce * Limits.WordBytes];
        table.Read(0, bytes.AsSpan(0, TableHeader.Bytes));
        long end = long.Min(TableFile.HighWaterIn(bytes), (table.Bytes - TableHeader.Bytes) / Limits.WordBytes);
        for (long first = 0; first < end; first += EntriesAtOnce)
        {
            Span<byte> some = bytes.AsSpan(0, (int)long.Min(EntriesAtOnce, end - first) * Limits.WordBytes);
            table.Read(TableHeader.Bytes + (first * Limits.WordBytes), some);
            uint slot = (uint)first;
            foreach (ulong entry in MemoryMarshal.Cast<byte, ulong>(some))
            {
                if ((EntryWord.IsLive(entry) || EntryWord.IsInternal(entry)) && rows.Find(slot, entry, out long sequence, out int cutBytes) is { } segment)
                {
                    bool isCut = cutBytes >= SegmentHeader.Bytes;
                    segment.Restore(sequence, SegmentState.Sealed, isCut);
                    segments[segment.Index] = new StoredSegment(segment, isCut ? SegmentRowState.Cut : SegmentRowState.Sealed, isCut ? int.Min(cutBytes, segment.Bytes) : segment.Bytes);
                    damages.Add(new PileDamageReport(table.Path, $"segment {segment.Index}: its row says that it holds nothing, and the table leads to what it holds; its header was used"));
                }

                slot++;
            }
        }
    }
}
