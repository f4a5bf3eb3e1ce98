// What the files of a pile's directory are, by their names and headers.
// The layouts are docs/FORMAT.md's.
namespace Pile;

/// <summary>What a file in a pile's directory is for.</summary>
public enum PileFileKind
{
    /// <summary>None of the pile's: left alone.</summary>
    Other = 0,

    /// <summary>What must be known before any other file is looked at.</summary>
    Meta = 1,

    /// <summary>Locked while the pile is open.</summary>
    Lock = 2,

    /// <summary>Segments of records.</summary>
    Segments = 3,

    /// <summary>Large objects.</summary>
    LargeObjects = 4,

    /// <summary>The object table, which is derived from the records.</summary>
    Table = 5,

    /// <summary>Checksums of the table, written by a close.</summary>
    TableSums = 6,

    /// <summary>A copy of the table of some moment, for a recovery after a power cut.</summary>
    Checkpoint = 7,

    /// <summary>Generation floors, which a Clear wrote.</summary>
    Floors = 8,

    /// <summary>The index of a cache's table.</summary>
    CacheIndex = 9,

    /// <summary>What a cache knew when it was closed in order.</summary>
    CacheFacts = 10,

    /// <summary>The durable tables of a cache.</summary>
    CacheTables = 11,
}
