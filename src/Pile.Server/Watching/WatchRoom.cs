// What the watches of all clients take together: the events of each table that is watched, and a reply for each stream.
// Which table is watched, and for how long, is TableWatches'.
using System;
using Pile.Server.Calls;

namespace Pile.Server.Watching;

/// <summary>The room for watches, server-wide. Thread-safe.</summary>
internal sealed class WatchRoom(TimeProvider? time = null) : ByteBudget(
    ServerLimits.WatchBytesMax,
    $"Watches take as much as they may: {ServerLimits.WatchBytesMax:N0} bytes, {ServerLimits.WatchTableBytes:N0} for each table and {ServerLimits.WatchStreamBytes:N0} for each stream. Try again in a moment, or watch fewer tables by fewer streams.")
{
    internal TimeProvider Time { get; } = time ?? TimeProvider.System;
}
