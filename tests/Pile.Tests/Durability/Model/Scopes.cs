using System.Collections.Generic;

namespace Pile.Tests.Durability.Model;

/// <summary>The sizes that are explored: small ones by default, larger ones under Soak.</summary>
internal static class Scopes
{
    internal static IReadOnlyList<Scope> Small { get; } =
    [
        new("two writers") { Writers = 2, Puts = 2, Updates = 1, Flushes = 1, Kills = 1, Cuts = 1 },
        new("two writers, one slot")
        {
            Slots = 1, Writers = 2, Puts = 1, Updates = 1, Deletes = 1, Flushes = 1, Kills = 1, Cuts = 1,
        },
        new("slots issued again") { Slots = 1, Segments = 4, Puts = 3, Deletes = 2, Flushes = 2, Kills = 1, Cuts = 2 },
        new("segments used again")
        {
            Slots = 1, Places = 1, Puts = 1, Updates = 1, Deletes = 1, Flushes = 2, Cleans = 2, Kills = 1, Cuts = 1,
        },
        new("segments used again, two cuts")
        {
            Slots = 1, Places = 1, Puts = 1, Updates = 1, Deletes = 1, Flushes = 2, Cleans = 1, Cuts = 2,
        },
        new("tombstones relocated") { Slots = 1, Places = 1, Puts = 2, Deletes = 1, Flushes = 2, Cleans = 2, Cuts = 1 },
        new("markers") { Slots = 1, HasMarkers = true, SealsEarly = true, Puts = 2, Updates = 1, Flushes = 2, Cuts = 2 },
        new("markers and cleaning")
        {
            Slots = 1, HasMarkers = true, SealsEarly = true, Puts = 1, Updates = 1, Flushes = 3, Cleans = 1, Cuts = 1,
        },
        new("markers, a close and damage") { HasMarkers = true, Puts = 2, Flushes = 2, Closes = 1, Kills = 1, Cuts = 1, Damages = 1 },
        new("batches") { Places = 4, Puts = 2, Batches = 1, Flushes = 1, Cleans = 1, Kills = 1, Cuts = 1 },
        new("batches and writers") { Places = 4, Writers = 2, Puts = 2, Updates = 1, Batches = 1, Kills = 1 },
        new("Clear") { Puts = 3, Clears = 1, Flushes = 1, Kills = 1, Cuts = 1 },
        new("Clear, two cuts") { Slots = 1, Puts = 2, Deletes = 1, Clears = 1, Flushes = 1, Cuts = 2 },
        new("closed and opened") { Puts = 2, Updates = 1, Deletes = 1, Closes = 2, Kills = 1, Cuts = 1 },
        new("checkpoint") { Slots = 1, Puts = 1, Updates = 1, Checkpoints = 1, Flushes = 1, Cleans = 1, Kills = 1, Cuts = 1 },
        new("counted later") { Slots = 1, CountsLater = true, Puts = 3, Deletes = 2, Flushes = 1, Closes = 1, Kills = 1, Cuts = 1 },
        new("failed sync") { Slots = 1, Puts = 2, Updates = 1, Flushes = 2, FailedSyncs = 1, Kills = 1, Cuts = 1 },
        new("opens interrupted by kills") { OpensInSmallSteps = true, Puts = 2, Updates = 1, Flushes = 1, Kills = 2, Cuts = 1 },
        new("opens interrupted by cuts") { OpensInSmallSteps = true, Puts = 2, Updates = 1, Flushes = 1, Kills = 1, Cuts = 2 },
        new("ProcessSafe") { IsPowerSafe = false, Writers = 2, Puts = 2, Updates = 1, Deletes = 1, Kills = 1 },
        new("ProcessSafe and cleaning")
        {
            IsPowerSafe = false, Slots = 1, Places = 1, Puts = 2, Updates = 2, Deletes = 1, Cleans = 2, Kills = 2,
        },
    ];

