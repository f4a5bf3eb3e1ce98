// The life of a segment as its users see it: absent, free, open, sealed, retired, and again; quarantined is the end.
// The numbers are those of Segments/SegmentState, of which this is the public face.
namespace Pile;

/// <summary>State of a segment.</summary>
public enum PileSegmentState
{
    /// <summary>Address space only.</summary>
    Absent = 0,

    /// <summary>Held ready, and empty.</summary>
    Free = 1,

    /// <summary>Being written.</summary>
    Open = 2,

    /// <summary>Complete.</summary>
    Sealed = 3,

    /// <summary>Nothing lives in it; waits for readers, pins or a flush before it is used again.</summary>
    Retired = 4,

    /// <summary>Taken out of use: its bytes are not what they should be.</summary>
    Quarantined = 5,
}
