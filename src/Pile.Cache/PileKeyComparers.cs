// The comparers that come with the cache: ordinal, which is what a table has when none is named, and ordinal without case.
// Others are the program's own implementations of IPileKeyComparer, or the framework's for tables in memory.
using System;
using System.Collections.Generic;
using Pile.Cache.Keys;
using Pile.Primitives;

namespace Pile.Cache;

/// <summary>Built-in comparers of keys.</summary>
public static class PileKeyComparers
{
    /// <summary>Keys are the same when their bytes are.</summary>
    /// <remarks>Its <see cref="IPileKeyComparer.Hash"/> is that of tables of before, and of comparers that build on it: keys can be chosen that collide whatever the seed is. For
    /// a comparer of your own there is <see cref="HashOf"/>, which tables with this one use.</remarks>
    public static IPileKeyComparer Ordinal { get; } = new OrdinalComparer();

    /// <summary>Keys of text are the same when they are to <see cref="System.StringComparer.OrdinalIgnoreCase"/>. Only for keys that are strings.</summary>
    /// <remarks>Of its hash holds what is said of that of <see cref="Ordinal"/>.</remarks>
    public static IPileKeyComparer OrdinalIgnoreCase { get; } = new IgnoreCaseComparer(isFormer: true);

    /// <summary>Keys are the same when a plain comparer says so. For tables in memory alone: its hashes are not kept beyond the process.</summary>
    /// <typeparam name="TKey">The type of the table's keys.</typeparam>
    /// <param name="comparer">The comparer; thread-safe, of a meaning that never changes, and it must not throw, or change anything in a pile or a cache: a bucket of the
    /// index is locked meanwhile. Objects of a pile may be read. Keys of the same bytes are the same without it being asked.</param>
    /// <remarks>Each call reads the key back from its bytes, which allocates for keys that are objects; hashes of strings allocate nothing where
    /// the comparer knows chars, as the framework's do.</remarks>
    public static IPileKeyComparer Of<TKey>(IEqualityComparer<TKey> comparer)
        where TKey : notnull
    {
        ArgumentNullException.ThrowIfNull(comparer);
        return new ProcessComparer<TKey>(comparer);
    }

    /// <inheritdoc cref="Of{TKey}(IEqualityComparer{TKey})"/>
    public static IPileKeyComparer Of(StringComparer comparer)
    {
        ArgumentNullException.ThrowIfNull(comparer);
        return new ProcessComparer<string>(comparer);
    }

    /// <summary>A hash of bytes, for <see cref="IPileKeyComparer.Hash"/>: all 64 bits of it can be used, and bytes that collide whatever the seed is are not known. It is
    /// not cryptographic. The same on every machine and in every version. A few ns for up to 16 bytes, one multiplication for each 16 more; allocates nothing; thread-safe.</summary>
    /// <param name="bytes">The bytes that make two keys the same, of any length.</param>
    /// <param name="seed">The table's seed.</param>
    public static ulong HashOf(ReadOnlySpan<byte> bytes, ulong seed) => KeyHash.Of(bytes, seed);

    /// <summary>The comparer as a table of a pile has it; where none is asked for, the ordinal one.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is a plain one of other keys, or for a table in files; or of text, and the keys are none; or fields of the keys are hidden.</exception>
    internal static IPileKeyComparer For<TKey>(IPileKeyComparer? asked, ObjectPile pile, bool isInFiles)
        where TKey : notnull
    {
        IPileKeyComparer comparer = asked ?? Ordinal;
        if (comparer is IgnoreCaseComparer && typeof(TKey) != typeof(string))
        {
            Throw.Argument("options", comparer.Name, $"The comparer is of keys of text, and the table's are {typeof(TKey)}: their bytes would be taken for letters. Leave Comparer away, or implement IPileKeyComparer.");
        }

        if (KeyCodec<TKey>.IsHidden)
        {
            Throw.Argument(nameof(TKey), typeof(TKey), "A program that is compiled whole ahead of time (PublishAot) does not see all bytes of such a key: it may have padding, or fields that were not kept. Name its assembly to the linker (TrimmerRootAssembly) if it has no padding, or use keys of numbers, text, bytes or Guid.");
        }

        if (comparer is not IProcessComparer plain)
        {
            return comparer;
        }

        if (plain.KeyType != typeof(TKey))
        {
            Throw.Argument("options", plain.KeyType, $"The comparer is of keys of {plain.KeyType}, and the table's are {typeof(TKey)}.");
        }

        if (isInFiles)
        {
            Throw.Argument("options", comparer.Name, "A plain comparer is for tables in memory: its hashes may be of this process alone, and those of a table in a directory are kept. Implement IPileKeyComparer.");
        }

        return plain.For(pile);
    }

    /// <summary>Options of a table that was found, with the comparer of the name that they have.</summary>
    /// <exception cref="PileTypeMismatchException">It is a program's own.</exception>
    internal static PileTableOptions Known(PileTableOptions found) => found with
    {
        Comparer = Array.Find([Ordinal, OrdinalIgnoreCase], known => known.Name == found.Comparer.Name)
            ?? throw new PileTypeMismatchException($"The keys of the table '{found.Name}' are compared by '{found.Comparer.Name}', which only the program that made it has.", default),
    };

    /// <summary>Whether two comparers are of one meaning.</summary>
    internal static bool AreSame(IPileKeyComparer left, IPileKeyComparer right) => left is IProcessComparer plain ? plain.IsSameAs(right) : left.Name == right.Name;
}
