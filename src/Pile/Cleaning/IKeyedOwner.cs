// The owner of records that are found by key instead of by slot: the cache. To the seam of every owner it adds what only a cache
// does, which is to forget records: the cleaner's walk over a segment is where expiry and eviction take place.
// One a pile; all tables of a cache are behind it.
using Pile.Segments;

namespace Pile.Cleaning;

/// <summary>Owner of the records with <see cref="Format.RecordCode.Cache"/>. Thread-safe but where a member says who calls it.</summary>
internal interface IKeyedOwner : IRecordOwner
{
    /// <summary>Bytes of the pile's budget that the owner has taken, for its index and the like.</summary>
    long TakenBytes { get; }

    /// <summary>Records that the owner refers to.</summary>
    long Records { get; }

    /// <summary>Who is told of entries that stand in slots; null where there are none.</summary>
    ISlotOwner? Slots { get; }

    /// <summary>Whether anything could be evicted at all.</summary>
    bool CanEvict { get; }

    /// <summary>Whether eviction that gained nothing so far may still come to records that can go. Asked with the cleaner role.</summary>
    bool IsSearching { get; }

    /// <summary>Whether the last offer was none although records may go: such as are to go before them stand in open segments, or in such as wait for a flush.</summary>
    /// <remarks>Set to false by anyone, it has the next offer be of such records all the same.</remarks>
    bool IsHeldBack { get; set; }

    /// <summary>Decides about a record. Called by the holder of the cleaner role.</summary>
    /// <param name="recordWord">Word 0 of the record.</param>
    /// <param name="location">Where it stands.</param>
    /// <param name="segment">Its segment.</param>
    /// <param name="isEvicting">Whether records may be forgotten that are still good.</param>
    RecordFate Judge(ulong recordWord, long location, Segment segment, bool isEvicting);

    /// <summary>Offers the segment, or the segments, to evict from next. Called by the holder of the cleaner role.</summary>
    /// <param name="victims">Where to.</param>
    /// <param name="roomBytes">Room for survivors.</param>
    void OfferEvictions(Victims victims, long roomBytes);

    /// <summary>Whether records that may be evicted may stand in a segment. Called by anyone.</summary>
    bool MayEvictFrom(Segment segment);

    /// <summary>Notes that a record was moved into a segment, where its owner finds it by now. Called by the holder of the cleaner role.</summary>
    void NoteCopied(Segment segment, long location);

    /// <summary>Does what evictions have left to do. Called without any lock.</summary>
    void Settle();

    /// <summary>Removes what has ended and only its owner can remove, before a call is answered Full. Called without any lock.</summary>
    /// <returns>True when something was removed.</returns>
    bool TryExpire();

    /// <summary>Forgets records that lead to large objects, the least worthy ones, before a call is answered Full. Called without any lock.</summary>
    /// <param name="bytes">How many bytes of such objects are to go.</param>
    /// <param name="onlyLowest">Whether only such as the last offer was held back for are meant (<see cref="IsHeldBack"/>).</param>
    /// <returns>True when any went.</returns>
    bool TryEvictLarge(long bytes, bool onlyLowest);

    /// <summary>One step of background work. Called by the keeper, without any lock.</summary>
    /// <returns>True when nothing is due soon.</returns>
    bool Tick();

    /// <summary>Forgets all records; their bytes are the caller's to count. The caller holds all writers and the cleaner role.</summary>
    void ForgetAll();

    /// <summary>Makes what the owner keeps in files durable, when the pile is closed in order: all segments are sealed and synced, nobody is
    /// inside any more, and everything is still mapped.</summary>
    void Close();

    /// <summary>Frees the owner's memory, when nobody is inside the pile any more.</summary>
    void Unmap();
}
