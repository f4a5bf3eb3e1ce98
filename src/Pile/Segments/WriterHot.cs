// The part of a writer that every append touches, with a cache line of distance to every neighbour on both sides.
// Apart from the writer because the runtime allows no explicit layout inside a generic type.
using System.Runtime.InteropServices;

namespace Pile.Segments;

/// <summary>What every append touches, with a cache line of distance to every neighbour.</summary>
[StructLayout(LayoutKind.Explicit, Size = 256)]
internal struct WriterHot
{
    /// <summary>0: free. 1: locked. Else the address of the line whose thread may append without a lock.</summary>
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
}
