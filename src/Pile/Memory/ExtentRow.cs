// One row of the extent map: where 64 MiB of flat space lie, and how they are cut into segments.
using System.Runtime.InteropServices;

namespace Pile.Memory;

/// <summary>A row of the extent map, 16 bytes, four to a cache line.</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct ExtentRow
{
    /// <summary>Address of the extent less its first location in bytes; 0 while nothing is mapped.</summary>
    internal nint BiasedBase;

    /// <summary>Index of the extent's first segment.</summary>
    internal int FirstSegment;

    /// <summary>log2 of the segment size in words.</summary>
    internal int SegmentShiftWords;
}
