// The comparers that come with the cache: ordinal, which is what a table has when none is named, and ordinal without case.
// Others are the program's own implementations of IPileKeyComparer.
using Pile.Cache.Keys;

namespace Pile.Cache;

/// <summary>Built-in comparers of keys.</summary>
public static class PileKeyComparers
{
    /// <summary>Keys are the same when their bytes are.</summary>
    public static IPileKeyComparer Ordinal { get; } = new OrdinalComparer();

    /// <summary>Keys of text are the same when they are to <see cref="System.StringComparer.OrdinalIgnoreCase"/>.</summary>
    public static IPileKeyComparer OrdinalIgnoreCase { get; } = new IgnoreCaseComparer();
}
