// The life of a segment: Absent -> Free -> Open -> Sealed -> Retired -> Free or Absent; Quarantined is final.
// Victims of a running pass are still Sealed; the cleaner role alone knows them.
namespace Pile.Segments;

/// <summary>State of a segment. Changed under the pool's lock, or by the one that holds the segment in that state.</summary>
internal enum SegmentState
{
    /// <summary>Address space only; nothing resident.</summary>
    Absent,

    /// <summary>Resident (or counted so) and empty.</summary>
    Free,

    /// <summary>A writer or the cleaner appends to it.</summary>
    Open,

    /// <summary>No more appends; the cleaner may take it.</summary>
    Sealed,

    /// <summary>No entry refers to it; waits for the epoch and for pins.</summary>
    Retired,

    /// <summary>Its bytes did not account for its live count; kept for inspection, never reused.</summary>
    Quarantined,
}
