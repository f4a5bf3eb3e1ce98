// Where an entry was found: its cell as it was then, and the word that held it. Two registers, so that the way of a read keeps
// nothing in memory.
namespace Pile.Cache.Entries;

/// <summary>A cell that was found; default for none.</summary>
/// <param name="Cell">The cell.</param>
/// <param name="Word">Index of its word.</param>
internal readonly record struct FoundEntry(ulong Cell, uint Word)
{
    /// <summary>Whether there is one.</summary>
    internal bool IsThere => Cell != 0;
}
