// The account of everything a pile holds outside the GC heap, against one limit. Bytes are taken here before
// they are made resident and given back after they are gone, so Used never passes the limit by growth.
using System;
using System.Threading;

namespace Pile.Memory;

/// <summary>Counted bytes under a limit that may change at any time. Thread-safe, lock-free.</summary>
internal sealed class MemoryBudget(long limitBytes)
{
    private readonly Lock _gate = new();
    private long _limitBytes = limitBytes;
    private Func<long, long>? _limitOf;
    private long _takenBytes;
    private long _usedBytes;
    private long _peakBytes;

    /// <summary>The limit in bytes. Lowering it below <see cref="UsedBytes"/> only stops growth.</summary>
    internal long LimitBytes
    {
        get => Volatile.Read(ref _limitBytes);
        set
        {
            lock (_gate)
            {
                _limitOf = null;
                Volatile.Write(ref _limitBytes, value);
            }
        }
    }

    /// <summary>Sets a limit that depends on what is taken now, until somebody sets another: by what is found to have been taken it is moved.</summary>
    /// <param name="limitOf">The limit, in bytes, for so many bytes taken.</param>
    internal void LimitByTaken(Func<long, long> limitOf)
    {
        lock (_gate)
        {
            (_limitOf, _takenBytes) = (limitOf, UsedBytes);
            Volatile.Write(ref _limitBytes, limitOf(_takenBytes));
        }
    }

    /// <summary>Whether the limit is such a one.</summary>
    internal bool IsByTaken => Volatile.Read(ref _limitOf) is not null;

    /// <summary>Notes that bytes which were just counted as used had been taken before.</summary>
    internal void NoteFound(long bytes)
    {
        lock (_gate)
        {
            _takenBytes += bytes;
            Volatile.Write(ref _limitBytes, _limitOf?.Invoke(_takenBytes) ?? _limitBytes);
        }
    }

    /// <summary>Bytes taken and not given back.</summary>
    internal long UsedBytes => Volatile.Read(ref _usedBytes);

    /// <summary>The most that was ever taken at once.</summary>
    internal long PeakBytes => Volatile.Read(ref _peakBytes);

    /// <summary>How many bytes are the cleaner's now; readable by any thread, of this budget's lock or not. Set when the pile is put together.</summary>
    internal Func<long> ReserveBytes { get; set; } = static () => 0;

    /// <summary>Bytes that may still be taken; never negative.</summary>
    internal long FreeBytes => long.Max(0, LimitBytes - UsedBytes);

    /// <summary>Whether more is taken than the limit allows, which was lowered.</summary>
    internal bool IsOver => UsedBytes > LimitBytes;

    /// <summary>Takes <paramref name="bytes"/> unless that would leave less than <paramref name="keepBytes"/> below the limit.</summary>
    /// <param name="bytes">Bytes wanted.</param>
    /// <param name="keepBytes">Bytes to be left.</param>
    /// <param name="mayPass">Whether to take them beyond the limit too: for who gives back more by it, and for what is there already and only comes to be known.</param>
    internal bool TryTake(long bytes, long keepBytes = 0, bool mayPass = false)
    {
        // Any thread adds; the compare-exchange makes check and addition one step, which keeps Used <= limit.
        long used = UsedBytes;
        while (true)
        {
            if (used + bytes + keepBytes > LimitBytes && !mayPass)
            {
                return false;
            }

            long seen = Interlocked.CompareExchange(ref _usedBytes, used + bytes, used);
            if (seen == used)
            {
                RaisePeak(used + bytes);
                return true;
            }

            used = seen;
        }
    }

    /// <summary>Takes <paramref name="bytes"/> unless that would leave less than the cleaner's reserve below the limit. For those who do not hold
    /// the lock under which the reserve changes.</summary>
    internal bool TryTakeBesideReserve(long bytes)
    {
        if (!TryTake(bytes, ReserveBytes()))
        {
            return false;
        }

        // The reserve may have come to want more of the budget between the question and the taking. Who lets it looks at what is taken afterwards,
        // and this looks at the reserve afterwards, each behind a full fence: at least one of the two sees the other, and takes its part back.
        if (UsedBytes + ReserveBytes() <= LimitBytes)
        {
            return true;
        }

        GiveBack(bytes);
        return false;
    }

    /// <summary>Returns bytes taken before.</summary>
    internal void GiveBack(long bytes) => Interlocked.Add(ref _usedBytes, -bytes);

    private void RaisePeak(long used)
    {
        // Any thread; a lost race leaves the larger value, which is all that a peak promises.
        long peak = Volatile.Read(ref _peakBytes);
        while (used > peak)
        {
            long seen = Interlocked.CompareExchange(ref _peakBytes, used, peak);
            if (seen == peak)
            {
                return;
            }

            peak = seen;
        }
    }
}
