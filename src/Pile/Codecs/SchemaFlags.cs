// Facts about a type at the time it was written, kept in its schema; today's type may differ.
// Readers decide by these, not by what the type is now.
using System;

namespace Pile.Codecs;

/// <summary>Flags of a schema; the numbers are part of the format.</summary>
[Flags]
internal enum SchemaFlags : byte
{
    /// <summary>Its objects have an identity.</summary>
    Tracked = 1,

    /// <summary>No other type could stand in places of it.</summary>
    Sealed = 2,

    /// <summary>Nothing it reaches can be reached twice.</summary>
    AliasFree = 4,
}
