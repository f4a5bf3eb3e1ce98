// Ghosts: what S3-FIFO remembers of entries that left unvisited, so that a key which comes back soon is kept longer. Four bytes each:
// 18 bits of the key's hash and a stamp of 14 bits, in lines of sixteen; a new ghost takes the place of the oldest of its line. Stamps
// count evictions in steps, so that a ghost is forgotten after about as many evictions as there are entries.
// Its memory is the pile's budget's; it comes while the cache fills, and follows the number of entries.
using System;
using System.Numerics;
using System.Threading;
using Pile.Cache.Index;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Cache.Eviction;

/// <summary>Remembered keys. Added by the holder of the cleaner role; asked by anyone inside an epoch.</summary>
internal sealed class GhostTable(RegionProvider provider, MemoryBudget budget) : IDisposable
{
    private const int HalvesOfWord = 2;
    private const int StampBits = 14;
    private const uint StampMask = (1 << StampBits) - 1;
    private const uint StampsAlive = 1 << (StampBits - 1);
    private const int LineWords = CacheLimits.GhostsOfLine / HalvesOfWord;
    private const long LinesFirst = 64;

    private readonly Lock _fitting = new();
    private WordRegion? _region;
    private long _lines;
    private long _takenBytes;
    private long _added;
    private long _stepEvictions = 1;
    private long _returned;

    /// <summary>Bytes of the budget that it holds.</summary>
    internal long TakenBytes => Volatile.Read(ref _takenBytes);

    /// <summary>Keys that came back while they were remembered.</summary>
    internal long Returned => Volatile.Read(ref _returned);

    /// <summary>Entries for which the table is large enough.</summary>
    internal long EntriesFitted => Volatile.Read(ref _lines) * CacheLimits.GhostsOfLine * CacheLimits.EntriesOfTwoGhosts / 2;

    /// <summary>Makes the table as large as so many entries want, as far as the budget goes: while a cache fills, since a full one has no
    /// budget left. Ghosts are lost when it changes.</summary>
    internal void Fit(long entries)
    {
        long wanted = entries * 2 / CacheLimits.EntriesOfTwoGhosts / CacheLimits.GhostsOfLine;
        long lines = entries == 0 ? 0 : long.Max(LinesFirst, (long)BitOperations.RoundUpToPowerOf2((ulong)wanted));
        long now = Volatile.Read(ref _lines);
        if (lines == now || (lines < now && lines > now / 4) || !_fitting.TryEnter())
        {
            return;
        }

        try
        {
            Resize(lines);
        }
        finally
        {
            _fitting.Exit();
        }
    }

    /// <summary>Remembers a key. By the holder of the cleaner role.</summary>
    internal void Add(ulong hash, int table)
    {
        long lines = _lines;
        if (lines == 0)
        {
            return;
        }

        ulong mixed = Mix(hash, table);
        uint stamp = StampOf(++_added);
        uint line = LineOf(mixed, lines);
        uint oldest = 0;
        int oldestAt = 0;
        for (int place = 0; place < CacheLimits.GhostsOfLine; place++)
        {
            uint ghost = Half(line, place);
            uint age = ghost == 0 ? uint.MaxValue : (stamp - ghost) & StampMask;
            if (age >= oldest)
            {
                (oldest, oldestAt) = (age, place);
            }

            if (ghost == 0)
            {
                break;
            }
        }

        SetHalf(line, oldestAt, (PrintOf(mixed) << StampBits) | stamp);
    }

    /// <summary>Whether a key is remembered; if so it is forgotten.</summary>
    internal bool TryTake(ulong hash, int table)
    {
        long lines = Volatile.Read(ref _lines);
        if (lines == 0)
        {
            return false;
        }

        ulong mixed = Mix(hash, table);
        uint print = PrintOf(mixed);
        uint stamp = StampOf(Volatile.Read(ref _added));
        uint line = LineOf(mixed, lines);
        for (int place = 0; place < CacheLimits.GhostsOfLine; place++)
        {
            uint ghost = Half(line, place);
            if (ghost != 0 && ghost >> StampBits == print && ((stamp - ghost) & StampMask) < StampsAlive)
            {
                SetHalf(line, place, 0);
                Interlocked.Increment(ref _returned);
                return true;
            }
        }

        return false;
    }

    /// <summary>Frees the memory, when no reader is left.</summary>
    public void Dispose()
    {
        if (_region is { } region)
        {
            budget.GiveBack(_takenBytes);
            region.Dispose();
        }
    }

    private bool TryReserve()
    {
        try
        {
            _region = new WordRegion(provider, long.Min(BytesMax, provider.ReservesFreely ? BytesMax : budget.LimitBytes) / Limits.WordBytes, LinesFirst * LineWords);
            return true;
        }
        catch (PileException)
        {
            // No address space: the cache goes on without ghosts, and asks again when the number of entries asks for another size.
            return false;
        }
    }

    private void Resize(long lines)
    {
        long bytes = lines * LineWords * Limits.WordBytes;
        if (_region is null && !TryReserve())
        {
            return;
        }

        if (lines * LineWords > _region!.Count || (bytes > _takenBytes && !TryTake(bytes)))
        {
            return;
        }

        if (bytes < _takenBytes)
        {
            if (!_region.TryGiveBack(lines * LineWords, (_takenBytes - bytes) / Limits.WordBytes))
            {
                return;
            }

            budget.GiveBack(_takenBytes - bytes);
        }

        Volatile.Write(ref _takenBytes, bytes);
        Volatile.Write(ref _stepEvictions, long.Max(1, lines * CacheLimits.GhostsOfLine / StampsAlive));

        // What stands there was put by another number of lines: it is found no more, and written over.
        Volatile.Write(ref _lines, lines);
    }

    private bool TryTake(long bytes)
    {
        if (!budget.TryTakeBesideReserve(bytes - _takenBytes))
        {
            return false;
        }

        using var taken = new BudgetTake(budget, bytes - _takenBytes);
        if (!_region!.TryAllocate(0, bytes / Limits.WordBytes))
        {
            return false;
        }

        taken.Keep();
        return true;
    }

    /// <summary>The most it takes: four bytes for each entry that could be indexed.</summary>
    private static long BytesMax => CacheLimits.IndexBytesMax / 2;

    private static ulong Mix(ulong hash, int table)
    {
        ulong mixed = (hash >> CellWord.TagShift << 32 | (uint)hash) ^ ((ulong)(uint)table * 0x9E3779B97F4A7C15);
        mixed *= 0xD6E8FEB86659FD93;
        return mixed ^ (mixed >> 32);
    }

    private static uint LineOf(ulong mixed, long lines) => (uint)(mixed & (ulong)(lines - 1)) * LineWords;

    private static uint PrintOf(ulong mixed) => (uint)(mixed >> 46) | 1;

    private uint StampOf(long evictions) => (uint)(evictions / Volatile.Read(ref _stepEvictions)) & StampMask;

    private uint Half(uint line, int place) =>
        (uint)(_region!.Words.Read(line + (uint)(place / HalvesOfWord)) >> (place % HalvesOfWord * 32));

    private void SetHalf(uint line, int place, uint ghost)
    {
        // Any thread may take one half while the cleaner sets the other: by compare-exchange, so that neither is lost.
        WordArray words = _region!.Words;
        uint index = line + (uint)(place / HalvesOfWord);
        int shift = place % HalvesOfWord * 32;
        ulong seen = words.Read(index);
        while (words.CompareExchange(index, (seen & ~((ulong)uint.MaxValue << shift)) | ((ulong)ghost << shift), seen) is var found && found != seen)
        {
            seen = found;
        }
    }
}
