// What a table counts, in stripes, so that threads do not share cache lines. Entries and bytes are exact: they decide about limits.
// Hits and misses are plain additions, a stripe a thread while there are no more threads than stripes: beyond, a few may be lost.
using System;
using System.Threading;
using Pile.Epochs;

namespace Pile.Cache.Engine;

/// <summary>Counts of one table. Thread-safe.</summary>
internal sealed class TableCounts
{
    private const int StripeShift = 3;
    private const int LineShift = 7;
    private const int BytesPlace = 4;
    private const int HitsPlace = 5;
    private const int MissesPlace = 6;
    private const int EvictionsPlace = 7;

    private readonly long[] _counts = new long[(CacheLimits.Stripes + 1) << StripeShift];
    private long _expirations;

    /// <summary>Bytes of entries of NeverRemove, in the same stripes; null where there was none.</summary>
    private long[]? _neverBytes;

    /// <summary>Entries; exact when nobody writes.</summary>
    internal long Entries => Sum(0) + Sum(1) + Sum(2) + Sum(3);

    /// <summary>Bytes of the records of these.</summary>
    internal long Bytes => Sum(BytesPlace);

    /// <summary>Bytes of those that are never evicted; of a table that was opened with other ones too, less than these have.</summary>
    internal long NeverRemoveBytes => _neverBytes is { } all ? long.Max(0, Sum(all, 0)) : 0;

    internal long Hits => Sum(HitsPlace);

    internal long Misses => Sum(MissesPlace);

    internal long Evictions => Sum(EvictionsPlace);

    internal long Expirations => Volatile.Read(ref _expirations);

    /// <summary>Entries of a priority.</summary>
    internal long EntriesOf(int priority) => Sum(priority);

    /// <summary>Counts an entry more or less.</summary>
    /// <returns>The calling thread's part of the entries of that priority.</returns>
    internal long Add(EpochLine line, int priority, long entries, long bytes)
    {
        int stripe = StripeOf(line);
        Interlocked.Add(ref _counts[stripe + BytesPlace], bytes);
        if (priority == (int)PileCachePriority.NeverRemove)
        {
            Interlocked.Add(ref (Volatile.Read(ref _neverBytes) ?? MakeNeverBytes())[stripe], bytes);
        }

        return Interlocked.Add(ref _counts[stripe + priority], entries);
    }

    internal void AddHit(EpochLine line) => _counts[StripeOf(line) + HitsPlace]++;

    internal void AddMiss(EpochLine line) => _counts[StripeOf(line) + MissesPlace]++;

    internal void AddEviction(EpochLine line) => Interlocked.Increment(ref _counts[StripeOf(line) + EvictionsPlace]);

    internal void AddExpiration() => Interlocked.Increment(ref _expirations);

    /// <summary>Sets entries and bytes to what was counted, when nobody is in the table yet.</summary>
    internal void Restore(ReadOnlySpan<long> entriesByPriority, long bytes)
    {
        Reset();
        int stripe = 1 << StripeShift;
        entriesByPriority.CopyTo(_counts.AsSpan(stripe));
        _counts[stripe + BytesPlace] = bytes;
        if (entriesByPriority[..(int)PileCachePriority.NeverRemove].IndexOfAnyExcept(0) < 0 && bytes > 0)
        {
            MakeNeverBytes()[stripe] = bytes;
        }
    }

    /// <summary>Forgets entries and bytes. The caller excludes all writers.</summary>
    internal void Reset()
    {
        _neverBytes?.AsSpan().Clear();
        for (int place = 0; place <= BytesPlace; place++)
        {
            for (int stripe = place; stripe < _counts.Length; stripe += 1 << StripeShift)
            {
                Volatile.Write(ref _counts[stripe], 0);
            }
        }
    }

    // One stripe is left out at the head, so that the first shares no cache line with the array's length.
    private static int StripeOf(EpochLine line) => (int)(1 + ((line.Place >> LineShift) & (CacheLimits.Stripes - 1))) << StripeShift;

    // One that another thread made first is taken.
    private long[] MakeNeverBytes()
    {
        long[] made = new long[_counts.Length];
        return Interlocked.CompareExchange(ref _neverBytes, made, null) ?? made;
    }

    private long Sum(int place) => Sum(_counts, place);

    private static long Sum(long[] counts, int place)
    {
        long sum = 0;
        for (int stripe = place; stripe < counts.Length; stripe += 1 << StripeShift)
        {
            sum += Volatile.Read(ref counts[stripe]);
        }

        return sum;
    }
}
