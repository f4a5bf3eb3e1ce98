// The door to views of a table of text keys.
// What a view does is PilePrefixedTable's.
using System;
using Pile.Cache.Keys;

namespace Pile.Cache;

/// <summary>Views of tables with text keys.</summary>
public static class PileTableScopes
{
    /// <summary>A view of the entries of one scope.</summary>
    /// <typeparam name="TValue">The type of values.</typeparam>
    /// <param name="table">The table.</param>
    /// <param name="scope">What their keys begin with: any text but the empty one, without the char U+001F.</param>
    /// <exception cref="ArgumentException">The scope is empty, or contains U+001F; or the table's comparer passes over that char, as those of cultures
    /// do, so that keys of different scopes would be the same.</exception>
    public static PilePrefixedTable<TValue> WithPrefix<TValue>(this PileTable<string, TValue> table, string scope)
        where TValue : notnull
    {
        ArgumentNullException.ThrowIfNull(table);
        return new PilePrefixedTable<TValue>(table, scope);
    }

    /// <summary>Whether two keys are the same to the table's comparer.</summary>
    internal static bool AreSame<TValue>(this PileTable<string, TValue> table, string left, string right)
        where TValue : notnull
    {
        byte[]? leftRented = null;
        byte[]? rightRented = null;
        ReadOnlySpan<byte> leftBytes = KeyCodec<string>.Encode(table.Cache.Pile, left, stackalloc byte[CacheLimits.KeyBytesOnStack], ref leftRented);
        ReadOnlySpan<byte> rightBytes = KeyCodec<string>.Encode(table.Cache.Pile, right, stackalloc byte[CacheLimits.KeyBytesOnStack], ref rightRented);
        bool isSame = table.Parts.Options.Comparer.Equals(leftBytes, rightBytes);
        PileTable<string, TValue>.Return(leftRented);
        PileTable<string, TValue>.Return(rightRented);
        return isSame;
    }
}
