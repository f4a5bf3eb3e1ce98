// Chooses the segments of a pass: emptiest first, weighted by age as in log-structured file systems
// (Rosenblum and Ousterhout, 1992): (1 - u) * age / (1 + u). Deviation: only what fits the cleaner's room is chosen.
using System;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Cleaning;

/// <summary>The victims of one pass, best first. Reused from pass to pass; belongs to the cleaner role.</summary>
internal sealed class Victims
{
    private readonly Segment?[] _segments = new Segment?[RoomLimits.CleanerVictimsMax];
    private readonly double[] _scores = new double[RoomLimits.CleanerVictimsMax];
    private readonly int[] _live = new int[RoomLimits.CleanerVictimsMax];

    /// <summary>How many were chosen.</summary>
    internal int Count { get; private set; }

    /// <summary>Bytes that the pass would gain.</summary>
    internal long GainBytes { get; private set; }

    /// <summary>A victim.</summary>
    internal Segment this[int index] => _segments[index]!;

    /// <summary>Considers a sealed segment.</summary>
    /// <param name="segment">The segment.</param>
    /// <param name="liveBytes">Its live bytes now.</param>
    /// <param name="age">Segments opened since it was.</param>
    internal void Offer(Segment segment, int liveBytes, long age)
    {
        double utilisation = liveBytes / (double)segment.FillableBytes;
        double score = (1 - utilisation) * (age + 1) / (1 + utilisation);
        if (liveBytes == 0)
        {
            score = double.MaxValue;
        }

        int place = Count;
        while (place > 0 && _scores[place - 1] < score)
        {
            place--;
        }

        if (place == _segments.Length)
        {
            return;
        }

        int last = int.Min(Count, _segments.Length - 1);
        Array.Copy(_segments, place, _segments, place + 1, last - place);
        Array.Copy(_scores, place, _scores, place + 1, last - place);
        Array.Copy(_live, place, _live, place + 1, last - place);
        _segments[place] = segment;
        _scores[place] = score;
        _live[place] = liveBytes;
        Count = last + 1;
    }

    /// <summary>Adds a segment behind those that are there, whatever its score.</summary>
    /// <returns>False when the pass can take no more.</returns>
    internal bool TryAppend(Segment segment, int liveBytes)
    {
        if (Count == _segments.Length)
        {
            return false;
        }

        _segments[Count] = segment;
        _live[Count++] = liveBytes;
        return true;
    }

    /// <summary>Keeps the best that fit into <paramref name="roomBytes"/> and together gain no more than is wanted.</summary>
    internal void Fit(long roomBytes, long wantedBytes)
    {
        long live = 0;
        GainBytes = 0;
        int kept = 0;
        for (int index = 0; index < Count; index++)
        {
            if (live + _live[index] > roomBytes || (kept > 0 && GainBytes >= wantedBytes))
            {
                continue;
            }

            live += _live[index];
            GainBytes += _segments[index]!.Bytes - _live[index];
            (_segments[kept], _live[kept]) = (_segments[index], _live[index]);
            kept++;
        }

        Array.Clear(_segments, kept, Count - kept);
        Count = kept;
    }

    /// <summary>Live bytes of a victim when it was chosen.</summary>
    internal int LiveBytes(int index) => _live[index];

    /// <summary>Puts a victim at a lower place, for the moved ones to stand together.</summary>
    internal void Keep(int place, int index) => (_segments[place], _live[place]) = (_segments[index], _live[index]);

    /// <summary>Forgets all.</summary>
    internal void Clear()
    {
        Array.Clear(_segments);
        Count = 0;
        GainBytes = 0;
    }
}
