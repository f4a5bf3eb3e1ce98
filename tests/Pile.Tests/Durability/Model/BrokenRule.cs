using System.Collections.Generic;

namespace Pile.Tests.Durability.Model;

/// <summary>A rule, a size at which leaving it out shows, and the promise that is broken then.</summary>
internal sealed record BrokenRule(Rule Rule, Promise Promise, Scope Scope)
{
    private static readonly Scope _onePut = new("one put") { Slots = 1, Puts = 1, Flushes = 1, Cuts = 1 };
    private static readonly Scope _twoPuts = new("two puts") { Slots = 1, Puts = 2, Flushes = 1, Kills = 1, Cuts = 2 };
    private static readonly Scope _oneKill =
        new("a put and an update, one kill") { Slots = 1, Writers = 2, Puts = 1, Updates = 2, Kills = 1 };
    private static readonly Scope _reissue = new("a slot issued again") { Slots = 1, Puts = 3, Deletes = 1, Kills = 1, Cuts = 1 };
    private static readonly Scope _reissueTwoCuts = new("a slot issued again, two cuts") { Slots = 1, Segments = 4, Puts = 3, Deletes = 2, Flushes = 1, Cuts = 2 };
    private static readonly Scope _oneKillOneCut = new("a put, a kill and a flush") { Slots = 1, Puts = 1, Flushes = 1, Kills = 1, Cuts = 1 };
    private static readonly Scope _cleaning =
        new("a segment cleaned") { Slots = 1, Places = 1, Puts = 1, Updates = 1, Flushes = 1, Cleans = 1, Kills = 1, Cuts = 1 };
    private static readonly Scope _copying =
        new("a copy and an update") { Slots = 1, SealsEarly = true, IsPowerSafe = false, Puts = 1, Updates = 1, Cleans = 1, Kills = 1 };
    private static readonly Scope _markers =
        new("markers") { Slots = 1, HasMarkers = true, SealsEarly = true, Puts = 1, Updates = 1, Flushes = 2, Cuts = 1 };
    private static readonly Scope _markersAndCleaner =
        new("markers and a cleaner") { Slots = 1, HasMarkers = true, SealsEarly = true, Puts = 1, Updates = 1, Flushes = 3, Cleans = 1, Cuts = 1 };
    private static readonly Scope _markersAndCuts =
        new("markers, two cuts") { Slots = 1, HasMarkers = true, SealsEarly = true, Puts = 2, Updates = 1, Flushes = 2, Cuts = 2 };
    private static readonly Scope _checkpointAndCleaner =
        new("a checkpoint and a cleaner") { Slots = 1, Places = 1, Puts = 1, Updates = 1, Flushes = 2, Cleans = 1, Checkpoints = 1, Cuts = 1 };
    private static readonly Scope _checkpointOfCopies =
        new("a checkpoint of copies") { Slots = 1, Segments = 2, Places = 1, SealsEarly = true, Puts = 1, Flushes = 3, Cleans = 3, Checkpoints = 1, Cuts = 2 };
    private static readonly Scope _batch =
        new("a batch") { Places = 4, Puts = 2, Batches = 1, Flushes = 1, Cleans = 1, Kills = 1, Cuts = 1 };
    private static readonly Scope _clear = new("a Clear") { Slots = 1, Puts = 2, Clears = 1, Flushes = 1, Kills = 1, Cuts = 1 };
    private static readonly Scope _checkpoint =
        new("a checkpoint") { Slots = 1, Puts = 1, Updates = 1, Checkpoints = 1, Kills = 1, Cuts = 1 };
    private static readonly Scope _failedSync =
        new("a failed sync") { Slots = 1, Puts = 2, Flushes = 2, FailedSyncs = 1, Kills = 1, Cuts = 1 };
    private static readonly Scope _damagedAfterClose =
        new("closed, opened, damaged") { HasMarkers = true, Puts = 2, Flushes = 1, Closes = 1, Cuts = 1, Damages = 1 };
    private static readonly Scope _interrupted = new("opens interrupted") { OpensInSmallSteps = true, Puts = 1, Kills = 2 };

    private static readonly Scope _writes = new("writes and a flush") { Puts = 2, Updates = 1, Deletes = 1, Flushes = 1, Kills = 1, Cuts = 1 };
    private static readonly Scope _twoCuts = new("writes and two cuts") { Slots = 1, Puts = 2, Updates = 1, Flushes = 1, Cuts = 2 };
    private static readonly Scope _cleaningTwoCuts =
        new("a segment cleaned, two cuts") { Slots = 1, Places = 1, Puts = 1, Updates = 1, Deletes = 1, Flushes = 2, Cleans = 1, Cuts = 2 };

