// The ways in which a directory becomes a usable pile, from the fastest to the slowest.
// Which one was taken, and why, is in the PileRecoveryReport.
namespace Pile;

/// <summary>How a pile was opened.</summary>
public enum PileOpening
{
    /// <summary>It was created.</summary>
    Created = 0,

    /// <summary>It had been closed in order; its table was believed.</summary>
    Clean = 1,

    /// <summary>Its process had ended without closing it, or closed it on a device without room for the checksums of its table, in this boot of
    /// the machine; its table was believed, and the last record of each open segment rolled forward.</summary>
    RolledForward = 2,

    /// <summary>Its table was built anew from all records.</summary>
    Crawled = 3,
}
