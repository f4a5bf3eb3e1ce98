// What an owner of keyed records says of one that the cleaner meets.
// It is the owner that forgets a record; the cleaner only counts the bytes.
namespace Pile.Cleaning;

/// <summary>Fate of a record in a segment that is being cleaned.</summary>
internal enum RecordFate
{
    /// <summary>It is not the current one of its key, and was counted when it ceased to be.</summary>
    Dead,

    /// <summary>The owner has just forgotten it: it is to be counted as dead now.</summary>
    Dropped,

    /// <summary>It is to be copied.</summary>
    Kept,

    /// <summary>It stays where it is, with all behind it: the pass has forgotten enough.</summary>
    Left,
}