    internal static IReadOnlyList<Scope> Large { get; } =
    [
        new("two writers, a cleaner")
        {
            Segments = 4, Writers = 2, Puts = 2, Updates = 1, Deletes = 1, Flushes = 1, Cleans = 1, Cuts = 1,
        },
        new("two writers, two cuts") { Writers = 2, Puts = 2, Updates = 1, Deletes = 1, Flushes = 1, Cuts = 2 },
        new("three slots") { Slots = 3, Puts = 3, Updates = 1, Deletes = 1, Flushes = 1, Kills = 1, Cuts = 1 },
        new("slots issued again and again") { Slots = 1, Segments = 4, Puts = 4, Deletes = 3, Flushes = 3, Kills = 1, Cuts = 2 },
        new("segments used again and again")
        {
            Slots = 1, Places = 1, Puts = 1, Updates = 2, Deletes = 1, Flushes = 3, Cleans = 3, Kills = 1, Cuts = 1,
        },
        new("segments used again, a kill, two cuts")
        {
            Slots = 1, Places = 1, OpensInSmallSteps = true, Puts = 1, Updates = 1, Deletes = 1, Flushes = 2, Cleans = 1, Kills = 1, Cuts = 2,
        },
        new("markers, cleaning, two cuts")
        {
            Slots = 1, HasMarkers = true, SealsEarly = true, Puts = 1, Updates = 2, Flushes = 3, Cleans = 1, Cuts = 2,
        },
        new("markers and two writers")
        {
            HasMarkers = true, Writers = 2, Puts = 2, Updates = 1, Flushes = 2, Kills = 1, Cuts = 1,
        },
        new("markers and Clear") { Slots = 1, HasMarkers = true, Puts = 2, Updates = 1, Clears = 1, Flushes = 2, Kills = 1, Cuts = 1 },
        new("markers and a failed sync") { Slots = 1, HasMarkers = true, Puts = 2, Updates = 1, Flushes = 2, FailedSyncs = 1, Kills = 1, Cuts = 1 },
        new("markers and closes") { Slots = 1, HasMarkers = true, Puts = 2, Updates = 1, Closes = 1, Flushes = 2, Kills = 1, Cuts = 2 },
        new("markers, batches, cleaning")
        {
            Places = 4, HasMarkers = true, SealsEarly = true, Puts = 2, Batches = 1, Flushes = 2, Cleans = 1, Cuts = 1,
        },
        new("batches, cleaning, two cuts")
        {
            Places = 4, Puts = 2, Batches = 1, Flushes = 2, Cleans = 1, Kills = 1, Cuts = 2,
        },
        new("Clear and cleaning") { Puts = 3, Deletes = 1, Clears = 1, Flushes = 2, Cleans = 1, Kills = 1, Cuts = 1 },
        new("closed and opened, two cuts")
        {
            OpensInSmallSteps = true, Puts = 2, Updates = 1, Deletes = 1, Closes = 2, Kills = 1, Cuts = 2,
        },
        new("checkpoint and cleaning")
        {
            Slots = 1, Puts = 1, Updates = 2, Deletes = 1, Checkpoints = 1, Flushes = 2, Cleans = 1, Cuts = 1,
        },
        new("checkpoint of copies")
        {
            Slots = 1, Segments = 2, Places = 1, SealsEarly = true, Puts = 1, Updates = 1, Flushes = 3, Cleans = 2, Checkpoints = 1, Kills = 1, Cuts = 2,
        },
        new("failed sync and cleaning")
        {
            Slots = 1, Puts = 2, Updates = 1, Deletes = 1, Flushes = 3, Cleans = 1, FailedSyncs = 1, Kills = 1, Cuts = 1,
        },
        new("ProcessSafe, all at once")
        {
            IsPowerSafe = false, Segments = 4, Places = 4, Writers = 2, Puts = 2, Updates = 1, Deletes = 1, Batches = 1, Cleans = 1, Kills = 1,
        },
    ];
}
