// A large object's descriptor whose pages are not what it says: found by a crawl, judged once all is walked.
// A class, because code for lists of those need not be compiled first.
namespace Pile.Persistence;

/// <summary>A descriptor whose pages are not what it says.</summary>
/// <param name="Segment">Index of its segment.</param>
/// <param name="Offset">Where it stands there.</param>
/// <param name="CutOffset">Where the segment ends if it does not count: there, or where its batch begins.</param>
/// <param name="Record">It.</param>
internal sealed record MissingRun(int Segment, int Offset, int CutOffset, LogRecord Record);
