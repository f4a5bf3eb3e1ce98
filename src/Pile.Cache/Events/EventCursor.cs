// Where a reader of a ring stands.
// A place that was written over since is found again by its number.
namespace Pile.Cache.Events;

/// <summary>The next event of a reader.</summary>
/// <param name="Offset">Bytes that were ever written before it; -1 where only its number is known, and it is not kept any more.</param>
/// <param name="Number">Its number.</param>
internal readonly record struct EventCursor(long Offset, long Number);
