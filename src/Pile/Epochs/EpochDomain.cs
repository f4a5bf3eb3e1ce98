// A pile's epochs: a counter that reclaimers advance, and for each the threads that were inside when it began. An epoch has
// passed when all of these have left. Epoch-based reclamation (Fraser, "Practical lock-freedom", 2004); deviation: readers
// publish a serial instead of copying the epoch, and the reclaimer pays for the fence once per batch.
using System;
using System.Collections.Generic;
using System.Threading;
using Pile.Primitives;

namespace Pile.Epochs;

/// <summary>The epochs of one pile. Thread-safe; readers touch nothing here.</summary>
internal sealed class EpochDomain
{
    private static readonly Lock _idGate = new();
    private static readonly SortedSet<int> _freeIds = [];
    private static int _nextId = 1;

    private readonly List<Blocker> _blockers = [];
    private readonly TimeProvider _time;
    private readonly Predicate<Blocker> _hasLeft;
    private long _epoch = 1;

    internal EpochDomain(TimeProvider time)
    {
        _time = time;
        _hasLeft = HasLeft;
        PileId = TakeId();
    }

    /// <summary>Identity of the pile among those alive in this process.</summary>
    internal int PileId { get; }

    /// <summary>The identity as <see cref="EpochLine.Enter"/> takes it: what is added to a line by entering.</summary>
    internal long IdWord => EpochLine.SerialStep + ((long)PileId << EpochLine.IdShift);

    /// <summary>The identity as a write enters with it.</summary>
    internal long WriteWord => IdWord | EpochLine.WritingBit;

    /// <summary>The present epoch.</summary>
    internal long Epoch => Volatile.Read(ref _epoch);

    /// <summary>Held while an epoch ends, and while it is asked who is inside.</summary>
    internal Lock Gate { get; } = new();

    /// <summary>Ends the present epoch: everything swung before this call is reclaimable once <see cref="HasPassed"/> says so.</summary>
    /// <returns>The epoch to ask for.</returns>
    internal long Advance()
    {
        using (Gate.EnterAnyhow())
        {
            long epoch = Interlocked.Increment(ref _epoch);
            if (!Fault.NoBarrier)
            {
                // After it, each thread's entering store is visible here, or its entry load comes after our swings.
                Interlocked.MemoryBarrierProcessWide();
            }

            NoteInsideLocked(epoch);
            return epoch;
        }
    }

    /// <summary>Whether every thread that was inside when <paramref name="epoch"/> began has left since.</summary>
    internal bool HasPassed(long epoch)
    {
        using (Gate.EnterAnyhow())
        {
            _blockers.RemoveAll(_hasLeft);
            foreach (Blocker blocker in _blockers)
            {
                if (blocker.Epoch <= epoch)
                {
                    return false;
                }
            }

            return true;
        }
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
        bool isInterrupted = false;
        bool hasPassed;
        do
        {
            if (spin.NextSpinWillYield && spin.Count % 16 == 0)
            {
                EpochLines.DropDead();
            }

            try
            {
                spin.SpinOnce();
            }
            catch (ThreadInterruptedException)
            {
                // What was swung, retired or cleared before is so: the caller ends its call, and the thread is told at its next wait.
                isInterrupted = true;
            }

            hasPassed = HasPassed(epoch);
        }
        while (!hasPassed && _time.GetElapsedTime(started).TotalMilliseconds < waitMs);

        if (isInterrupted)
        {
            Thread.CurrentThread.Interrupt();
        }

        if (!hasPassed)
        {
            EpochLines.DropDead();
            hasPassed = HasPassed(epoch);
        }

        return hasPassed;
    }

    /// <summary>Counts the threads inside now, and tells the longest stay that was observed (a lower bound) and the names.</summary>
    internal (int Threads, TimeSpan Oldest, string Names) Holders()
    {
        using (Gate.EnterAnyhow())
        {
            NoteInsideLocked(_epoch + 1);
            TimeSpan oldest = TimeSpan.Zero;
            List<string> names = [];
            foreach (Blocker blocker in _blockers)
            {
                TimeSpan age = _time.GetElapsedTime(blocker.Seen);
                oldest = age > oldest ? age : oldest;
                Thread? thread = EpochLines.ThreadOf(blocker.Line);
                names.Add($"'{thread?.Name ?? "unnamed"}' (managed thread {thread?.ManagedThreadId})");
            }

            return (_blockers.Count, oldest, string.Join(", ", names));
        }
    }

    /// <summary>Notes who is inside, so that <see cref="Holders"/> can later tell for how long.</summary>
    internal void Observe()
    {
        using (Gate.EnterAnyhow())
        {
            NoteInsideLocked(_epoch + 1);
        }
    }

    /// <summary>Returns the identity to the process. Not called while anyone may still be inside.</summary>
    internal void ReleaseId()
    {
        using (_idGate.EnterAnyhow())
        {
            _freeIds.Add(PileId);
        }
    }

    private static int TakeId()
    {
        using (_idGate.EnterAnyhow())
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

    /// <summary>Adds those inside who are not known yet: they block this epoch and all later ones until they leave.</summary>
    private void NoteInsideLocked(long epoch)
    {
        _blockers.RemoveAll(_hasLeft);
        int count = EpochLines.Count;
        for (int index = 0; index < count; index++)
        {
            EpochLine line = EpochLines.At(index);
            long word = line.Word;
            if (line.IsInside(word, PileId) && !IsKnownLocked(line, word))
            {
                _blockers.Add(new Blocker(line, word >> EpochLine.SerialShift, epoch, _time.GetTimestamp()));
            }
        }
    }

    private bool IsKnownLocked(EpochLine line, long word)
    {
        foreach (Blocker blocker in _blockers)
        {
            if (blocker.Line == line && blocker.Serial == word >> EpochLine.SerialShift)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Whether the thread has left this pile since; it may still be inside another one under the same serial.</summary>
    private bool HasLeft(Blocker blocker)
    {
        long word = blocker.Line.Word;
        return word >> EpochLine.SerialShift != blocker.Serial || !blocker.Line.IsInside(word, PileId);
    }

    /// <summary>A stay of a thread: from the epoch in which it was first seen until it leaves the pile.</summary>
    private readonly record struct Blocker(EpochLine Line, long Serial, long Epoch, long Seen);
}
