// What an entry with a note stands for.
// The numbers are stored (NoteWord).
namespace Pile.Cache.Entries;

/// <summary>Kind of an entry. All but values are seen by GetOrAdd alone.</summary>
internal enum NoteKind : byte
{
    /// <summary>A value.</summary>
    Value,

    /// <summary>It is remembered that the key has no value.</summary>
    Nothing,

    /// <summary>It is remembered that the factory failed; the value is a text that says how.</summary>
    Failure,
}
