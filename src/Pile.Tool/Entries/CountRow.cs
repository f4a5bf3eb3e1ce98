// Figures of a table or of a whole cache.
// Entries and their bytes are of now; the others count since the cache was opened.
namespace Pile.Tool.Entries;

/// <summary>Figures.</summary>
/// <param name="Entries">Entries.</param>
/// <param name="EntryBytes">Bytes of their records.</param>
/// <param name="Hits">Reads that found one.</param>
/// <param name="Misses">Reads that found none.</param>
/// <param name="Evictions">Entries that left to make room.</param>
/// <param name="Expirations">Entries that ended.</param>
/// <param name="DamagedEntries">Entries found to be damaged.</param>
internal readonly record struct CountRow(long Entries, long EntryBytes, long Hits, long Misses, long Evictions, long Expirations, long DamagedEntries);
