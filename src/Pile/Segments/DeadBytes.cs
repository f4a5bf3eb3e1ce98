// One writer's count of bytes that died, per segment. Each writer counts apart, because an atomic addition on a line that
// two cores share costs more than the deletion itself; the cleaner folds the counts when it needs them.
// writtenBytes(segment) - sum over writers of dead(segment) == liveBytes(segment)
using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace Pile.Segments;

/// <summary>Dead bytes by segment. Written by the holder of the writer; read by anyone; reset by the cleaner alone.</summary>
internal sealed class DeadBytes
{
    private const int ChunkShift = 10;
    private const int ChunkSegments = 1 << ChunkShift;
    private int[]?[] _chunks = new int[]?[1];
    private long _totalBytes;

    /// <summary>All bytes ever counted dead here; only grows.</summary>
    internal long TotalBytes => Volatile.Read(ref _totalBytes);

    /// <summary>Counts bytes of a segment as dead. Inside the epoch in which the entry was swung, so that the count is
    /// final once that epoch has passed.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Add(int segment, int bytes)
    {
        int[]?[] chunks = _chunks;
        int chunk = segment >> ChunkShift;
        int[] counts = chunk < chunks.Length && chunks[chunk] is { } present ? present : AddChunk(chunk);
        counts[segment & (ChunkSegments - 1)] += bytes;
        Volatile.Write(ref _totalBytes, _totalBytes + bytes);
    }

    /// <summary>Bytes counted dead in a segment since it was opened; a lower bound while writers are at work.</summary>
    internal int Of(int segment)
    {
        int[]?[] chunks = Volatile.Read(ref _chunks);
        int chunk = segment >> ChunkShift;
        return chunk < chunks.Length && Volatile.Read(ref chunks[chunk]) is { } counts
            ? Volatile.Read(ref counts[segment & (ChunkSegments - 1)])
            : 0;
    }

    /// <summary>Forgets a segment's count. Caller: the cleaner, after the epoch in which the last entry left the segment,
    /// when nobody can count in it any more.</summary>
    internal void Reset(int segment)
    {
        int[]?[] chunks = Volatile.Read(ref _chunks);
        int chunk = segment >> ChunkShift;
        if (chunk < chunks.Length && Volatile.Read(ref chunks[chunk]) is { } counts)
        {
            Volatile.Write(ref counts[segment & (ChunkSegments - 1)], 0);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private int[] AddChunk(int chunk)
    {
        // Writer: the holder. Readers see the old outer array or the new one; both hold the same chunks, which never move.
        int[]?[] chunks = _chunks;
        if (chunk >= chunks.Length)
        {
            Array.Resize(ref chunks, int.Max(chunk + 1, chunks.Length * 2));
            Volatile.Write(ref _chunks, chunks);
        }

        int[] counts = new int[ChunkSegments];
        Volatile.Write(ref chunks[chunk], counts);
        return counts;
    }
}
