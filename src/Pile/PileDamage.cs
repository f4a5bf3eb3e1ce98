// The names of broken invariants, each of which Verify can find.
// A name says what is inconsistent, not why: the finding beside it says where, with the expected and the actual value.
namespace Pile;

/// <summary>A broken invariant.</summary>
public enum PileDamage
{
    /// <summary>A live entry's location lies in no segment.</summary>
    EntryOutsideSegments,

    /// <summary>A live entry points into a segment that holds no records.</summary>
    EntryIntoUnusedSegment,

    /// <summary>A live entry points beyond what is written in its segment.</summary>
    EntryBeyondWritten,

    /// <summary>The record that a live entry points to belongs to another slot.</summary>
    EntrySlotMismatch,

    /// <summary>A live entry points into the middle of records.</summary>
    EntryNotAtRecord,

    /// <summary>An entry's generation is 0, or not one that its record allows.</summary>
    EntryGenerationInvalid,

    /// <summary>A record's code is none that a pile writes.</summary>
    RecordCodeInvalid,

    /// <summary>A record ends beyond what is written in its segment.</summary>
    RecordOverrun,

    /// <summary>A segment's written and dead bytes do not leave what lives in it.</summary>
    SegmentLiveBytes,

    /// <summary>A segment was taken out of use by the cleaner.</summary>
    SegmentQuarantined,

    /// <summary>The pile's count of live bytes is not the sum over its segments.</summary>
    LiveBytes,

    /// <summary>The pile's count of objects is not the number of live entries.</summary>
    ObjectCount,

    /// <summary>A live slot is also in the pool of free slots.</summary>
    LiveSlotPooled,

    /// <summary>The pool's counts disagree with its bitmap.</summary>
    SlotPoolCount,

    /// <summary>Slots issued are not those live, free and retired together.</summary>
    SlotsLost,

    /// <summary>A large object's descriptor is not possible.</summary>
    LargeDescriptorInvalid,

    /// <summary>The runs in use are not those that descriptors refer to.</summary>
    LargeRunBytes,

    /// <summary>The bytes counted against the limit are not the sum of their parts.</summary>
    UsedBytes,

    /// <summary>The pool's counts of segments disagree with the segments' states.</summary>
    SegmentPoolCount,

    /// <summary>The background thread ended by a failure.</summary>
    KeeperFailed,

    /// <summary>A record's header does not agree with its check: it is damaged, or not a record.</summary>
    RecordCheckInvalid,

    /// <summary>A stored payload does not agree with its checksum.</summary>
    PayloadChecksumInvalid,
}