    /// <summary>Every rule without which a promise is broken.</summary>
    internal static IReadOnlyList<BrokenRule> Needed { get; } =
    [
        new(Rule.HeaderBeforeEntry, Promise.TableTrue, _onePut),
        new(Rule.UpdateUnderStripe, Promise.NothingLost, _oneKill),
        new(Rule.TombstonesRelocated, Promise.NothingRisen,
            new("a tombstone cleaned") { Slots = 1, Places = 1, Puts = 2, Deletes = 1, Flushes = 2, Cleans = 1, Cuts = 1 }),
        new(Rule.ReissueAfterFlush, Promise.PointersUnique, _reissue),
        new(Rule.ReissueWaitsOverKill, Promise.PointersUnique, _reissue),
        new(Rule.CountedSlotsWait, Promise.PointersUnique, new("a slot freed before the count") { Slots = 1, CountsLater = true, Puts = 3, Deletes = 2, Flushes = 1, Closes = 1, Cuts = 1 }),
        new(Rule.SyncBeforeAcknowledge, Promise.NothingLost, _onePut),
        new(Rule.FlushSyncsDirectory, Promise.NothingLost, _onePut),
        new(Rule.MarkerProvesFlushBefore, Promise.NoFalseAlarm, _markers),
        new(Rule.LengthsCountWholeRecords, Promise.NoFalseAlarm, _markers),
        new(Rule.DrawnSegmentsListed, Promise.NoFalseAlarm, _markers),
        new(Rule.FirstFlushProvesClose, Promise.NothingLost, _damagedAfterClose),
        new(Rule.OnlyClosesProve, Promise.NoFalseAlarm, new("markers and a kill") { HasMarkers = true, SealsEarly = true, Puts = 2, Flushes = 1, Kills = 1, Cuts = 1 }),
        new(Rule.FailedPagesRewritten, Promise.NothingLost, _failedSync),
        new(Rule.FailedPagesSynced, Promise.NothingLost, _failedSync),
        new(Rule.FailedSyncCounts, Promise.PointersUnique, _failedSync),
        new(Rule.PositionCoversPublished, Promise.TableTrue, _checkpoint),
        new(Rule.CheckpointAfterLog, Promise.TableTrue, _checkpoint),
        new(Rule.CheckpointComparesSequence, Promise.TableTrue, _checkpointAndCleaner),
        new(Rule.CheckpointForgottenBeside, Promise.TableTrue, _checkpointOfCopies),
        new(Rule.CheckpointForgottenByCrawl, Promise.TableTrue, _checkpointOfCopies with { Name = "a checkpoint of copies, a kill", Kills = 1, Cuts = 1 }),
        new(Rule.ClearDurable, Promise.NothingRisen, _clear),
        new(Rule.ClearKeepsFloors, Promise.PointersUnique, _clear),
        new(Rule.ClearUntrustsTable, Promise.TableTrue, _clear),
        new(Rule.MetaSyncedAtOpen, Promise.NothingRisen, _clear),
        new(Rule.VictimsFlushed, Promise.WholeOrNothing, _batch),
        new(Rule.VictimsFlushedOverKill, Promise.WholeOrNothing, _batch),
        new(Rule.RetiredRowBeforeFlush, Promise.NoFalseAlarm, _markersAndCleaner),
        new(Rule.RetiredCountsWhileWhole, Promise.NothingLost, _cleaning),
        new(Rule.RetiredTakenBack, Promise.TableTrue, _cleaning),
        new(Rule.RetiredUnreferenced, Promise.TableTrue, _cleaning),
        new(Rule.SwingByCompare, Promise.TableTrue, _copying),
        new(Rule.CopyKeepsVersion, Promise.NothingLost, _copying),
        new(Rule.ReuseAfterFlush, Promise.NothingLost, _cleaning),
        new(Rule.ReuseWaitsOverKill, Promise.NothingLost, _cleaning),
        new(Rule.SequenceBeforeBytes, Promise.NothingLost, _oneKill),
        new(Rule.SequencesNeverRepeat, Promise.NothingRisen,
            new("a put in a second life") { Slots = 1, Puts = 2, Kills = 1, Cuts = 1 }),
        new(Rule.BatchHoldsStripes, Promise.WholeOrNothing,
            new("a batch and a writer") { Places = 4, Writers = 2, Puts = 2, Updates = 1, Batches = 1, Kills = 1 }),
        new(Rule.FramesCountWhole, Promise.WholeOrNothing, _batch),
        new(Rule.BootNotedWithCount, Promise.PointersUnique, _twoPuts),
        new(Rule.NotCleanDurable, Promise.TableTrue, new("a close") { Slots = 1, Puts = 1, Closes = 1, Cuts = 1 }),
        new(Rule.TrustedLast, Promise.TableTrue, _interrupted),
        new(Rule.RollsForward, Promise.TableTrue, _oneKill),
        new(Rule.RollForwardCompares, Promise.TableTrue, _oneKill),
        new(Rule.RollForwardBeforeSeal, Promise.TableTrue, _interrupted),
        new(Rule.PayloadCrcCompared, Promise.NothingGarbled, _onePut),
        new(Rule.TombstoneBeatsVersions, Promise.NothingRisen, new("a delete") { Slots = 1, Puts = 1, Deletes = 1, Kills = 1 }),
        new(Rule.NothingAppendedToOld, Promise.NothingLost, _twoPuts),
        new(Rule.CutsStored, Promise.NoFalseAlarm, _markersAndCuts),
        new(Rule.FirstFlushCoversRecovery, Promise.NoFalseAlarm, _markersAndCuts),
        new(Rule.FirstFlushCoversKilled, Promise.NothingLost, _oneKillOneCut),
        new(Rule.CountDurable, Promise.PointersUnique, _twoPuts),
        new(Rule.CountAdded, Promise.PointersUnique, _twoPuts),
    ];

    /// <summary>Every rule that the others make superfluous, as far as the model reaches, and the sizes at which it would show.</summary>
    internal static IReadOnlyList<(Rule Rule, Scope[] Scopes)> Spare { get; } =
    [
        (Rule.PayloadBeforeHeader, [_writes, _batch]),
        (Rule.CheckpointHoldsSegments, [_checkpointAndCleaner]),
        (Rule.SegmentHeaderCompared, [_cleaningTwoCuts]),
        (Rule.FreedWaitsOverCut, [_twoCuts, _cleaningTwoCuts, _markersAndCuts, _reissueTwoCuts]),
    ];
}
