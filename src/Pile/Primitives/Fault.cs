// Planted faults: each breaks one rule on purpose, so that the suite can show that it would notice.
// They exist only in the test build (PILE_FAULTS); in the shipped assembly every one is the constant false, and nobody calls Stop.
using System;
using System.Diagnostics;

namespace Pile.Primitives;

/// <summary>Switches of the planted faults, chosen by the environment of the test process.</summary>
internal static class Fault
{
#if PILE_FAULTS
    private static readonly string _planted = Environment.GetEnvironmentVariable("PILE_FAULT") ?? string.Empty;

    /// <summary>The reclaimer skips the process-wide barrier and a reader's store may pass its load.</summary>
    internal static readonly bool NoBarrier = _planted == "NoBarrier";

    /// <summary>The entry is published before the payload is in place.</summary>
    internal static readonly bool EntryBeforePayload = _planted == "EntryBeforePayload";

    /// <summary>A retired segment is reused without waiting for its epoch.</summary>
    internal static readonly bool ReuseEarly = _planted == "ReuseEarly";

    /// <summary>A recycled slot keeps its generation.</summary>
    internal static readonly bool GenerationKept = _planted == "GenerationKept";

    /// <summary>Delete and Update do not count the bytes that died.</summary>
    internal static readonly bool DeadNotCounted = _planted == "DeadNotCounted";

    /// <summary>The cleaner swings entries by a plain store instead of a compare-exchange.</summary>
    internal static readonly bool PlainSwing = _planted == "PlainSwing";

    /// <summary>The cleaner takes pinned segments too.</summary>
    internal static readonly bool PinsIgnored = _planted == "PinsIgnored";

    /// <summary>Clear and Verify take the cleaner role before the writers.</summary>
    internal static readonly bool RoleBeforeWriters = _planted == "RoleBeforeWriters";

    /// <summary>A retired segment of a PowerSafe pile is reused before a flush has covered what was copied out of it.</summary>
    internal static readonly bool ReuseUnflushed = _planted == "ReuseUnflushed";

    /// <summary>Recovery and first touch believe payloads without comparing their checksum.</summary>
    internal static readonly bool CrcNotCompared = _planted == "CrcNotCompared";

    /// <summary>Delete leaves its tombstone to the cleaner at once, so that it is dropped with its segment.</summary>
    internal static readonly bool TombstoneDropped = _planted == "TombstoneDropped";

    /// <summary>A recovery says that its table can be trusted before it has built it.</summary>
    internal static readonly bool TrustedEarly = _planted == "TrustedEarly";

    /// <summary>A recovery rolls nothing forward.</summary>
    internal static readonly bool NotRolledForward = _planted == "NotRolledForward";

    /// <summary>The version of a record is not raised by an update.</summary>
    internal static readonly bool VersionKept = _planted == "VersionKept";

    /// <summary>A flush syncs nothing.</summary>
    internal static readonly bool SyncSkipped = _planted == "SyncSkipped";

    /// <summary>A freed slot is issued again before its tombstone's flush.</summary>
    internal static readonly bool SlotReissuedEarly = _planted == "SlotReissuedEarly";

    /// <summary>A recovery after a power cut is not counted.</summary>
    internal static readonly bool RecoveryNotCounted = _planted == "RecoveryNotCounted";

    /// <summary>An open after a failed sync does not write again what it found.</summary>
    internal static readonly bool NotWrittenAgain = _planted == "NotWrittenAgain";

    /// <summary>A crawl takes a retired segment for empty, whatever stands in it.</summary>
    internal static readonly bool RetiredBelieved = _planted == "RetiredBelieved";

    /// <summary>After a recovery the writer goes on in a segment that was open before, instead of a new one.</summary>
    internal static readonly bool AppendedToOld = _planted == "AppendedToOld";

    /// <summary>A cache's bucket that stands alone is not locked by whoever changes it.</summary>
    internal static readonly bool CacheLockSkipped = _planted == "CacheLockSkipped";

    /// <summary>A cell's tag is taken for the key.</summary>
    internal static readonly bool CacheKeyNotCompared = _planted == "CacheKeyNotCompared";

    /// <summary>A remembered key is taken for an entry.</summary>
    internal static readonly bool GhostTaken = _planted == "GhostTaken";

    /// <summary>A read of a cache looks for the entry, and whether it has ended, before it enters the epoch.</summary>
    internal static readonly bool EndBeforeEpoch = _planted == "EndBeforeEpoch";

    /// <summary>The cleaner swings a cell without looking whether it still leads to what was copied.</summary>
    internal static readonly bool CacheMovedBlindly = _planted == "CacheMovedBlindly";

    /// <summary>A use that was noted in a record while the cleaner copied it is not carried over.</summary>
    internal static readonly bool CacheUseNotCarried = _planted == "CacheUseNotCarried";

