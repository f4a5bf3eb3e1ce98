// A part of a table of text keys: the entries whose keys begin with a scope. A view: it holds nothing itself.
// Scope and key are joined by one char that no scope may contain, so that two scopes never share a key.
using System;
using System.Collections;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using Pile.Cache.Engine;
using Pile.Cache.Files;
using Pile.Cache.Keys;

namespace Pile.Cache;

/// <summary>The entries of one scope in a table.</summary>
/// <typeparam name="TValue">The type of values.</typeparam>
/// <remarks>All members are thread-safe. Entries of the scope are entries of the table, under the scope, the char U+001F and the key. Each
/// call makes that text anew. Limits and statistics are the table's.</remarks>
public sealed class PilePrefixedTable<TValue>
    where TValue : notnull
{
    /// <summary>Between scope and key: the unit separator of ASCII.</summary>
    private const char Separator = '\u001F';

    private readonly string _prefix;

    internal PilePrefixedTable(PileTable<string, TValue> table, string scope)
    {
        ArgumentException.ThrowIfNullOrEmpty(scope);
        if (scope.Contains(Separator, StringComparison.Ordinal))
        {
            throw new ArgumentException("A scope must not contain the char U+001F: it stands between scope and key.", nameof(scope));
        }

        Table = table;
        Scope = scope;
        _prefix = scope + Separator;
        if (table.AreSame(scope, _prefix))
        {
            throw new ArgumentException($"The table's comparer '{table.Parts.Options.Comparer.Name}' passes over the char U+001F, which stands between scope and key: keys of different scopes would be the same.", nameof(table));
        }
    }

    /// <summary>The table.</summary>
    public PileTable<string, TValue> Table { get; }

    /// <summary>The scope.</summary>
    public string Scope { get; }

    /// <inheritdoc cref="PileTable{TKey, TValue}.Set(TKey, TValue, in PileEntryOptions)"/>
    public PileSetResult Set(string key, TValue value, in PileEntryOptions options = default) => Table.Set(Join(key), value, options);

    /// <inheritdoc cref="PileTable{TKey, TValue}.Add(TKey, TValue, in PileEntryOptions)"/>
    public PileSetResult Add(string key, TValue value, in PileEntryOptions options = default) => Table.Add(Join(key), value, options);

    /// <inheritdoc cref="PileTable{TKey, TValue}.TryGet(TKey, out TValue)"/>
    public bool TryGet(string key, [MaybeNullWhen(false)] out TValue value) => Table.TryGet(Join(key), out value);

    /// <inheritdoc cref="PileTable{TKey, TValue}.TryLease(TKey, out PileLease)"/>
    public bool TryLease(string key, out PileLease lease) => Table.TryLease(Join(key), out lease);

    /// <inheritdoc cref="PileTablePointers.SetPointer{TKey, TValue}"/>
    public PileSetResult SetPointer(string key, PilePointer pointer, in PileEntryOptions options = default) => Table.SetPointer(Join(key), pointer, options);

    /// <inheritdoc cref="PileTablePointers.TryGetPointer{TKey, TValue}"/>
    public bool TryGetPointer(string key, out PilePointer pointer) => Table.TryGetPointer(Join(key), out pointer);

    /// <inheritdoc cref="PileTable{TKey, TValue}.ContainsKey(TKey)"/>
    public bool ContainsKey(string key) => Table.ContainsKey(Join(key));

    /// <inheritdoc cref="PileTable{TKey, TValue}.Remove(TKey)"/>
    public bool Remove(string key) => Table.Remove(Join(key));

    /// <summary>The entries of the scope, by their keys without it, as <see cref="PileTableItems.Enumerate"/> lists the table: its cost is
    /// that of the whole table. Entries of other scopes that can't be read are passed over.</summary>
    public IEnumerable<KeyValuePair<string, TValue>> Enumerate() => new Listing<KeyValuePair<string, TValue>>(() => new Steps(this));

    /// <summary>Removes the entries of the scope, those included that are kept past their end or remembered in place of a value, at the cost of a walk over the
    /// keys of the whole table. What a factory is making of a key of the scope is not stored.</summary>
    /// <returns>How many there were that had not ended.</returns>
    public int Clear()
    {
        // What is being made of keys that have no entry yet, too.
        Table.Factories.Flights.OutdateWhere(key => IsOfScope(TextKey.Read(key.Bytes)));
        int removed = 0;
        using var keys = new KeySteps(Table.Core, withHidden: true);
        while (keys.MoveNext())
        {
            string key = TextKey.Read(keys.Current);
            removed += IsOfScope(key) && Table.Remove(key) ? 1 : 0;
        }

        return removed;
    }

    private bool IsOfScope(string key) => key.Length >= _prefix.Length && Table.AreSame(key[.._prefix.Length], _prefix);

    private string Join(string key)
    {
        ArgumentNullException.ThrowIfNull(key);
        return _prefix + key;
    }

    /// <summary>A walk over the table that gives the scope's entries.</summary>
    private sealed class Steps(PilePrefixedTable<TValue> scope) : IEnumerator<KeyValuePair<string, TValue>>
    {
        private readonly ItemSteps<string, TValue> _all = new(scope.Table);

        public KeyValuePair<string, TValue> Current => IsMeant ? new(_all.Current.Key[scope._prefix.Length..], _all.Current.Value) : default;

        object IEnumerator.Current => Current;

        private bool IsMeant => _all.Current.Key is { } key && scope.IsOfScope(key);

        public bool MoveNext()
        {
            while (true)
            {
                try
                {
                    bool isThere = _all.MoveNext();
                    if (!isThere || IsMeant)
                    {
                        return isThere;
                    }
                }
                catch (Exception) when (_all.Current.Key is not null && !IsMeant)
                {
                    // Another scope's.
                }
            }
        }

        public void Reset() => _all.Reset();

        public void Dispose() => _all.Dispose();
    }
}
