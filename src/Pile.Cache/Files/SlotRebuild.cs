// The index of one durable table while it is built from its entries. Of two entries with one key the one that was stored first goes: it had
// been removed, and a power cut took the note of that. Keys are compared by their bytes; which others the table's comparer takes for the
// same is found out when the program brings it.
using System;
using Pile.Cache.Engine;
using Pile.Cache.Entries;
using Pile.Cache.Index;
using Pile.Epochs;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Cache.Files;

/// <summary>One rebuild. Thread-safe; inside an epoch.</summary>
/// <param name="table">The table.</param>
/// <param name="isBuilt">Whether its index is believed as it is.</param>
internal sealed class SlotRebuild(TableCore<DurableRecord> table, bool isBuilt)
{
    private readonly WordArray _words = table.Index.Words;
    private readonly bool _isOrdinal = table.Options.Comparer.Name == PileKeyComparers.Ordinal.Name;

    /// <summary>When an entry ends.</summary>
    internal long EndOf(long location, ulong a) => table.Reads.GoesAt(location, a);

    /// <summary>Takes an entry in.</summary>
    /// <param name="seen">It.</param>
    /// <param name="prefix">Its prefix.</param>
    /// <param name="location">Where it stands.</param>
    /// <param name="a">Word A of its head.</param>
    /// <param name="share">Gets it if it is nobody's, and what it owns if it is the table's.</param>
    /// <returns>False when the device has no room for the index; then nothing was noted.</returns>
    internal bool TryTake(SlotSeen seen, ulong prefix, long location, ulong a, SlotShare share)
    {
        LinkedValue linked = table.Reads.LinkAt(location, a);
        bool isLost = linked.Pointer != 0 && !table.Cache.Shared.IsObject(linked.Pointer);
        if ((KeyedPrefix.Era(prefix) != table.Slots!.Era && !Fault.CacheEraForgotten) || (isLost && !isBuilt))
        {
            share.Orphans.Add(seen.Pointer);
            NoteGone(linked, share);
            return true;
        }

        table.Slots.GoOnBehind((long)KeyedHead.Version(a, table.Lookup.HeadB(location)));
        if (!isBuilt && !TryPlace(seen, prefix, location, a, share))
        {
            return false;
        }

        if (linked.IsShared)
        {
            share.Shared.Add(linked.Pointer, 1);
        }
        else if (linked.Pointer != 0)
        {
            _ = share.Owned.Add(linked.Pointer);
        }

        return true;
    }

    /// <summary>What is said when the device has no room.</summary>
    internal PileFullException Full() => new($"The device leaves no room for the index of the table '{table.Options.Name}'. Free space on it, then open the cache again. Nothing was lost.", path: table.File!.Path);

    private bool TryPlace(SlotSeen seen, ulong prefix, long location, ulong a, SlotShare share)
    {
        EpochLine line = EpochLine.Current;
        ulong hash = KeyedPrefix.Hash(prefix);
        ulong cell = CellWord.Pack(PointerWord.Slot(seen.Pointer), CellWord.Tag(hash), KeyedHead.Priority(a));
        uint home = table.Index.Lock((uint)hash);
        bool isCrowded = false;
        bool isPlaced = true;
        if (TryFindSame(home, hash, location, out uint word, out ulong other))
        {
            Replace(line, word, cell, location, other, share);
        }
        else if (isPlaced = table.Index.TryInsertLocked(home, cell))
        {
            isCrowded = table.Counts.Add(line, KeyedHead.Priority(a), 1, BytesOf(location, a)) % CacheLimits.EntriesBeforeGrowth == 0;
        }

        table.Index.Unlock(home, hasMoved: true);
        if (isCrowded)
        {
            table.Growth.Grow(table.Counts.Entries, CacheLimits.SplitsAtOnce);
        }

        return isPlaced;
    }

    /// <summary>Notes what an entry leads to that is nobody's: what it shares was the cache's, whatever else says so.</summary>
    internal static void NoteGone(LinkedValue linked, SlotShare share)
    {
        if (linked.IsShared)
        {
            share.Shared.Add(linked.Pointer, 0);
        }
    }

    /// <summary>Decides between two entries of one key.</summary>
    private void Replace(EpochLine line, uint word, ulong cell, long location, ulong other, SlotShare share)
    {
        long otherLocation = table.Records.LocationOf(other);
        (ulong a, ulong otherA) = (table.Lookup.HeadA(location), table.Lookup.HeadA(otherLocation));
        bool isLater = KeyedHead.Version(a, table.Lookup.HeadB(location)) > KeyedHead.Version(otherA, table.Lookup.HeadB(otherLocation));
        if (!isLater)
        {
            share.Orphans.Add(table.Looks!.SeenAt(location).Pointer);
            Disown(location, a, share);
            return;
        }

        _words.WriteRelease(word, cell);
        _ = table.Counts.Add(line, KeyedHead.Priority(otherA), -1, -BytesOf(otherLocation, otherA));
        _ = table.Counts.Add(line, KeyedHead.Priority(a), 1, BytesOf(location, a));
        share.Orphans.Add(table.Looks!.SeenAt(otherLocation).Pointer);
        Disown(otherLocation, otherA, share);
    }

    private void Disown(long location, ulong a, SlotShare share)
    {
        LinkedValue linked = table.Reads.LinkAt(location, a);
        if (linked.IsShared)
        {
            share.Shared.Add(linked.Pointer, -1);
        }
        else
        {
            share.Disowned.Add(linked.Pointer);
        }
    }

    private long BytesOf(long location, ulong a) => table.Reads.RecordBytesAt(location) + (long)table.Reads.LinkAt(location, a).Bytes;

    /// <summary>Finds the entry with the same key, in a locked chain.</summary>
    private bool TryFindSame(uint home, ulong hash, long location, out uint word, out ulong cell)
    {
        ReadOnlySpan<byte> key = table.Reads.KeyAt(location);
        uint bucket = home;
        do
        {
            for (uint lane = 0; lane < CacheLimits.BucketCells; lane++)
            {
                word = TableIndex.FirstWord(bucket) + lane;
                cell = _words.Read(word);
                if (!CellWord.HasTag(cell, CellWord.Tag(hash)) || table.Records.LocationOf(cell) is not (var there and not 0) || table.Lookup.LowAt(there) != (uint)hash)
                {
                    continue;
                }

                if (table.Reads.KeyAt(there).SequenceEqual(key))
                {
                    return true;
                }

                table.Slots!.HasUndecided |= !_isOrdinal;
            }

            bucket = BucketControl.Next(table.Index.Control(bucket));
        }
        while (bucket != 0);

        (word, cell) = (0, 0);
        return false;
    }
}