    /// <summary>An entry that was seen to have ended is removed without another look once its cell is empty.</summary>
    internal static readonly bool CacheEndNotLookedAgain = _planted == "CacheEndNotLookedAgain";

    /// <summary>An open of a cache believes an index that was in use when the power was cut.</summary>
    internal static readonly bool CacheCutBelieved = _planted == "CacheCutBelieved";

    /// <summary>An open after a kill leaves cells where a split or a merge that did not come to its end has put them.</summary>
    internal static readonly bool CacheHomeForgotten = _planted == "CacheHomeForgotten";

    /// <summary>What a close had noted is left for the open after the next.</summary>
    internal static readonly bool CacheFactsKept = _planted == "CacheFactsKept";

    /// <summary>An open after a kill counts no entries.</summary>
    internal static readonly bool CacheNotCounted = _planted == "CacheNotCounted";

    /// <summary>Each caller of a cache's GetOrAdd calls the factory, whoever else does.</summary>
    internal static readonly bool CacheFlightsNotShared = _planted == "CacheFlightsNotShared";

    /// <summary>What a factory made counts as begun when it is stored: removals by tag meanwhile pass it by.</summary>
    internal static readonly bool CacheStampTakenLate = _planted == "CacheStampTakenLate";

    /// <summary>An open of a cache believes what it finds of removals by tag, though some of them are missing.</summary>
    internal static readonly bool CacheTagsBelieved = _planted == "CacheTagsBelieved";

    /// <summary>An open takes entries of a durable table that were cleared.</summary>
    internal static readonly bool CacheEraForgotten = _planted == "CacheEraForgotten";

    /// <summary>A removal from a durable table empties the cell and leaves the entry's object.</summary>
    internal static readonly bool CacheRemovalForgotten = _planted == "CacheRemovalForgotten";

    /// <summary>Of the entries that lead to one object only the first is counted.</summary>
    internal static readonly bool CacheNamesNotCounted = _planted == "CacheNamesNotCounted";

    /// <summary>An object that entries shared is deleted before a flush has covered the end of the last of them.</summary>
    internal static readonly bool CacheSharedFreedEarly = _planted == "CacheSharedFreedEarly";

    /// <summary>An object that no flush has covered takes the place of a value that one has.</summary>
    internal static readonly bool CacheUnflushedShared = _planted == "CacheUnflushedShared";

    /// <summary>No fault: the program takes itself for one that was compiled whole ahead of time.</summary>
    internal static readonly bool CompiledWhole = _planted == "CompiledWhole";
#else
    internal static bool NoBarrier => false;

    internal static bool EntryBeforePayload => false;

    internal static bool ReuseEarly => false;

    internal static bool GenerationKept => false;

    internal static bool DeadNotCounted => false;

    internal static bool PlainSwing => false;

    internal static bool PinsIgnored => false;

    internal static bool RoleBeforeWriters => false;

    internal static bool ReuseUnflushed => false;

    internal static bool CrcNotCompared => false;

    internal static bool TombstoneDropped => false;

    internal static bool TrustedEarly => false;

    internal static bool NotRolledForward => false;

    internal static bool VersionKept => false;

    internal static bool SyncSkipped => false;

    internal static bool SlotReissuedEarly => false;

    internal static bool RecoveryNotCounted => false;

    internal static bool NotWrittenAgain => false;

    internal static bool RetiredBelieved => false;

    internal static bool AppendedToOld => false;

    internal static bool CacheLockSkipped => false;

    internal static bool CacheKeyNotCompared => false;

    internal static bool GhostTaken => false;

    internal static bool EndBeforeEpoch => false;

    internal static bool CacheMovedBlindly => false;

    internal static bool CacheUseNotCarried => false;

    internal static bool CacheEndNotLookedAgain => false;

    internal static bool CacheCutBelieved => false;

    internal static bool CacheHomeForgotten => false;

    internal static bool CacheFactsKept => false;

    internal static bool CacheNotCounted => false;

    internal static bool CacheFlightsNotShared => false;

    internal static bool CacheStampTakenLate => false;

    internal static bool CacheTagsBelieved => false;

    internal static bool CacheEraForgotten => false;

    internal static bool CacheRemovalForgotten => false;

    internal static bool CacheNamesNotCounted => false;

    internal static bool CacheSharedFreedEarly => false;

    internal static bool CacheUnflushedShared => false;

    internal static bool CompiledWhole => false;
#endif

    /// <summary>What the test build calls at each stop point; null for nothing.</summary>
    internal static Action<StopPoint>? Stopping { get; set; }

    /// <summary>Marks a place where a process may be killed. The call is compiled into the test build only.</summary>
    [Conditional("PILE_FAULTS")]
    internal static void Stop(StopPoint point) => Stopping?.Invoke(point);
}
