// Finding an entry: the chain of the key's hash, the cells with the key's tag, the record that really has the key.
// A reader takes no lock: what it finds is right because the record says its key; what it does not find it believes only when the
// chain was neither locked nor changed meanwhile.
using System;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Threading;
using Pile.Cache.Entries;
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

    /// <summary>Finds the cell of a key, without a lock.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryFind(scoped EntryKey key, out uint word, out ulong cell)
    {
        uint home = _index.HomeOf(key.Low);
        ulong before = _index.Control(home);
        return TryFindIn(home, key, out word, out cell) || (IsInDoubt(home, key.Low, before) && TryFindAgain(key, out word, out cell));
    }

    /// <summary>Finds the cell of a key in its chain, which is locked, or is looked at by a reader who checks afterwards.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryFindIn(uint home, scoped EntryKey key, out uint word, out ulong cell)
    {
        ulong tag = CellWord.Tag(key.Hash);
        uint bucket = home;
        do
        {
            uint first = TableIndex.FirstWord(bucket);
            uint matches = _words.MatchLine(first, tag, CellWord.TagShift) & CellsMask;
            while (matches != 0)
            {
                // Read again, by itself and in order: what the line showed only says where to look.
                word = first + (uint)BitOperations.TrailingZeroCount(matches);
                cell = _words.Read(word);
                if (CellWord.HasTag(cell, tag) && IsOf(CellWord.Location(cell), key))
                {
                    return true;
                }

                matches &= matches - 1;
            }

            bucket = BucketControl.Next(_words.Read(first + CacheLimits.BucketCells));
        }
        while (bucket != 0);

        word = 0;
        cell = 0;
        return false;
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

    /// <summary>Asks for the record of the first cell with the key's tag.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void PrefetchRecord(scoped EntryKey key)
    {
        ulong tag = CellWord.Tag(key.Hash);
        uint first = TableIndex.FirstWord(_index.HomeOf(key.Low));
        uint matches = _words.MatchLine(first, tag, CellWord.TagShift) & CellsMask;
        if (matches != 0)
        {
            _space.PrefetchRecord(CellWord.Location(_words.Read(first + (uint)BitOperations.TrailingZeroCount(matches))));
        }
    }

    /// <summary>Word A of the head of the record at a location.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ulong HeadA(long location) => _space.ReadWord(location + (TFormat.HeaderBytes / Limits.WordBytes));

    /// <summary>Word B of the head of the record at a location.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ulong HeadB(long location) => _space.ReadWord(location + (TFormat.HeaderBytes / Limits.WordBytes) + 1);

    /// <summary>Whether the record at a location is the key's. Inside an epoch.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsOf(long location, scoped EntryKey key)
    {
        ulong a = HeadA(location);
        if (_comparer is not null)
        {
            return IsOfByComparer(location, a, key);
        }

        return RecordWord.Slot(_space.ReadWord(location)) == key.Low
            && (a & KeyedHead.OwnerMask) == (_id | KeyedHead.Owner(0, key.Bytes.Length))
            && _space.Bytes(location, TFormat.HeaderBytes + KeyedHead.KeyOffset(a), key.Bytes.Length).SequenceEqual(key.Bytes);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool IsOfByComparer(long location, ulong a, scoped EntryKey key) =>
        RecordWord.Slot(_space.ReadWord(location)) == key.Low
        && KeyedHead.Table(a) == table.Id
        && _comparer!.Equals(_space.Bytes(location, TFormat.HeaderBytes + KeyedHead.KeyOffset(a), KeyedHead.KeyBytes(a)), key.Bytes);

    /// <summary>Whether a chain was locked or changed since its control word was read, so that what was not found in it may be there.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsInDoubt(uint home, uint hash, ulong before)
    {
        // The cells come before the second look at the control word, whatever the processor would like.
        Volatile.ReadBarrier();
        return BucketControl.IsLocked(before) || _index.Control(home) != before || _index.HomeOf(hash) != home;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool TryFindAgain(scoped EntryKey key, out uint word, out ulong cell)
    {
        var spin = default(SpinWait);
        while (true)
        {
            spin.SpinOnce(sleep1Threshold: -1);
            uint home = _index.HomeOf(key.Low);
            ulong before = _index.Control(home);
            if (TryFindIn(home, key, out word, out cell))
            {
                return true;
            }

            if (!IsInDoubt(home, key.Low, before))
            {
                return false;
            }
        }
    }
}
