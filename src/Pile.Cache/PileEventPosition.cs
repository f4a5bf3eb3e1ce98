// A place in the events of a table, to go on from.
// Good as long as somebody watches the table: when the last one leaves, its events are kept no more, and a later watch begins another stream.
namespace Pile.Cache;

/// <summary>The place of an event.</summary>
/// <param name="Stream">Which stream of events: another number each time that a table begins to be watched.</param>
/// <param name="Number">The event's number in it, from 1 on, one more for each event of the table.</param>
public readonly record struct PileEventPosition(long Stream, long Number);
