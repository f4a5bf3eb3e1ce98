// Sequence numbers of segments: each segment that is opened gets the next one, and none is ever used again. A pile in files draws only
// those that its meta has granted, so that a number outlives the process that drew it.
using System;
using System.Threading;

namespace Pile.Segments;

/// <summary>Draws sequence numbers. Reading is thread-safe; the pool draws and restores under its lock.</summary>
internal sealed class SegmentSequences
{
    private long _last;
    private long _max = long.MaxValue;
    private long _uncounted;

    /// <summary>The last sequence number drawn.</summary>
    internal long Last => Volatile.Read(ref _last);

    /// <summary>Segments of up to this sequence are not counted yet, and not to be cleaned.</summary>
    internal long Uncounted
    {
        get => Volatile.Read(ref _uncounted);
        set => Volatile.Write(ref _uncounted, value);
    }

    /// <summary>What to call for more: given the last one allowed, it makes a greater one durable and returns it, or the same when the
    /// files failed. Memory piles never run out.</summary>
    internal Func<long, long> Extend { get; set; } = static _ => long.MaxValue;

    /// <summary>Goes on behind the last number that may have been drawn, up to the last that may be without asking.</summary>
    internal void Restore(long last, long max)
    {
        Volatile.Write(ref _last, last);
        _max = max;
    }

    /// <summary>Draws the next one; false when the files failed.</summary>
    internal bool TryDraw()
    {
        if (_last >= _max)
        {
            _max = Extend(_max);
        }

        bool drawn = _last < _max;
        Volatile.Write(ref _last, _last + (drawn ? 1 : 0));
        return drawn;
    }
}
