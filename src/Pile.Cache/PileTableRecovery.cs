// What an open of a cache in files made of one of the tables that it found.
// A snapshot of that moment.
namespace Pile.Cache;

/// <summary>A table that was found in a directory.</summary>
/// <param name="Name">Its name; the file's where that can't be read.</param>
/// <param name="IsKept">Whether its entries are there; else it starts empty.</param>
/// <param name="Entries">How many there are.</param>
/// <param name="Reason">Why, in words.</param>
public sealed record PileTableRecovery(string Name, bool IsKept, long Entries, string Reason);
