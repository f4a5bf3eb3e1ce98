// The writers of a pile, one per core, made at first need. A thread returns to the writer that served it last and
// moves on when someone else holds it, so that a preempted holder stops nobody. Where little is stored between two flushes, it is by one writer:
// what each has written is a stretch of its own to make durable.
using System;
using System.Runtime.CompilerServices;
using System.Threading;
using Pile.Epochs;
using Pile.Format;
using Pile.Primitives;
using Pile.Table;

namespace Pile.Segments;

/// <summary>All writers of a pile. Thread-safe.</summary>
internal sealed class WriterSet<TFormat>(SegmentDirectory directory, SegmentPool pool, ObjectTable table, SlotPool slots, LogContext log, int count)
    where TFormat : struct, IRecordFormat
{
    private readonly SegmentWriter<TFormat>?[] _writers = new SegmentWriter<TFormat>?[count];
    private long _restoredObjects;
    private long _littleUntil;

    /// <summary>Counts the objects of a pile that was opened again.</summary>
    internal void CountRestored(long objects) => Volatile.Write(ref _restoredObjects, objects);

    /// <summary>Writers at the most, without the cleaner's.</summary>
    internal int Count => _writers.Length;

    /// <summary>Notes that all that was appended becomes durable: until the first writer has appended so much as one is enough for, threads that own none keep to it, as long
    /// as it is free soon.</summary>
    internal void NoteFlush() => Volatile.Write(ref _littleUntil, (this[0]?.AppendedBytes ?? 0) + FileLimits.FlushBytesOfOneWriter);

    /// <summary>Writers that have been needed so far.</summary>
    internal int Made
    {
        get
        {
            int made = 0;
            for (int index = 0; index < _writers.Length; index++)
            {
                made += this[index] is null ? 0 : 1;
            }

            return made;
        }
    }

    /// <summary>The cleaner's own writer, for what survives; held by whoever has the cleaner role.</summary>
    internal SegmentWriter<TFormat> Survivors { get; } = new(directory, pool, table, slots, log);

    /// <summary>The writer of an index, or null while it has never been needed.</summary>
    internal SegmentWriter<TFormat>? this[int index] => Volatile.Read(ref _writers[index]);

    /// <summary>All writers by their index, those null that have never been needed; for who looks up more often than it follows a reference.</summary>
    internal SegmentWriter<TFormat>?[] All => _writers;

    /// <summary>The writer that the line's thread used last, or null.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal SegmentWriter<TFormat>? LastOf(EpochLine line) => LastOf(_writers, line);

    /// <summary>The same of <see cref="All"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static SegmentWriter<TFormat>? LastOf(SegmentWriter<TFormat>?[] writers, EpochLine line)
    {
        uint index = (uint)line.Writer;
        return index < (uint)writers.Length ? writers[index] : null;
    }

    /// <summary>Holds a writer: the thread's own, or one by its lock; waits while all are held.</summary>
    /// <param name="line">The calling thread's line; it has entered to write.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal SegmentWriter<TFormat> Hold(EpochLine line) =>
        LastOf(line) is { } writer && writer.IsOwnedBy(line) && EpochLine.IsWriting(line.Word) ? writer : Lock(line);

    /// <summary>The same for what no interrupt of the thread may end, such as a flush: its end would be taken for the device's failure.</summary>
    internal SegmentWriter<TFormat> HoldAnyhow(EpochLine line)
    {
        bool isInterrupted = false;
        SegmentWriter<TFormat>? writer = null;
        while (writer is null)
        {
            try
            {
                writer = Hold(line);
            }
            catch (ThreadInterruptedException)
            {
                isInterrupted = true;
            }
        }

        if (isInterrupted)
        {
            Thread.CurrentThread.Interrupt();
        }

        return writer;
    }

    /// <summary>Has a writer held that has room for what a deletion leaves: where the caller's has none, another one, since of the cleaner's segments one is for all
    /// deletions.</summary>
    /// <param name="writer">The writer that is held. Where it has no room it is let go, whatever comes, and this is another one that is held, or null: what the caller
    /// asked while it held its own may have changed between the two.</param>
    /// <param name="line">The calling thread's line.</param>
    /// <param name="recordBytes">Bytes of the records.</param>
    /// <returns>Whether one is held, with its room made.</returns>
    internal bool EnsureSpaceToDelete(ref SegmentWriter<TFormat>? writer, EpochLine line, int recordBytes)
    {
        SegmentWriter<TFormat> own = writer!;
        if (own.EnsureSpaceToDelete(recordBytes))
        {
            return true;
        }

        writer = null;
        writer = HoldOtherToDelete(own, line, recordBytes);
        return writer is not null;
    }

    private SegmentWriter<TFormat>? HoldOtherToDelete(SegmentWriter<TFormat> full, EpochLine line, int recordBytes)
    {
        full.Release();
        line.StopWriting();
        for (int index = 0; index < _writers.Length; index++)
        {
            if (this[index] is { } writer && writer != full && writer.RestOfOpen >= recordBytes)
            {
                HoldOne(writer, line);
                bool hasRoom = false;
                try
                {
                    hasRoom = writer.EnsureSpaceToDelete(recordBytes);
                }
                finally
                {
                    if (!hasRoom)
                    {
                        writer.Release();
                    }
                }

                if (hasRoom)
                {
                    return writer;
                }
            }
        }

        return null;
    }

    /// <summary>Makes every writer: <see cref="HoldAll"/> can't fail after that.</summary>
    internal void MakeAll()
    {
        for (int index = 0; index < _writers.Length; index++)
        {
            _ = Make(index);
        }
    }

    /// <summary>Holds every writer, made or not: nobody appends, deletes or updates until <see cref="ReleaseAll"/>.</summary>
    internal void HoldAll()
    {
        EpochLine line = EpochLine.Current;
        int held = 0;
        try
        {
            for (; held < _writers.Length; held++)
            {
                HoldOne(Make(held), line);
            }
        }
        catch
        {
            // Without memory for another writer.
            while (--held >= 0)
            {
                _writers[held]!.Release();
            }

            throw;
        }
    }

    /// <summary>Seals the open segments that a question is answered yes for, each writer held for that alone.</summary>
    /// <param name="isWanted">The question; asked again once the writer is held.</param>
    /// <returns>Whether there was one.</returns>
    internal bool TrySeal(Func<Segment, bool> isWanted)
    {
        bool hasSealed = false;
        EpochLine line = EpochLine.Current;
        for (int index = 0; index < _writers.Length; index++)
        {
            if (this[index] is not { Open: { } seen } writer || !isWanted(seen))
            {
                continue;
            }

            HoldOne(writer, line);
            try
            {
                if (writer.Open is { } open && isWanted(open))
                {
                    writer.Seal();
                    hasSealed = true;
                }
            }
            finally
            {
                writer.Release();
            }
        }

        return hasSealed;
    }

    /// <summary>Gives the free slots that writers have back to the pool, each writer held for that alone. Called without a writer.</summary>
    internal void GiveSlotsBack()
    {
        EpochLine line = EpochLine.Current;
        for (int index = 0; index < _writers.Length; index++)
        {
            if (this[index] is { } writer)
            {
                HoldOne(writer, line);
                try
                {
                    writer.GiveSlotsBack();
                }
                finally
                {
                    writer.Release();
                }
            }
        }
    }

    /// <summary>Ends <see cref="HoldAll"/>.</summary>
    internal void ReleaseAll()
    {
        foreach (SegmentWriter<TFormat>? writer in _writers)
        {
            writer!.Release();
        }
    }

    /// <summary>Bytes of whole records in a segment, its header included; 0 of an open one whose writer is just taking or leaving it.</summary>
    internal int WrittenOf(Segment segment)
    {
        if (segment.State != SegmentState.Open)
        {
            return segment.WrittenBytes;
        }

        int written = WrittenBy(Survivors, segment);
        for (int index = 0; index < _writers.Length && written == 0; index++)
        {
            written = this[index] is { } writer ? WrittenBy(writer, segment) : 0;
        }

        return written;
    }

    private static void HoldOne(SegmentWriter<TFormat> writer, EpochLine line)
    {
        var spin = default(SpinWait);
        while (!writer.TryLock(line) && !writer.TryTakeAway(line, makeRarer: false))
        {
            spin.SpinAnyhow();
        }
    }

    private static int WrittenBy(SegmentWriter<TFormat> writer, Segment segment)
    {
        // The holder may roll meanwhile: only a tail within the segment, seen between two looks at it, is one of this segment.
        if (writer.Open != segment)
        {
            return 0;
        }

        long bytes = (writer.Tail - segment.Location) * Limits.WordBytes;
        return writer.Open == segment && bytes > 0 && bytes <= segment.Bytes ? (int)bytes : 0;
    }

    /// <summary>Bytes of a segment that died under any writer.</summary>
    internal int DeadOf(int segment)
    {
        int dead = Survivors.Dead.Of(segment);
        for (int index = 0; index < _writers.Length; index++)
        {
            dead += this[index]?.Dead.Of(segment) ?? 0;
        }

        return dead;
    }

    /// <summary>Forgets a segment's dead bytes. See <see cref="DeadBytes.Reset"/>.</summary>
    internal void ResetDead(int segment)
    {
        Survivors.Dead.Reset(segment);
        for (int index = 0; index < _writers.Length; index++)
        {
            this[index]?.Dead.Reset(segment);
        }
    }

    /// <summary>Bytes of records ever appended, over all writers; never less than before.</summary>
    internal long AppendedBytes
    {
        get
        {
            long appended = Survivors.AppendedBytes;
            for (int index = 0; index < _writers.Length; index++)
            {
                appended += this[index]?.AppendedBytes ?? 0;
            }

            return appended;
        }
    }

    /// <summary>Bytes of live records appended and not dead, over all writers; exact when nobody writes.</summary>
    internal long LiveBytes
    {
        get
        {
            long live = Survivors.AppendedBytes - Survivors.Dead.TotalBytes;
            for (int index = 0; index < _writers.Length; index++)
            {
                live += this[index] is { } writer ? writer.AppendedBytes - writer.Dead.TotalBytes : 0;
            }

            return live;
        }
    }

    /// <summary>Objects alive; exact when nobody writes.</summary>
    internal long Objects
    {
        get
        {
            long objects = Volatile.Read(ref _restoredObjects);
            for (int index = 0; index < _writers.Length; index++)
            {
                objects += this[index]?.ObjectsDelta ?? 0;
            }

            return objects;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private SegmentWriter<TFormat> Lock(EpochLine line)
    {
        // Two threads that want each other's writers must not wait for each other's writes.
        line.StopWriting();
        var spin = default(SpinWait);
        while (true)
        {
            // With one processor each spin yields, the first too.
            int among = (spin.Count > 0 && spin.NextSpinWillYield) || Make(0).AppendedBytes >= Volatile.Read(ref _littleUntil) ? _writers.Length : 1;
            int first = (int)((uint)line.Writer % (uint)among);
            for (int step = 0; step < among; step++)
            {
                int index = (first + step) % among;
                SegmentWriter<TFormat> writer = Make(index);
                if (writer.TryLock(line))
                {
                    line.Writer = index;
                    return writer;
                }
            }

            // All are locked or others' own. Locks are short, owners may be idle.
            if (Make(first).TryTakeAway(line, makeRarer: true))
            {
                line.Writer = first;
                return Make(first);
            }

            spin.SpinOnce(sleep1Threshold: -1);
        }
    }

    private SegmentWriter<TFormat> Make(int index)
    {
        if (this[index] is { } present)
        {
            return present;
        }

        // Any thread may make it; the first one's stands.
        var made = new SegmentWriter<TFormat>(directory, pool, table, slots, log);
        return Interlocked.CompareExchange(ref _writers[index], made, null) ?? made;
    }
}
