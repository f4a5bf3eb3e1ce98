// Removal by tag: entries that were stored with a tag are gone from one moment on, in constant time however many they are.
// An entry's tags are PileEntryOptions.Tags.
using System;
using Pile.Cache.Tags;

namespace Pile.Cache;

/// <summary>Removal of entries by their tags.</summary>
public static class PileTableTags
{
    /// <summary>Removes the entries of a table that have a tag.</summary>
    /// <typeparam name="TKey">The type of keys.</typeparam>
    /// <typeparam name="TValue">The type of values.</typeparam>
    /// <param name="table">The table.</param>
    /// <param name="tag">The tag, compared ordinally; "*" for all entries, those without a tag too.</param>
    /// <exception cref="ArgumentException">The tag is null, empty, or has more than 15,360 bytes of UTF-8.</exception>
    /// <exception cref="ObjectDisposedException">The cache was disposed, or the table dropped.</exception>
    /// <exception cref="PileFullException">In a directory: there is no room for what is noted of a removal, nor did the entries that have the tag make enough. The tag was not
    /// removed: entries that have it may be gone, all of them too, the others stay, and reads may have missed them, and watchers been told of the removal, while that was tried. Make
    /// room, and call again.</exception>
    /// <remarks>Thread-safe. When it returns, no read shows an entry that was stored with the tag by a call, or made by a factory, that began
    /// before. Constant time: what is recorded is the moment; the memory comes back as that of ended entries. "*" takes as long as Clear.</remarks>
    public static void RemoveByTag<TKey, TValue>(this PileTable<TKey, TValue> table, string tag)
        where TKey : notnull
        where TValue : notnull
    {
        ArgumentNullException.ThrowIfNull(table);
        ArgumentException.ThrowIfNullOrEmpty(tag);
        table.ThrowIfEnded();
        if (tag == TagHash.All)
        {
            table.Clear();
            return;
        }

        table.Parts.Tags.Remove(table.Parts.Id, tag);
    }

    /// <summary>Removes the entries of all tables of a cache that have a tag.</summary>
    /// <param name="cache">The cache.</param>
    /// <param name="tag">The tag, compared ordinally; "*" for all entries, those without a tag too: each table is cleared, whatever became of those before, and the first
    /// failure is thrown.</param>
    /// <inheritdoc cref="RemoveByTag{TKey, TValue}"/>
    public static void RemoveByTag(this PileCache cache, string tag)
    {
        ArgumentNullException.ThrowIfNull(cache);
        ArgumentException.ThrowIfNullOrEmpty(tag);
        cache.RemoveTagged(tag);
    }
}
