// What a verification does beside the users, before it holds the writers for what is left. A segment's bytes below what is written
// never change while it has its sequence: a few segments at a time are noted with all writers and the cleaner held, which takes
// microseconds, then every check and payload is read in the epoch of that moment, so that they stay. Then each sealed segment is
// compared with entries and counters, writers held for that one alone while the processor still has it (VerifyCounted).
// What is not good is looked at again, and named, when everything stands still.
using System;
using System.Collections.Generic;
using System.Threading;
using Pile.Epochs;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>The part of one verification that holds nobody.</summary>
/// <param name="core">The heap.</param>
/// <param name="progress">Gets the bytes that were read.</param>
/// <param name="cancellationToken">Ends it between two segments.</param>
internal sealed class VerifyAhead<TFormat>(HeapCore<TFormat> core, Action<long> progress, CancellationToken cancellationToken)
    where TFormat : struct, IRecordFormat
{
    private readonly FlatSpace _space = core.Directory.Space;
    private readonly List<Stretch> _known = [];
    private VerifyShare<TFormat>? _counting;

    /// <summary>What was compared segment by segment.</summary>
    internal VerifyCounted Counted { get; } = new();

    /// <summary>Bytes of a segment below which every record is whole, and its payload too.</summary>
    internal int KnownBytes(Segment segment) =>
        segment.Index < _known.Count && _known[segment.Index] is var known && known.Sequence == segment.Sequence ? known.Bytes : 0;

    /// <summary>Adds what was counted and found in the segments that were compared.</summary>
    internal void AddTo(VerifyShare<TFormat> sum)
    {
        if (_counting is { } counting)
        {
            sum.Add(counting, isOfNow: false);
        }
    }

    /// <summary>Reads what there is, then what was written meanwhile, until little is left or writers are as fast.</summary>
    internal void Run()
    {
        _counting = new VerifyShare<TFormat>(core, this) { Counts = Counted };
        for (int round = 0; round < FileLimits.VerifyRoundsMax; round++)
        {
            long left = 0;
            List<Segment> batch = [];
            long bytes = 0;
            for (int index = 0; index < core.Directory.Count; index++)
            {
                Segment segment = core.Directory[index];
                int written = IsUsed(segment) ? core.Writers.WrittenOf(segment) : 0;
                if (written > 0 && !Counted.Contains(segment))
                {
                    batch.Add(segment);
                    bytes += written;
                    left += written;
                }

                if (bytes >= FileLimits.VerifyBatchBytes)
                {
                    Read(batch, bytes);
                    batch.Clear();
                    bytes = 0;
                }
            }

            Read(batch, bytes);
            if (left <= FileLimits.VerifyHeldBytes)
            {
                return;
            }
        }
    }

    /// <summary>Reads the descriptor of a large object.</summary>
    /// <returns>False when it describes no run that is in use.</returns>
    internal bool TryReadRun(long location, ulong word, out LargeDescriptor run)
    {
        int payloadBytes = RecordWord.PayloadBytes(word);
        run = payloadBytes == LargeDescriptor.Bytes ? LargeDescriptor.Read(_space.Bytes(location, TFormat.HeaderBytes, payloadBytes)) : default;
        return run.IsOfPayload && core.Large.IsRun(run.RunLocation, run.PayloadBytes);
    }

    /// <summary>Whether a run holds what its descriptor says.</summary>
    internal bool IsRunGood(in LargeDescriptor run) => Crc32C.Compute(_space.Bytes(run.RunLocation, 0, run.PayloadBytes)) == run.PayloadCrc;

    /// <summary>Whether a record's payload is what its header says.</summary>
    internal bool IsPayloadGood(long location, ulong word) =>
        PayloadSum.Of(word, _space.Bytes(location, TFormat.HeaderBytes, RecordWord.PayloadBytes(word))) == (uint)_space.ReadWord(location + 2);

    private static bool IsUsed(Segment segment) => segment.State is SegmentState.Sealed or SegmentState.Open;

    private void Read(List<Segment> batch, long bytes)
    {
        if (batch.Count == 0)
        {
            return;
        }

        EpochLine line = EpochLine.Current;
        long held = Note(line, batch, out (Segment Segment, Stretch Stretch)[] noted);
        try
        {
            int next = -1;
            AllCores.Share(bytes, FileLimits.VerifyShareBytes, () =>
            {
                for (int index = Interlocked.Increment(ref next); index < noted.Length; index = Interlocked.Increment(ref next))
                {
                    cancellationToken.ThrowIfCancellationRequested();
                    (Segment segment, Stretch stretch) = noted[index];
                    int from = KnownBytes(segment);
                    int end = GoodBytes(segment, from, stretch.Bytes, out long runBytes);
                    noted[index] = (segment, stretch with { Bytes = end });
                    for (int tries = 0; end == stretch.Bytes && tries < FileLimits.VerifyRoundsMax && !TryCompare(segment, stretch); tries++)
                    {
                        core.Cleaner.EnterRole();
                        core.Cleaner.ExitRole();
                    }

                    progress(end - from + runBytes);
                }
            });
        }
        finally
        {
            line.Leave(held);
        }

        foreach ((Segment segment, Stretch stretch) in noted)
        {
            while (_known.Count <= segment.Index)
            {
                _known.Add(default);
            }

            _known[segment.Index] = stretch;
        }
    }

    /// <summary>Compares a segment that is good and sealed with its entries and its counter. The cleaner is never waited for with the
    /// writers held: it may wait for readers.</summary>
    private bool TryCompare(Segment segment, in Stretch stretch)
    {
        if (core.Keyed is not null)
        {
            // Which of a cache's records are current is asked of its owner, with all else at rest.
            return true;
        }

        bool isDone = false;
        core.Writers.HoldAll();
        try
        {
            isDone = core.Cleaner.TryEnterRole();
            if (isDone && segment.State == SegmentState.Sealed && segment.Sequence == stretch.Sequence && segment.WrittenBytes == stretch.Bytes)
            {
                _ = _counting!.Walk(segment, stretch.Bytes, stretch.Bytes);
                Counted.Add(segment);
            }
        }
        finally
        {
            if (isDone)
            {
                core.Cleaner.ExitRole();
            }

            core.Writers.ReleaseAll();
        }

        return isDone;
    }

    /// <summary>Notes how far segments are written, and enters the epoch of that moment. Every record below has been published: it is
    /// the current one of its slot now, or never will be.</summary>
    private long Note(EpochLine line, List<Segment> batch, out (Segment Segment, Stretch Stretch)[] noted)
    {
        List<(Segment Segment, Stretch Stretch)> used = new(batch.Count);
        bool isCleaner = false;
        core.Writers.HoldAll();
        try
        {
            core.Cleaner.EnterRole();
            isCleaner = true;
            foreach (Segment segment in batch)
            {
                if (IsUsed(segment))
                {
                    used.Add((segment, new Stretch(segment.Sequence, core.Writers.WrittenOf(segment))));
                }
            }

            noted = [.. used];
            return line.Enter(core.Epochs.IdWord);
        }
        finally
        {
            if (isCleaner)
            {
                core.Cleaner.ExitRole();
            }

            core.Writers.ReleaseAll();
        }
    }

    /// <summary>Reads the records of a segment up to the first that is not good.</summary>
    private int GoodBytes(Segment segment, int from, int end, out long runBytes)
    {
        runBytes = 0;
        segment.ReadAhead(from, end);
        var walk = new SegmentWalk<TFormat>(_space, segment, end, core.Log.Identity);
        walk.Skip(int.Max(0, from - walk.Offset));
        while (walk.TryNext(out long location, out ulong word, out _))
        {
            if ((RecordWord.HasSlot(word) || RecordWord.Code(word) == RecordCode.Cache) && !IsGood(location, word, ref runBytes))
            {
                return (int)(location - segment.Location) * Limits.WordBytes;
            }
        }

        return walk.Offset;
    }

    private bool IsGood(long location, ulong word, ref long runBytes)
    {
        if (!IsPayloadGood(location, word))
        {
            return false;
        }

        // The pages of what is not current may hold another object by now.
        if (RecordWord.Code(word) != RecordCode.Large || EntryWord.Location(core.Table.ReadAny(RecordWord.Slot(word))) != location)
        {
            return true;
        }

        bool isGood = TryReadRun(location, word, out LargeDescriptor run) && IsRunGood(run);
        runBytes += isGood ? LargeRuns.RunBytes(run.PayloadBytes) : 0;
        return isGood;
    }

    /// <summary>A part of a segment.</summary>
    /// <param name="Sequence">The sequence it had.</param>
    /// <param name="Bytes">How far it goes.</param>
    private readonly record struct Stretch(long Sequence, int Bytes);
}
