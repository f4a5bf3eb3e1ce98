// A table of a directory whose index can be believed, while a cache is attached.
// What is not believed never becomes one.
using Pile.Cache.Index;

namespace Pile.Cache.Files;

/// <summary>A table whose index can be believed.</summary>
/// <param name="File">Its file.</param>
/// <param name="Index">Its index.</param>
/// <param name="Known">What is known of it; null after a kill.</param>
internal readonly record struct FoundTable(IndexFile File, TableIndex Index, TableFacts? Known);
