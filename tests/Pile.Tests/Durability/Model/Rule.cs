namespace Pile.Tests.Durability.Model;

/// <summary>The rules that can be switched off singly. The letter and number is the rule of docs/DESIGN.md section 6 that it belongs to.</summary>
internal enum Rule
{
    /// <summary>W1: the header is stored before the entry.</summary>
    HeaderBeforeEntry,

    /// <summary>W2: an update draws its version, and publishes, under the slot's stripe.</summary>
    UpdateUnderStripe,

    /// <summary>W4: a tombstone is relocated like any record.</summary>
    TombstonesRelocated,

    /// <summary>W5: a freed slot is reissued only after a flush that started after its tombstone.</summary>
    ReissueAfterFlush,

    /// <summary>W5: a kill does not end that waiting.</summary>
    ReissueWaitsOverKill,

    /// <summary>W5: a slot that was freed before the count after an open came to it waits as well.</summary>
    CountedSlotsWait,

    /// <summary>C1: a flush syncs before it acknowledges.</summary>
    SyncBeforeAcknowledge,

    /// <summary>C1: a flush syncs the directory too.</summary>
    FlushSyncsDirectory,

    /// <summary>C1: a marker proves the flush before, not its own.</summary>
    MarkerProvesFlushBefore,

    /// <summary>C1: the lengths that a flush reads count whole records only.</summary>
    LengthsCountWholeRecords,

    /// <summary>C1: a segment is listed from the moment that its sequence is drawn.</summary>
    DrawnSegmentsListed,

    /// <summary>C1: the first flush of an open that found the pile closed in order proves what the close had synced.</summary>
    FirstFlushProvesClose,

    /// <summary>C1: no other open begins with a proof: what it found need not be durable.</summary>
    OnlyClosesProve,

    /// <summary>C2: what a failed sync left is dirtied anew and flushed by the next open.</summary>
    FailedPagesRewritten,

    /// <summary>C2: and synced before the open after a failed sync returns.</summary>
    FailedPagesSynced,

    /// <summary>C2: the open after a failed sync counts as a recovery from a cut.</summary>
    FailedSyncCounts,

    /// <summary>C3: the log position covers only records whose entry is swung.</summary>
    PositionCoversPublished,

    /// <summary>C3: the log is flushed before the checkpoint counts.</summary>
    CheckpointAfterLog,

    /// <summary>R5: an entry of a checkpoint counts only if its segment has the same sequence now.</summary>
    CheckpointComparesSequence,

    /// <summary>R5: an open that takes a record of a retired segment beside its checkpoint forgets the checkpoint.</summary>
    CheckpointForgottenBeside,

    /// <summary>R5: so does an open that crawls without it.</summary>
    CheckpointForgottenByCrawl,

    /// <summary>C4: Clear's flip of meta is durable before anything is reused or acknowledged.</summary>
    ClearDurable,

    /// <summary>C4: Clear leaves floors of generations.</summary>
    ClearKeepsFloors,

    /// <summary>C4: the table is not trusted from before the flip until it is empty.</summary>
    ClearUntrustsTable,

    /// <summary>C4: an open makes the meta that it found durable before it builds upon it.</summary>
    MetaSyncedAtOpen,

    /// <summary>S1: a victim is flushed.</summary>
    VictimsFlushed,

    /// <summary>S1: flushed by this process, not believed so of an earlier one that was killed.</summary>
    VictimsFlushedOverKill,

    /// <summary>S1: "retired" is stored before the flush that reuse waits for.</summary>
    RetiredRowBeforeFlush,

    /// <summary>S1: a retired segment counts until it is overwritten: its row may reach the disk before the copies do.</summary>
    RetiredCountsWhileWhole,

    /// <summary>S1: a retired segment that holds a current record when the log is read is sealed again.</summary>
    RetiredTakenBack,

    /// <summary>S1: a segment is retired only when no entry refers to it.</summary>
    RetiredUnreferenced,

    /// <summary>S1: the cleaner swings an entry only if it still refers to the original.</summary>
    SwingByCompare,

    /// <summary>S1: a copy keeps the version of its original.</summary>
    CopyKeepsVersion,

    /// <summary>S2: a retired segment is reused only after a flush that started after its retirement.</summary>
    ReuseAfterFlush,

    /// <summary>S2: a kill does not end that waiting.</summary>
    ReuseWaitsOverKill,

    /// <summary>S3: the new sequence is stored before the first byte is overwritten.</summary>
    SequenceBeforeBytes,

    /// <summary>S3: sequence numbers never repeat.</summary>
    SequencesNeverRepeat,

    /// <summary>B2: a batch holds the stripes of its members.</summary>
    BatchHoldsStripes,

    /// <summary>B3: an invalid frame counts for nothing.</summary>
    FramesCountWhole,

    /// <summary>R1: the boot is noted only together with the recovery count.</summary>
    BootNotedWithCount,

    /// <summary>R2: "not clean" is durable before the first store.</summary>
    NotCleanDurable,

    /// <summary>R2: "table trusted" is set last.</summary>
    TrustedLast,

    /// <summary>R3: the last record or frame of each open segment is rolled forward.</summary>
    RollsForward,

    /// <summary>R3: only what is newer than the entry is rolled forward.</summary>
    RollForwardCompares,

    /// <summary>R3: a segment is rolled forward before it is sealed.</summary>
    RollForwardBeforeSeal,

    /// <summary>R4: the payload's CRC is compared.</summary>
    PayloadCrcCompared,

    /// <summary>R4: a tombstone is newer than every version of its generation.</summary>
    TombstoneBeatsVersions,

    /// <summary>R7: nothing is appended to a segment of before the open.</summary>
    NothingAppendedToOld,

    /// <summary>R7: where a segment was cut is stored.</summary>
    CutsStored,

    /// <summary>R7: after a cut the first flush syncs what the recovery has stored, as well as what was stored since.</summary>
    FirstFlushCoversRecovery,

    /// <summary>R7: after a kill the first flush syncs what the process before has stored.</summary>
    FirstFlushCoversKilled,

    /// <summary>R7: the recovery count is durable before the first write.</summary>
    CountDurable,

    /// <summary>R8: the recovery count is added to generations.</summary>
    CountAdded,

    /// <summary>W1, spare: the payload is stored before the header. The CRC alone keeps half a record out.</summary>
    PayloadBeforeHeader,

    /// <summary>S2, spare: no segment is reused while a checkpoint is made. That sequences are compared is enough.</summary>
    CheckpointHoldsSegments,

    /// <summary>S3, spare: the sequence in the segment's own header is compared. The row alone is enough.</summary>
    SegmentHeaderCompared,

    /// <summary>R7, spare: what a recovery from a cut found to be free waits for the first flush, as after a kill. It was read from the disk.</summary>
    FreedWaitsOverCut,
}
