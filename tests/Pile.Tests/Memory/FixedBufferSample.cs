using System;

namespace Pile.Tests.Memory;

/// <summary>A class with a fixed buffer inside of a struct, for the codec's case 83.</summary>
[PileObject]
internal sealed partial class FixedBufferSample
{
    /// <summary>The struct.</summary>
    public Numbers Inner;

    /// <summary>Something behind it.</summary>
    public string? Name;

    // SAFETY: index is held against the length by the span.
    internal unsafe int this[int index]
    {
        get
        {
            fixed (int* first = Inner.Values)
            {
                return new Span<int>(first, Numbers.Length)[index];
            }
        }

        set
        {
            fixed (int* first = Inner.Values)
            {
                new Span<int>(first, Numbers.Length)[index] = value;
            }
        }
    }

    // SAFETY: the buffer is reached through the span of the indexer above only.
    internal unsafe struct Numbers
    {
        internal const int Length = 5;

        internal fixed int Values[Length];

        internal short After;
    }
}
