// The entries of a cache as verbs see them, wherever the cache is: in a directory that the tool opens, or behind a server.
// What a verb can't do in one of the two places is refused there.
using System;
using System.Collections.Generic;

namespace Pile.Tool.Entries;

/// <summary>Entries by table and key. One thread.</summary>
internal interface IEntries : IDisposable
{
    /// <summary>The tables, by name.</summary>
    IReadOnlyList<TableRow> Tables();

    /// <summary>Makes a table, unless it is there.</summary>
    void Create(string table, TableAsked asked);

    /// <summary>Removes all entries of a table.</summary>
    void Clear(string table);

    /// <summary>Removes a table with its entries.</summary>
    /// <exception cref="Running.ToolException">There is none.</exception>
    void Drop(string table);

    /// <summary>The figures of the whole cache, and of what it stands in.</summary>
    CacheRow Figures();

    /// <summary>Entries of a directory whose bytes were found to be damaged so far, by a read or by the open; a server keeps that to itself.</summary>
    long Damaged { get; }

    /// <summary>The stored bytes of a key that was given in words.</summary>
    /// <exception cref="Running.ToolException">There is no such table, or the words are no key of it.</exception>
    byte[] KeyOf(string table, string words);

    /// <summary>What the stored bytes of keys begin with that begin so in words.</summary>
    /// <exception cref="Running.ToolException">There is no such table, or its keys are none that begin as a text.</exception>
    byte[] PrefixOf(string table, string words);

    /// <summary>A key in words, as <see cref="KeyOf"/> takes them.</summary>
    string WordsOf(string table, byte[] key);

    /// <summary>Reads a value; null where there is no entry.</summary>
    EntryValue? Get(string table, byte[] key);

    /// <summary>Stores a value.</summary>
    EntryOutcome Set(string table, byte[] key, ValueWords value, EntryTermsAsked terms);

    /// <summary>Removes an entry.</summary>
    EntryOutcome Remove(string table, byte[] key);

    /// <summary>Removes the entries of a table that have a tag.</summary>
    void RemoveByTag(string table, string tag);

    /// <summary>Entries in no order; values null where only keys are asked for.</summary>
    IEnumerable<(byte[] Key, EntryValue? Value)> Scan(string table, byte[] prefix, bool keysOnly);
}
