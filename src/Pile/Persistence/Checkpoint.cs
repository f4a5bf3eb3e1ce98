// A checkpoint as a crawl's starting point: a copy of the table, and how far the log is in it. An entry counts only if its segment
// still has the sequence that it had then (R5); what was written since is walked.
using System;
using System.Buffers.Binary;
using System.Threading;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;
using Pile.Table;

namespace Pile.Persistence;

/// <summary>An open checkpoint.</summary>
/// <param name="file">Its file.</param>
/// <param name="header">What stands before the entries.</param>
internal sealed class Checkpoint(StoreFile file, CheckpointHeader header) : IDisposable
{
    // Pages that one core reads in a row.
    private const int PagesOfPiece = 8;

    /// <summary>The flush that made durable all that it refers to.</summary>
    internal long Flush => header.Flush;

    /// <summary>One above the last slot that it has a record of.</summary>
    internal uint Known => header.Known;

    /// <summary>What that flush proves at least: how far the segments were written when the copy began.</summary>
    internal OpenSegment[] Proven => header.Open;

    /// <summary>Bytes of a segment whose records the copy knows; the walk goes on from there.</summary>
    /// <param name="stored">The segment as its files describe it.</param>
    internal int KnownBytes(StoredSegment stored) => KnownBytes(stored, out bool isDoubted) is var known && isDoubted ? 0 : known;

    /// <summary>Whether a segment is walked although the copy knows it, and would not be once it is sealed: retired since, it may have been written over, its row the last to
    /// say so; open, but in no list, nothing is known of it.</summary>
    internal bool IsDoubted(StoredSegment stored) => KnownBytes(stored, out bool isDoubted) > 0 && isDoubted;

    private int KnownBytes(StoredSegment stored, out bool isDoubted)
    {
        isDoubted = false;
        long sequence = stored.Segment.Sequence;
        int index = stored.Segment.Index;
        if (index >= header.Sequences.Length || header.Sequences[index] != sequence || sequence > header.Open[^1].Sequence)
        {
            return 0;
        }

        for (int open = 0; open < header.Open.Length - 1; open++)
        {
            if (header.Open[open].Sequence == sequence)
            {
                return int.Min(header.Open[open].WrittenBytes, stored.EndBytes);
            }
        }

        isDoubted = stored.State is SegmentRowState.Retired or SegmentRowState.Open;
        return stored.EndBytes;
    }

    /// <summary>Puts the entries that count into a table.</summary>
    /// <param name="table">The table, with room for them.</param>
    /// <param name="extents">The extents, all mapped.</param>
    /// <param name="directory">The segments.</param>
    /// <param name="isOverwritten">By segment, whether nothing in it counts any more. A record there may still be whole, before or behind
    /// what is overwritten; but its copies are durable, and it goes with the rest of the segment.</param>
    /// <param name="cores">Who reads it.</param>
    /// <returns>What is wrong with the file; then the table is as good as empty. Null when all is in the table.</returns>
    internal string? Load(ObjectTable table, ExtentMap extents, SegmentDirectory directory, bool[] isOverwritten, AllCores cores)
    {
        string? problem = null;
        int pages = header.Sums.Length;
        cores.Run((pages + PagesOfPiece - 1) / PagesOfPiece, piece =>
        {
            byte[] buffer = new byte[Limits.TablePageSlots * Limits.WordBytes];
            for (int page = piece * PagesOfPiece; page < int.Min(pages, (piece + 1) * PagesOfPiece) && Volatile.Read(ref problem) is null; page++)
            {
                uint first = (uint)page * Limits.TablePageSlots;
                Span<byte> entries = buffer.AsSpan(0, (int)uint.Min(Limits.TablePageSlots, header.HighWater - first) * Limits.WordBytes);
                file.Read(header.Bytes + ((long)first * Limits.WordBytes), entries);
                if (Crc32C.Compute(entries) != header.Sums[page])
                {
                    _ = Interlocked.CompareExchange(ref problem, $"'{file.Path}': its entries from {first} on are not what they were", null);
                    return;
                }

                Put(entries, first, table, extents, directory, isOverwritten);
            }
        });

        return problem;
    }

    /// <inheritdoc/>
    public void Dispose() => file.Dispose();

    private void Put(ReadOnlySpan<byte> entries, uint first, ObjectTable table, ExtentMap extents, SegmentDirectory directory, bool[] isOverwritten)
    {
        uint end = uint.Min(header.Known, first + (uint)(entries.Length / Limits.WordBytes));
        for (uint slot = uint.Max(first, Limits.FirstSlot); slot < end; slot++)
        {
            ulong entry = BinaryPrimitives.ReadUInt64LittleEndian(entries[((int)(slot - first) * Limits.WordBytes)..]);
            table.Publish(slot, Counts(EntryWord.Location(entry), extents, directory, isOverwritten) ? entry : 0);
        }
    }

    private bool Counts(long location, ExtentMap extents, SegmentDirectory directory, bool[] isOverwritten)
    {
        if (!extents.Contains(location, DurableRecord.HeaderBytes))
        {
            return false;
        }

        int index = directory.Space.SegmentIndex(location);
        return index < header.Sequences.Length && index < directory.Count && directory[index].Sequence == header.Sequences[index] && !isOverwritten[index];
    }
}
