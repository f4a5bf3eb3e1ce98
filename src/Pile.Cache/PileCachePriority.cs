// How much an entry is worth keeping, before visits are looked at.
// The numbers stand in records: they never change meaning.
namespace Pile.Cache;

/// <summary>Priority of an entry: while there are entries of a lower one, none of a higher one is evicted.</summary>
public enum PileCachePriority
{
    /// <summary>Leaves first.</summary>
    Low = 0,

    /// <summary>The usual one.</summary>
    Normal = 1,

    /// <summary>Leaves when nothing else is left.</summary>
    High = 2,

    /// <summary>Is never evicted. When such entries fill the cache, Set answers Full.</summary>
    NeverRemove = 3,
}
