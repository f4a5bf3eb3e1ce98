// A pile's epoch: a counter that reclaimers advance, and the question whether everyone who entered before has left.
// Epoch-based reclamation (Fraser, "Practical lock-freedom", 2004); deviation: one line per thread serves all piles, and
// the reclaimer pays for the fence (Interlocked.MemoryBarrierProcessWide) once per batch.
using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Threading;
using Pile.Primitives;

namespace Pile.Epochs;

/// <summary>The epoch of one pile. Thread-safe.</summary>
internal sealed class EpochDomain
{
    private static readonly Lock _gate = new();
    private static readonly SortedSet<int> _freeIds = [];
    private static int _nextId = 1;

    private readonly TimeProvider _time;
    private Hot _hot;

    internal EpochDomain(TimeProvider time)
    {
        _time = time;
        PileId = TakeId();
        _hot.Word = (1L << EpochLine.PileIdBits) | (uint)PileId;
    }

    /// <summary>Identity of the pile among those alive in this process.</summary>
    internal int PileId { get; }

    /// <summary>The word that an entering thread publishes. Acquire: an epoch that is seen brings the swings before it.</summary>
    internal long Word => Volatile.Read(ref _hot.Word);

    /// <summary>The present epoch.</summary>
    internal long Epoch => Word >> EpochLine.PileIdBits;

    /// <summary>Ends the present epoch: everything swung before this call is reclaimable once <see cref="HasPassed"/> says so.</summary>
    /// <returns>The epoch to ask for.</returns>
    internal long Advance()
    {
        long word = Interlocked.Add(ref _hot.Word, 1L << EpochLine.PileIdBits);
        if (!Fault.NoBarrier)
        {
            // After it, each thread's entering store is visible here, or its entry load comes after our swings.
            Interlocked.MemoryBarrierProcessWide();
        }

        return word >> EpochLine.PileIdBits;
    }

    /// <summary>Whether every thread that entered this pile before <paramref name="epoch"/> began has left.</summary>
    internal bool HasPassed(long epoch)
    {
        foreach (EpochLine? line in EpochLines.Snapshot())
        {
            if (line is not null && Holds(line, epoch))
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>Waits for <see cref="HasPassed"/>; lines of threads that ended are dropped on the way.</summary>
    /// <returns>False when the time ran out.</returns>
    internal bool WaitPassed(long epoch, int waitMs)
    {
        if (HasPassed(epoch))
        {
            return true;
        }

        long started = _time.GetTimestamp();
        var spin = default(SpinWait);
        while (!HasPassed(epoch))
        {
            if (spin.NextSpinWillYield && spin.Count % 16 == 0)
            {
                EpochLines.DropDead();
            }

            spin.SpinOnce();
            if (_time.GetElapsedTime(started).TotalMilliseconds >= waitMs)
            {
                return HasPassed(epoch);
            }
        }

        return true;
    }

    /// <summary>Counts the threads inside this pile's epochs and finds the longest stay, as far as it was observed.</summary>
    internal (int Threads, TimeSpan Oldest, string Names) Holders()
    {
        int threads = 0;
        TimeSpan oldest = TimeSpan.Zero;
        List<string>? names = null;
        foreach (EpochLine? line in EpochLines.Snapshot())
        {
            if (line is null || !Holds(line, long.MaxValue))
            {
                continue;
            }

            threads++;
            if (Holds(line, Epoch))
            {
                // Only a stay from before the present epoch has a meaningful age: others may have come and gone meanwhile.
                TimeSpan age = Age(line);
                oldest = age > oldest ? age : oldest;
            }

            (names ??= []).Add($"'{line.Thread.Name ?? "unnamed"}' (managed thread {line.Thread.ManagedThreadId})");
        }

        return (threads, oldest, names is null ? string.Empty : string.Join(", ", names));
    }

    /// <summary>Notes how long present holders have stayed, so that <see cref="Holders"/> can tell later.</summary>
    internal void ObserveHolders()
    {
        foreach (EpochLine? line in EpochLines.Snapshot())
        {
            if (line is not null && line.Word != 0)
            {
                _ = Age(line);
            }
        }
    }

    /// <summary>Returns the identity to the process. Not called while anyone may still be inside.</summary>
    internal void ReleaseId()
    {
        lock (_gate)
        {
            _freeIds.Add(PileId);
        }
    }

    private static int TakeId()
    {
        lock (_gate)
        {
            if (_freeIds.Count > 0)
            {
                int id = _freeIds.Min;
                _freeIds.Remove(id);
                return id;
            }

            if (_nextId > Limits.PilesMax)
            {
                Throw.TooManyPiles();
            }

            return _nextId++;
        }
    }

    private bool Holds(EpochLine line, long epoch)
    {
        long word = line.Word;
        long id = word & EpochLine.SeveralPiles;
        return word != 0 && (id == EpochLine.SeveralPiles || (id == PileId && (word >> EpochLine.PileIdBits) < epoch));
    }

    private TimeSpan Age(EpochLine line)
    {
        long word = line.Word;
        if (line.SeenWord != word)
        {
            line.SeenTimestamp = _time.GetTimestamp();
            line.SeenWord = word;
            return TimeSpan.Zero;
        }

        return _time.GetElapsedTime(line.SeenTimestamp);
    }

    /// <summary>The word on cache lines of its own: every thread reads it, only reclaimers write it.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 192)]
    private struct Hot
    {
        [FieldOffset(64)]
        internal long Word;
    }
}
