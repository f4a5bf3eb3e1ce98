// Finding an entry: the chain of the key's hash, the cells with the key's tag, the record that really has the key.
// A reader takes no lock: what it finds is right because the record says its key; what it does not find it believes only when the
// chain was neither locked nor changed meanwhile.
using System;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using Pile.Cache.Entries;
using Pile.Cache.Files;
using Pile.Cache.Index;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Cache.Engine;

/// <summary>Lookups in one table. Inside an epoch.</summary>
internal sealed class TableLookup<TFormat>(TableCore<TFormat> table)
    where TFormat : struct, IRecordFormat
{
    private const uint CellsMask = (1 << CacheLimits.BucketCells) - 1;

    private readonly TableIndex _index = table.Index;
    private readonly WordArray _words = table.Index.Words;
    private readonly FlatSpace _space = table.Space;
    private readonly IPileKeyComparer? _comparer = table.Comparer;
    private readonly ulong _id = (ulong)table.Id;
    private readonly RecordTrust? _trust = table.Cache.Files?.Trust;
    private readonly CellRecords _records = table.Records;
    private readonly bool _areSlots = table.Records.AreSlots;
    private readonly int _prefixBytes = table.Records.PrefixBytes;

    /// <summary>Bytes of a payload before the head: none but in a durable table in files.</summary>
    internal int PrefixBytes
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => TFormat.IsDurable ? _prefixBytes : 0;
    }

    /// <summary>Words from a record's location to its head.</summary>
    internal int HeadWords
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => (TFormat.HeaderBytes + PrefixBytes) / Limits.WordBytes;
    }

    /// <summary>Where the record of a cell stands; 0 for none.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal long LocationOf(ulong cell) => TFormat.IsDurable && _areSlots ? _records.LocationOf(cell) : CellWord.Location(cell);

    /// <summary>Finds the cell of a key, without a lock.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal FoundEntry Find(scoped ReadOnlySpan<byte> key, ulong hash)
    {
        uint home = _index.HomeOf((uint)hash);
        ulong before = _index.Control(home);
        FoundEntry found = FindIn(home, key, hash);
        return found.IsThere || !IsInDoubt(home, (uint)hash, before) ? found : FindAgain(key, hash);
    }

    /// <summary>Finds the cell of a key in its chain, which is locked, or is looked at by a reader who checks afterwards.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal FoundEntry FindIn(uint home, scoped ReadOnlySpan<byte> key, ulong hash)
    {
        ulong tag = CellWord.Tag(hash);
        uint first = TableIndex.FirstWord(home);
        while (true)
        {
            uint matches = _words.MatchLine(first, tag, CellWord.TagShift) & CellsMask;
            while (matches != 0)
            {
                // Read again, by itself and in order: what the line showed only says where to look.
                uint word = first + (uint)BitOperations.TrailingZeroCount(matches);
                ulong cell = _words.Read(word);
                if (CellWord.HasTag(cell, tag) && LocationOf(cell) is var location && IsOf(location, key, (uint)hash))
                {
                    // Where cells hold slots, with the location in the slot's place: what was found is of this record, whatever the
                    // slot leads to later.
                    return new FoundEntry(TFormat.IsDurable ? CellWord.Moved(cell, location) : cell, word);
                }

                matches &= matches - 1;
            }

            uint next = BucketControl.Next(_words.Read(first + CacheLimits.BucketCells));
            if (next == 0)
            {
                return default;
            }

            first = TableIndex.FirstWord(next);
        }
    }

    /// <summary>Finds the cell that leads to a location, in a locked chain.</summary>
    internal bool TryFindLocation(uint home, long location, out uint word, out ulong cell)
    {
        uint bucket = home;
        do
        {
            uint first = TableIndex.FirstWord(bucket);
            for (uint lane = 0; lane < CacheLimits.BucketCells; lane++)
            {
                word = first + lane;
                cell = _words.Read(word);
                if (CellWord.Location(cell) == location)
                {
                    return true;
                }
            }

            bucket = BucketControl.Next(_index.Control(bucket));
        }
        while (bucket != 0);

        word = 0;
        cell = 0;
        return false;
    }

    /// <summary>Whether a locked chain has a cell with a key's tag whose object is lost.</summary>
    internal bool HasLost(uint home, ulong hash)
    {
        uint bucket = home;
        do
        {
            for (uint lane = 0; lane < CacheLimits.BucketCells; lane++)
            {
                ulong cell = _words.Read(TableIndex.FirstWord(bucket) + lane);
                if (CellWord.HasTag(cell, CellWord.Tag(hash)) && _records.IsLost(cell))
                {
                    return true;
                }
            }

            bucket = BucketControl.Next(_index.Control(bucket));
        }
        while (bucket != 0);

        return false;
    }

    /// <summary>Finds the cell of the key of a record, wherever it leads to now: for the planted fault alone.</summary>
    internal bool TryFindLike(uint home, long location, out uint word, out ulong cell)
    {
        ReadOnlySpan<byte> key = table.Reads.KeyAt(location);
        (cell, word) = FindIn(home, key, table.Key(key).Hash);
        return cell != 0;
    }

    /// <summary>Asks for the record of the first cell with the key's tag.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void PrefetchRecord(scoped EntryKey key)
    {
        ulong tag = CellWord.Tag(key.Hash);
        uint first = TableIndex.FirstWord(_index.HomeOf(key.Low));
        uint matches = _words.MatchLine(first, tag, CellWord.TagShift) & CellsMask;
        if (matches != 0)
        {
            ulong cell = _words.Read(first + (uint)BitOperations.TrailingZeroCount(matches));
            if (TFormat.IsDurable && _areSlots)
            {
                _records.Prefetch(cell);
            }
            else
            {
                _space.PrefetchRecord(CellWord.Location(cell));
            }
        }
    }

    /// <summary>Asks for what leads from the first cell with the key's tag to its record, where something does.</summary>
    internal void PrefetchWay(scoped EntryKey key)
    {
        uint first = TableIndex.FirstWord(_index.HomeOf(key.Low));
        uint matches = _words.MatchLine(first, CellWord.Tag(key.Hash), CellWord.TagShift) & CellsMask;
        if (matches != 0)
        {
            _records.PrefetchWay(_words.Read(first + (uint)BitOperations.TrailingZeroCount(matches)));
        }
    }

    /// <summary>Word A of the head of the record at a location.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ulong HeadA(long location) => _space.ReadWord(location + HeadWords);

    /// <summary>Word B of the head of the record at a location.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ulong HeadB(long location) => _space.ReadWord(location + HeadWords + 1);

    /// <summary>Whether the record at a location is the key's. Inside an epoch.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsOf(long location, scoped ReadOnlySpan<byte> key, uint hash)
    {
        // Head and value lie in several lines: all are asked for before the first of them is waited for.
        _space.PrefetchRecord(location);
        if (Fault.CacheKeyNotCompared)
        {
            return true;
        }

        if (!IsGood(location) || (TFormat.IsDurable && _areSlots && !_records.IsEntry(location, hash)))
        {
            return false;
        }

        ulong a = HeadA(location);
        if (_comparer is not null)
        {
            return IsOfByComparer(location, key, hash);
        }

        if ((a & KeyedHead.OwnerMask) != (_id | KeyedHead.Owner(0, key.Length)))
        {
            return false;
        }

        // Numbers are the usual short keys: one comparison of two registers.
        ReadOnlySpan<byte> stored = _space.Bytes(location, TFormat.HeaderBytes + PrefixBytes + KeyedHead.KeyOffset(a), key.Length);
        return stored.Length == sizeof(ulong) ? MemoryMarshal.Read<ulong>(stored) == MemoryMarshal.Read<ulong>(key) : stored.SequenceEqual(key);
    }

    /// <summary>The low half of the hash of the entry in a slot, whose record stands at a location.</summary>
    internal uint LowAt(long location) => KeyedPrefix.Low(_space.ReadWord(location + (TFormat.HeaderBytes / Limits.WordBytes)));

    /// <summary>Whether the entry in a slot, whose record stands at a location, was not cleared.</summary>
    internal bool IsOfEra(long location) => _records.IsOfEra(location);

    /// <summary>Whether a record of before the pile was opened is what was stored; a damaged one is no entry of anybody's.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsGood(long location) => !TFormat.IsDurable || (_areSlots ? location != 0 : _trust!.IsGood(location));

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool IsOfByComparer(long location, scoped ReadOnlySpan<byte> key, uint hash)
    {
        ulong a = HeadA(location);
        return (_areSlots || RecordWord.Slot(_space.ReadWord(location)) == hash)
            && KeyedHead.Table(a) == table.Id
            && _comparer!.Equals(_space.Bytes(location, TFormat.HeaderBytes + PrefixBytes + KeyedHead.KeyOffset(a), KeyedHead.KeyBytes(a)), key);
    }

    /// <summary>Whether a chain was locked or changed since its control word was read, so that what was not found in it may be there.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsInDoubt(uint home, uint hash, ulong before)
    {
        // The cells come before the second look at the control word, whatever the processor would like.
        Volatile.ReadBarrier();
        return BucketControl.IsLocked(before) || _index.Control(home) != before || _index.HomeOf(hash) != home;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private FoundEntry FindAgain(scoped ReadOnlySpan<byte> key, ulong hash)
    {
        var spin = default(SpinWait);
        while (true)
        {
            spin.SpinAnyhow();
            uint home = _index.HomeOf((uint)hash);
            ulong before = _index.Control(home);
            FoundEntry found = FindIn(home, key, hash);
            if (found.IsThere || !IsInDoubt(home, (uint)hash, before))
            {
                return found;
            }
        }
    }
}
