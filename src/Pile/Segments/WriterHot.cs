// The part of a writer that every append touches, with a cache line of distance to every neighbour on both sides.
// Apart from the writer because the runtime allows no explicit layout inside a generic type.
using System.Runtime.InteropServices;
using System.Threading;
using Pile.Primitives;

namespace Pile.Segments;

/// <summary>What every append touches, with a cache line of distance to every neighbour.</summary>
[StructLayout(LayoutKind.Explicit, Size = 256)]
internal struct WriterHot
{
    /// <summary>0: free. 1: locked. Else the place of the line whose thread may append without a lock.</summary>
    [FieldOffset(64)]
    internal long Owner;

    [FieldOffset(72)]
    internal long Tail;

    [FieldOffset(80)]
    internal long End;

    [FieldOffset(88)]
    internal long Start;

    [FieldOffset(96)]
    internal long ObjectsDelta;

    /// <summary>Whether the present holder came by the lock. Holder only.</summary>
    [FieldOffset(104)]
    internal bool IsLocked;

    /// <summary>Locks in a row by <see cref="LastLine"/>. Holder only.</summary>
    [FieldOffset(108)]
    internal int Streak;

    /// <summary>Locks in a row after which the writer becomes that line's own. Holder only.</summary>
    [FieldOffset(112)]
    internal int StreakToOwn;

    [FieldOffset(120)]
    internal long LastLine;

    /// <summary>Bytes appended to segments that are sealed.</summary>
    [FieldOffset(128)]
    internal long SealedBytes;

    /// <summary>Twice the seals, and one more within a seal.</summary>
    [FieldOffset(136)]
    private int _seals;

    /// <summary>Bytes of records ever appended. Any thread; waits while the holder seals.</summary>
    internal long AppendedBytes
    {
        get
        {
            SpinWait spin = default;
            while (true)
            {
                int seals = Volatile.Read(ref _seals);

                // A segment is opened by two stores, Tail and then Start; a difference that no segment has is the moment between them.
                long words = Volatile.Read(ref Tail) - Volatile.Read(ref Start);
                long bytes = Volatile.Read(ref SealedBytes) + ((ulong)words <= Limits.SegmentBytesMax / Limits.WordBytes ? words * Limits.WordBytes : 0);
                if (seals % 2 == 0 && Volatile.Read(ref _seals) == seals)
                {
                    return bytes;
                }

                spin.SpinAnyhow();
            }
        }
    }

    /// <summary>Counts the bytes of the open segment as sealed. Holder only.</summary>
    internal void Seal()
    {
        // Odd while they are counted in both places or neither (Lamport, "Concurrent reading and writing", 1977): who read a sum of such a
        // moment could take it for that of the last flush, and have nothing to flush.
        _seals++;
        Volatile.Write(ref SealedBytes, SealedBytes + ((Tail - Start) * Limits.WordBytes));
        Volatile.Write(ref End, 0);
        Volatile.Write(ref Tail, 0);
        Volatile.Write(ref Start, 0);
        Volatile.Write(ref _seals, _seals + 1);
    }
}
