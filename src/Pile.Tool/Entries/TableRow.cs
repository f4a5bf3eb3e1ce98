// A table of a cache as verbs show it.
// Types are by their stored names; those of a server's tables are bytes.
using System;

namespace Pile.Tool.Entries;

/// <summary>A table.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Kind">Speculative or Durable.</param>
/// <param name="KeyType">The type of its keys.</param>
/// <param name="ValueType">The type of its values.</param>
/// <param name="TimeToLive">How long entries live that say nothing; null for ever.</param>
/// <param name="EntriesMax">Entries beyond which it evicts its own; null for none.</param>
/// <param name="BytesMax">Bytes beyond which it does; null for none.</param>
/// <param name="BytesMin">Bytes up to which nothing is evicted for others.</param>
/// <param name="Counts">Its figures.</param>
internal sealed record TableRow(string Name, string Kind, string KeyType, string ValueType, TimeSpan? TimeToLive, long? EntriesMax, long? BytesMax, long BytesMin, CountRow Counts);
