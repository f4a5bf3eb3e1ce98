// Places where the suite kills a process that has a pile of files open: the moments between two steps whose order matters.
// They are named for what has just happened. Fault.Stop marks them; in the shipped assembly nothing passes them.
namespace Pile.Primitives;

/// <summary>A place in the engine.</summary>
internal enum StopPoint
{
    /// <summary>A payload stands in its segment, its header does not.</summary>
    PayloadWritten,

    /// <summary>The record of a new object is whole, no entry refers to it.</summary>
    HeaderWritten,

    /// <summary>The entry of a new object refers to it, nothing is counted.</summary>
    EntryWritten,

    /// <summary>The record of an update is whole, the entry refers to the one before.</summary>
    UpdateAppended,

    /// <summary>The entry refers to the update, nothing is counted.</summary>
    UpdateSwung,

    /// <summary>A tombstone is whole, the entry still refers to the object.</summary>
    TombstoneAppended,

    /// <summary>The entry refers to the tombstone, nothing is counted.</summary>
    TombstoneSwung,

    /// <summary>The cleaner has copied a record, the entry refers to the one before.</summary>
    CopyAppended,

    /// <summary>The cleaner has moved what lives out of its victims, which are not retired.</summary>
    VictimsMoved,

    /// <summary>Victims are retired and wait for reuse.</summary>
    SegmentRetired,

    /// <summary>A segment is free.</summary>
    SegmentFreed,

    /// <summary>The row of a recycled segment says its new sequence, its header does not.</summary>
    SegmentRowStored,

    /// <summary>A segment is filled to its end, its row says open.</summary>
    SegmentFilled,

    /// <summary>A free segment's space is given back, the pool does not know.</summary>
    SegmentPunched,

    /// <summary>A large payload stands in its run, no record says so.</summary>
    RunWritten,

    /// <summary>The space of a free run is given back.</summary>
    RunPunched,

    /// <summary>A flush has listed the lengths, nothing is synced.</summary>
    FlushListed,

    /// <summary>A flush has synced everything, nobody knows.</summary>
    FlushSynced,

    /// <summary>One slot of meta is written, the other is of before.</summary>
    MetaFirst,

    /// <summary>An extent's file exists, meta does not count it.</summary>
    ExtentCreated,

    /// <summary>The table's file has more space, no slot of it is issued.</summary>
    TableAllocated,

    /// <summary>A checkpoint is whole and durable, meta names the one before.</summary>
    CheckpointWritten,

    /// <summary>Meta names a checkpoint, the one before is still there.</summary>
    CheckpointCounts,

    /// <summary>A recovery has its table's file, nothing in it.</summary>
    RecoveryTable,

    /// <summary>A recovery has its table, no segment is cut.</summary>
    RecoveryBuilt,

    /// <summary>A recovery has cut the segments, meta does not say so.</summary>
    RecoveryCut,

    /// <summary>A recovery is in meta, older tables are still there.</summary>
    RecoverySettled,

    /// <summary>A close has synced everything, meta does not say clean.</summary>
    CloseSynced,

    /// <summary>The record of a cache's entry is whole, its chain is not locked.</summary>
    CacheAppended,

    /// <summary>A chain of a cache's index is locked, nothing in it is changed.</summary>
    CacheLocked,

    /// <summary>A cell leads to an entry, the chain is still locked.</summary>
    CacheCellStored,

    /// <summary>A cell is emptied, the chain is still locked.</summary>
    CacheCellEmptied,

    /// <summary>A chain has one bucket more, its lock is held.</summary>
    CacheBucketLinked,

    /// <summary>Cells of a bucket that is split or merged are on their way to the other one.</summary>
    CacheCellsTaken,

    /// <summary>They have arrived, the count of buckets is as before.</summary>
    CacheCellsPlaced,

    /// <summary>The count of buckets is as it will be, both chains are still locked.</summary>
    CacheHomesShown,

    /// <summary>The cleaner has led a cell to a copy, the chain is still locked.</summary>
    CacheCellMoved,

    /// <summary>An entry that slides was seen to have ended, its chain is locked and nothing in it is changed.</summary>
    CacheEndSeen,

    /// <summary>A table's file says that it was dropped, its entries are there.</summary>
    CacheTableDropped,

    /// <summary>The file of a new index is there, nobody has the table.</summary>
    CacheIndexCreated,

    /// <summary>An open has removed what the close before had noted.</summary>
    CacheFactsTaken,

    /// <summary>An open has taken its tables, their records are in no count.</summary>
    CacheTablesTaken,

    /// <summary>A close has made an index durable, and noted nothing.</summary>
    CacheIndexSynced,

    /// <summary>A new list of durable tables is written, and the one before holds.</summary>
    CacheListWritten,

    /// <summary>It has the name that counts, which is not durable yet.</summary>
    CacheListRenamed,

    /// <summary>A durable table was cleared, its entries are there.</summary>
    CacheEraBegun,

    /// <summary>A durable entry's cell is there, its record is not.</summary>
    CacheSlotPlaced,

    /// <summary>A durable entry is there or gone, the chain is still locked.</summary>
    CacheSlotSwung,

    /// <summary>An open has built the indexes of durable tables, and deleted nothing.</summary>
    CacheSlotsTaken,
}
