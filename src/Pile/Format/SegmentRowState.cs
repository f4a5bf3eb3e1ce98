// What a segment of a mapped pile is to a later open. Four bits in its row; the numbers are part of the format.
// Finer states (reserved, free and ready) are the running process's business: SegmentState.
namespace Pile.Format;

/// <summary>Stored state of a segment.</summary>
internal enum SegmentRowState : byte
{
    /// <summary>Never used, or free again; the whole row is zero.</summary>
    Absent = 0,

    /// <summary>Written to; how far, its records tell.</summary>
    Open = 1,

    /// <summary>Complete.</summary>
    Sealed = 2,

    /// <summary>Its records are old: all that lived has been copied out.</summary>
    Retired = 3,

    /// <summary>Taken out of use because of damage.</summary>
    Quarantined = 4,

    /// <summary>Complete as far as its header says: a recovery cut it behind its last good record.</summary>
    Cut = 5,

    /// <summary><see cref="Retired"/>, and complete as far as its header says: where that is overwritten, nobody knows any more which of its bytes counted.</summary>
    RetiredCut = 6,
}
