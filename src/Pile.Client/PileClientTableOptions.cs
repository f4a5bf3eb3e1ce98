// What a table is made with. The server keeps it, also over a restart.
// Ranges are the server's to judge.
using System;

namespace Pile.Client;

/// <summary>Options of a table.</summary>
public sealed record PileClientTableOptions
{
    /// <summary>Whether the table never evicts: a store without room is refused, and in files entries survive as the server promises.</summary>
    public bool IsDurable { get; init; }

    /// <summary>How long entries live that say nothing; zero for ever.</summary>
    public TimeSpan DefaultTimeToLive { get; init; }

    /// <summary>What entries are worth that say nothing.</summary>
    public PileClientPriority DefaultPriority { get; init; }

    /// <summary>Entries beyond which the table evicts its own; 0 for no limit. Not of durable tables.</summary>
    public long EntriesMax { get; init; }

    /// <summary>Bytes of records beyond which the table evicts its own; 0 for no limit. Not of durable tables.</summary>
    public long BytesMax { get; init; }

    /// <summary>Bytes of records up to which nothing is evicted for the sake of other tables.</summary>
    public long BytesMin { get; init; }

    /// <summary>Entries for which the index is made ready at once: of the server's memory about a third of its limit or half of what is free at most,
    /// however many they are. What stays unused goes back within moments.</summary>
    public long InitialEntries { get; init; }
}
