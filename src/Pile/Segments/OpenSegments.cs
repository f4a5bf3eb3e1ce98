// The segments that are open, those sealed since the last flush asked, and the numbers drawn for them. By its own lock, so that who lists what is open and
// the last number sees both of one moment: every other segment of a number up to that is sealed.
// Which segment is opened, and from what, is SegmentPool's business.
using System.Collections.Generic;
using System.Threading;
using Pile.Primitives;

namespace Pile.Segments;

/// <summary>Open and lately sealed segments of a pile. Thread-safe.</summary>
internal sealed class OpenSegments
{
    private readonly Lock _gate = new();
    private readonly List<Segment> _open = [];
    private readonly List<Segment> _sealed = [];
    private long _takes;
    private long _unfitBytes;

    /// <summary>The numbers of segments that are opened.</summary>
    internal SegmentSequences Sequences { get; } = new();

    /// <summary>Segments opened so far: tells the background thread whether anything is being written.</summary>
    internal long Takes => Volatile.Read(ref _takes);

    /// <summary>Whether <see cref="TakeSealed"/> will be called. Set before the first segment is opened.</summary>
    internal bool NotesSealed { get; set; }

    /// <summary>Open segments whose writers come near their ends.</summary>
    internal int CountEnding()
    {
        using (_gate.EnterAnyhow())
        {
            int ends = 0;
            foreach (Segment open in _open)
            {
                ends += open.IsEnding ? 1 : 0;
            }

            return ends;
        }
    }

    /// <summary>Opens a segment that is nobody else's.</summary>
    /// <returns>False when no number can be drawn, because the files failed; nothing was changed.</returns>
    internal bool TryOpen(Segment segment)
    {
        using (_gate.EnterAnyhow())
        {
            // Now, because it may throw: nothing may once a number is drawn, nor when the segment is sealed.
            _ = _open.EnsureCapacity(_open.Count + 1);
            _ = _sealed.EnsureCapacity(NotesSealed ? _sealed.Count + _open.Count + 1 : 0);
            if (!Sequences.TryDraw())
            {
                return false;
            }

            segment.WrittenBytes = 0;
            segment.HoldsSurvivors = false;
            segment.IsEnding = false;
            segment.Sequence = Sequences.Last;
            segment.State = SegmentState.Open;
            _open.Add(segment);
            Volatile.Write(ref _takes, _takes + 1);
            return true;
        }
    }

    /// <summary>Opens a sealed segment again, as it is: for a planted fault.</summary>
    internal void GoOn(Segment segment)
    {
        using (_gate.EnterAnyhow())
        {
            segment.State = SegmentState.Open;
            _open.Add(segment);
        }
    }

    /// <summary>Bytes at the ends of full segments: the sum of their <see cref="Segment.UnfitBytes"/>.</summary>
    internal long UnfitBytes => Interlocked.Read(ref _unfitBytes);

    /// <summary>Notes what is left of a segment that is about to be sealed, where it is less than a record needs. No more than one record leaves at the most: the frame of a
    /// batch leaves more, but is moved record by record, and these fit. Caller: the holder of its writer.</summary>
    internal void NoteRest(Segment segment, long restBytes, int neededBytes)
    {
        if (restBytes < int.Min(neededBytes, Limits.SegmentBytesMin / Limits.LargeObjectFraction))
        {
            segment.UnfitBytes = (int)restBytes;
            _ = Interlocked.Add(ref _unfitBytes, restBytes);
        }
    }

    /// <summary>Notes that a segment is sealed. Caller: the holder of its writer.</summary>
    internal void NoteSealed(Segment segment)
    {
        using (_gate.EnterAnyhow())
        {
            _open.Remove(segment);
            if (NotesSealed)
            {
                _sealed.Add(segment);
            }
        }
    }

    /// <summary>Notes that nothing stands in a segment any more. Caller: whoever alone has it.</summary>
    internal void NoteFreed(Segment segment)
    {
        _ = Interlocked.Add(ref _unfitBytes, -segment.UnfitBytes);
        segment.UnfitBytes = 0;
    }

    /// <summary>The segments that are open, and the last sequence number drawn: every other segment of a sequence up to that is
    /// sealed, and so written to its end.</summary>
    internal long ListOpen(List<Segment> open)
    {
        using (_gate.EnterAnyhow())
        {
            open.AddRange(_open);
            return Sequences.Last;
        }
    }

    /// <summary>Adds the segments that were sealed since the last call; none unless <see cref="NotesSealed"/>.</summary>
    internal void TakeSealed(List<Segment> segments)
    {
        using (_gate.EnterAnyhow())
        {
            segments.AddRange(_sealed);
            _sealed.Clear();
        }
    }
}
