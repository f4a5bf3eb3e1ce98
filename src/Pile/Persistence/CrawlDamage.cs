// A stretch of a segment that was proven to be written and is not what was written.
// A slot is known only where the record's header is whole.
namespace Pile.Persistence;

/// <summary>A damage that a crawl met.</summary>
/// <param name="Segment">Index of the segment.</param>
/// <param name="Offset">First byte within it.</param>
/// <param name="Bytes">How long.</param>
/// <param name="Slot">Whose record it is; 0 when not even that can be read.</param>
internal sealed record CrawlDamage(int Segment, int Offset, int Bytes, uint Slot);
