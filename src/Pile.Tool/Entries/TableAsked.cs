// What a table is to be made with.
// What is not said is the server's to say.
using System;

namespace Pile.Tool.Entries;

/// <summary>Options of a new table.</summary>
/// <param name="IsDurable">Whether it never evicts.</param>
/// <param name="TimeToLive">How long entries live that say nothing; null for ever.</param>
/// <param name="EntriesMax">Entries beyond which it evicts its own; 0 for none.</param>
/// <param name="BytesMax">Bytes beyond which it does; 0 for none.</param>
internal sealed record TableAsked(bool IsDurable, TimeSpan? TimeToLive, long EntriesMax, long BytesMax);
