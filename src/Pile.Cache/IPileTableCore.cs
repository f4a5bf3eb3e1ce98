// A table without its types, for the cache that holds tables of all types.
// Internal: programs use PileTable.
using Pile.Cache.Engine;

namespace Pile.Cache;

/// <summary>A table of any type.</summary>
internal interface IPileTableCore
{
    /// <summary>The table's parts.</summary>
    FormatTable Core { get; }

    /// <summary>Removes all entries.</summary>
    void Clear();

    /// <summary>Types and comparer, for messages.</summary>
    string Describe();
}
