// The part of a writer that every append touches, with a cache line of distance to every neighbour on both sides.
// Apart from the writer because the runtime allows no explicit layout inside a generic type.
using System.Runtime.InteropServices;

namespace Pile.Segments;

/// <summary>What every append touches, with a cache line of distance to every neighbour.</summary>
[StructLayout(LayoutKind.Explicit, Size = 256)]
internal struct WriterHot
{
    [FieldOffset(64)]
    internal int Held;

    [FieldOffset(72)]
    internal long Tail;

    [FieldOffset(80)]
    internal long End;

    [FieldOffset(88)]
    internal uint Fresh;

    [FieldOffset(92)]
    internal uint FreshEnd;

    [FieldOffset(96)]
    internal long Start;

    [FieldOffset(104)]
    internal long ObjectsDelta;
}
