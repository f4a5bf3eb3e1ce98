// A large object's descriptor that a crawl met. Whether its pages are there is asked once all is walked (CrawlRuns).
// Little, because a log may hold many.
namespace Pile.Persistence;

/// <summary>A descriptor.</summary>
/// <param name="Location">Where it stands.</param>
/// <param name="Segment">Index of its segment.</param>
/// <param name="Offset">Where it stands there.</param>
/// <param name="CutOffset">Where the segment ends if it does not count: there, or where its batch begins.</param>
internal readonly record struct FoundRun(long Location, int Segment, int Offset, int CutOffset);
