// What a table asks of a comparer that is good in one process alone, whatever its type of keys.
// Only ProcessComparer is one.
using System;

namespace Pile.Cache.Keys;

/// <summary>A comparer whose hashes must not be stored.</summary>
internal interface IProcessComparer
{
    /// <summary>The keys that it compares.</summary>
    Type KeyType { get; }

    /// <summary>The same comparer, reading keys by a pile's codecs.</summary>
    IPileKeyComparer For(ObjectPile owner);

    /// <summary>Whether another comparer is over the same plain one.</summary>
    bool IsSameAs(IPileKeyComparer other);
}
