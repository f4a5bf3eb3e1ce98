// One row of the extent map: how 64 MiB of flat space are cut into segments.
// Only writers and the cleaner look here; a reader's location is an address but for one addition.
using System.Runtime.InteropServices;

namespace Pile.Memory;

/// <summary>A row of the extent map, 16 bytes, four to a cache line.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct ExtentRow
{
    /// <summary>1 once the extent is in use, 0 before.</summary>
    internal int IsMapped;

    /// <summary>The extent's own first row: one of large objects may have several.</summary>
    internal int FirstRow;

    /// <summary>Index of the extent's first segment.</summary>
    internal int FirstSegment;

    /// <summary>log2 of the segment size in words.</summary>
    internal int SegmentShiftWords;
}
