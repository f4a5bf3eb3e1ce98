// The two kinds of table: one that keeps what it is given, and one that keeps what is worth keeping.
// The kind is chosen when the table is made.
namespace Pile.Cache;

/// <summary>Kind of a table.</summary>
public enum PileTableKind
{
    /// <summary>Entries are evicted when there is no room for others.</summary>
    Speculative,

    /// <summary>Entries stay until they expire or are removed; a Set without room answers Full.</summary>
    Durable,
}
