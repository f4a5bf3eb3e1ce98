// What can be told of an entry without showing its value.
// Internal: the public questions are members of the table.
namespace Pile.Cache.Entries;

/// <summary>Facts about an entry.</summary>
/// <param name="ValueBytes">Bytes of its value.</param>
/// <param name="RecordBytes">Bytes that it takes.</param>
/// <param name="EndTicks">When it ends, in ticks of UTC; <see cref="EntryTerms.Never"/> for never.</param>
/// <param name="Version">Its version.</param>
internal readonly record struct EntryInfo(int ValueBytes, long RecordBytes, long EndTicks, PileEntryVersion Version);
