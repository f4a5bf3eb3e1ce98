// What a caller says of one entry. What it leaves out is the table's default.
// A value: nothing is allocated for it.
using System;
using System.Collections.Generic;

namespace Pile.Cache;

/// <summary>Terms of an entry. Where several ends are given, the first of them counts.</summary>
public readonly record struct PileEntryOptions
{
    /// <summary>When the entry expires.</summary>
    public DateTimeOffset? AbsoluteExpiration { get; init; }

    /// <summary>How long after it was stored the entry expires; more than zero. Null: the table's default, unless another end is given.</summary>
    public TimeSpan? TimeToLive { get; init; }

    /// <summary>How long after its last use the entry expires; more than zero.</summary>
    public TimeSpan? SlidingExpiration { get; init; }

    /// <summary>How much the entry is worth keeping. Null: the table's default.</summary>
    public PileCachePriority? Priority { get; init; }

    /// <summary>How long after its end the entry is kept, shown to nobody, for GetOrAdd to serve (<see cref="PileFactoryOptions.FailSafe"/>,
    /// <see cref="PileFactoryOptions.StaleWhileRevalidate"/>); zero or more. Null: as long as these say for what GetOrAdd stores, else not at all. An entry without an end
    /// is not kept, by <see cref="PileTableChanges.Expire"/> neither.</summary>
    public TimeSpan? KeptPastEnd { get; init; }

    /// <summary>Tags by which the entry can be removed (<see cref="PileTableTags"/>): at most 32, none null, empty, "*" or of more than 15,360 bytes of UTF-8. Null for none.</summary>
    public IReadOnlyList<string>? Tags { get; init; }
}
