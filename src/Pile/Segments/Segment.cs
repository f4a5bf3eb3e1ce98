// A contiguous part of an extent: the unit of writing, cleaning and reuse.
// Live bytes are not stored here: liveBytes == writtenBytes - sum over writers of their dead bytes (DeadBytes).
using System.Threading;
using Pile.Format;
using Pile.Memory;

namespace Pile.Segments;

/// <summary>One segment's descriptor; the bytes lie in the extent.</summary>
internal sealed class Segment(int index, long location, int bytes, in Region region, long regionOffset, SegmentRowCell row)
{
    private readonly SegmentRowCell _row = row;
    private int _state;
    private int _writtenBytes;
    private int _pins;

    // Whether its header says where it ends, since a recovery. Written by who changes the state.
    private bool _isCut;

    /// <summary>Index in the directory.</summary>
    internal int Index { get; } = index;

    /// <summary>First location.</summary>
    internal long Location { get; } = location;

    /// <summary>Length.</summary>
    internal int Bytes { get; } = bytes;

    /// <summary>The region that holds it.</summary>
    internal Region Region { get; } = region;

    /// <summary>Offset within <see cref="Region"/>.</summary>
    internal long RegionOffset { get; } = regionOffset;

    /// <summary>Whether it has its space although it is Absent, because it shares what goes back together (<see cref="SpaceBlocks"/>). Under the pool's lock, or by who alone has the segment.</summary>
    internal bool KeepsSpace { get; set; }

    /// <summary>Number drawn when the segment was last opened; grows through the pile's life and so tells age.</summary>
    internal long Sequence { get; set; }

    /// <summary>State; release on write, acquire on read, so that Sealed brings WrittenBytes. In a pile of files the segment's
    /// row says it as well, with the sequence that the segment has then.</summary>
    internal SegmentState State
    {
        get => (SegmentState)Volatile.Read(ref _state);
        set
        {
            _isCut &= value != SegmentState.Open;
            Volatile.Write(ref _state, (int)value);
            _row.Store(Sequence, value, _isCut);
        }
    }

    /// <summary>Sets what a row says of a segment that was opened again, without writing the row.</summary>
    internal void Restore(long sequence, SegmentState state, bool isCut = false)
    {
        Sequence = sequence;
        _isCut = isCut;
        Volatile.Write(ref _state, (int)state);
    }

    /// <summary>Seals the segment where a recovery cut it; its header says where that is.</summary>
    internal void SealCut()
    {
        _isCut = true;
        Volatile.Write(ref _state, (int)SegmentState.Sealed);
        _row.Store(Sequence, SegmentRowState.Cut);
    }

    /// <summary>Says in its row what the segment is to be for the next process; for this one it stays what it is.</summary>
    internal void StoreRow(long sequence, SegmentRowState state) => _row.Store(sequence, state);

    /// <summary>Has the stretch from <paramref name="from"/> to before <paramref name="to"/> brought ahead of who is about to walk it. Any thread; a wish.</summary>
    internal void ReadAhead(int from, int to)
    {
        if (to > from)
        {
            _row.ReadAhead(RegionOffset + from, to - from);
        }
    }

    /// <summary>Bytes appended since it was opened, exact once sealed.</summary>
    internal int WrittenBytes
    {
        get => Volatile.Read(ref _writtenBytes);
        set => Volatile.Write(ref _writtenBytes, value);
    }

    /// <summary>Bytes at its end in which the record behind found no room. Copies of its records leave about as many: nothing that cleaning could gain.
    /// Written while it is open, or while nobody else has it; 0 after an open, which does not know it.</summary>
    internal int UnfitBytes { get; set; }

    /// <summary>Bytes that records could fill.</summary>
    internal int FillableBytes => Bytes - UnfitBytes;

    /// <summary>Whether it was opened for what survived cleaning, and not for a writer. Written while nobody else has the segment.</summary>
    internal bool HoldsSurvivors { get; set; }

    /// <summary>Whether its writer has come near its end, and wants another soon. Written by the holder of its writer, or while nobody else has the segment.</summary>
    internal bool IsEnding { get; set; }

    /// <summary>Bytes from the beginning that may be stored into at no extra cost; all, but in a file where the segment has just got its space.
    /// Written while nobody else has the segment, or by the holder of its writer.</summary>
    internal int FilledBytes { get; set; } = bytes;

    /// <summary>The flush that must have completed before the segment may be cleaned, so that nothing is copied that is less durable
    /// than its copy; 0 for none.</summary>
    internal long NeededFlush { get; set; }

    /// <summary>Where a live record was found whose payload is not what was written, and the sequence that the segment had then; default for none. Belongs to
    /// the cleaner role.</summary>
    internal (long Sequence, long Location) Damage { get; set; }

    /// <summary>Pins held on it. Taken only inside an epoch in which an entry still referred to the segment.</summary>
    internal int Pins => Volatile.Read(ref _pins);

    /// <summary>Adds a pin. Any thread, inside an epoch; the reclaimer reads the count after that epoch has passed.</summary>
    internal void Pin() => Interlocked.Increment(ref _pins);

    /// <summary>Removes a pin. Any thread; release, so that the holder's reads come first.</summary>
    internal void Unpin() => Interlocked.Decrement(ref _pins);
}
