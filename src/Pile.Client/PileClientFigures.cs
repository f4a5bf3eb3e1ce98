// Figures of a table, or of a whole cache.
// Counted by the server.
namespace Pile.Client;

/// <summary>Counts since the server's start, but for entries and their bytes, which are of now.</summary>
/// <param name="Entries">Entries that are there.</param>
/// <param name="EntryBytes">Bytes of their records.</param>
/// <param name="Hits">Reads that found an entry.</param>
/// <param name="Misses">Reads that found none.</param>
/// <param name="Evictions">Entries that left for want of room.</param>
/// <param name="Expirations">Entries that ended.</param>
/// <param name="DamagedEntries">Entries whose bytes were found damaged; they are misses.</param>
public sealed record PileClientFigures(long Entries, long EntryBytes, long Hits, long Misses, long Evictions, long Expirations, long DamagedEntries);
