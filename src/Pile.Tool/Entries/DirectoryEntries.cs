// The entries of a cache in a directory, which the tool opens as a program would: a cache that was not closed in order is recovered, and
// closed in order again. Keys and values are by the stored names of their types; none is loaded.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Pile.Cache;
using Pile.Cache.Engine;
using Pile.Cache.Files;
using Pile.Tool.Output;
using Pile.Tool.Running;

namespace Pile.Tool.Entries;

/// <summary>Entries in a directory.</summary>
/// <param name="cache">The cache, which it disposes.</param>
/// <param name="directory">The directory, for messages.</param>
internal sealed class DirectoryEntries(PileCache cache, string directory) : IEntries
{
    private const string Text = "System.String";
    private const string Raw = "System.Byte[]";
    private const string ServerPrefix = "pile.";

    private readonly Dictionary<string, PileTable<byte[], byte[]>> _open = new(StringComparer.Ordinal);

    /// <inheritdoc/>
    public void Dispose() => cache.Dispose();

    /// <inheritdoc/>
    public IReadOnlyList<TableRow> Tables() =>
    [
        .. cache.Tables.OrderBy(static table => table.Options.Name, StringComparer.Ordinal).Select(static table => new TableRow(
            table.Options.Name,
            table.Options.Kind.ToString(),
            table.Options.KeyType,
            table.Options.ValueType,
            table.Options.DefaultTimeToLive,
            table.Options.MaximumEntries,
            table.Options.MaximumBytes,
            table.Options.MinimumBytes,
            CountOf(new PileCacheStatistics().Plus(table)))),
    ];

    /// <inheritdoc/>
    public void Create(string table, TableAsked asked) => throw new ToolException(
        ExitCode.Usage, $"'{Path.GetFullPath(directory)}' is a directory: its tables are made by the server or the program that it belongs to, which keeps a list of them. Start that, and give its address.");

    /// <inheritdoc/>
    public void Clear(string table)
    {
        RefuseServers(table);
        Find(table, "give one of these").Clear();
    }

    /// <inheritdoc/>
    public void Drop(string table)
    {
        RefuseServers(table);
        _ = Find(table, "give one of these");
        _ = _open.Remove(table);
        _ = cache.DropTable(table);
    }

    /// <inheritdoc/>
    public CacheRow Figures()
    {
        PileCacheStatistics all = cache.GetStatistics();
        return new CacheRow(CountOf(all), all.UsedBytes, all.MemoryLimitBytes, all.IndexBytes, null);
    }

    /// <inheritdoc/>
    public long Damaged => cache.GetStatistics().DamagedEntries + cache.Pile.GetStatistics().CorruptedObjects;

    /// <inheritdoc/>
    public byte[] KeyOf(string table, string words)
    {
        string type = Find(table).Parts.Options.KeyType;
        byte[] key = Words.TryHex(words, out byte[] bytes) ? bytes
            : type == Raw ? Words.ToBytes(words)
            : type == Text ? StoredEntries.KeyOf(Words.TextOf(words))
            : !Scalars.Knows(type) ? throw new ToolException(ExitCode.Usage, $"Keys of the table '{table}' are of {type}, which this command can't write. Give a key's stored bytes, as 'pile scan' shows them: hex:00ff.")
            : Scalars.Parse(type, Words.TextOf(words)) ?? throw new ToolException(ExitCode.Usage, $"'{words}' is no {type}, which the keys of the table '{table}' are.");
        return key.Length <= CacheLimits.KeyBytesMax ? key : throw new ToolException(ExitCode.Usage, $"A key has at most {CacheLimits.KeyBytesMax:N0} bytes; this one has {key.Length:N0}.");
    }

    /// <inheritdoc/>
    public byte[] PrefixOf(string table, string words)
    {
        string type = Find(table).Parts.Options.KeyType;
        if (Words.TryHex(words, out byte[] bytes) || type == Raw)
        {
            return type == Raw ? Words.ToBytes(words) : bytes;
        }

        if (type == Text)
        {
            return StoredEntries.KeyOf(Words.TextOf(words));
        }

        string stored = Scalars.Knows(type) && Scalars.Parse(type, Words.TextOf(words)) is { } key ? $"hex:{Convert.ToHexStringLower(key)} is the key {words}" : "as hex:00ff";
        throw new ToolException(ExitCode.Usage, $"Keys of the table '{table}' are of {type}, and '{words}' is no beginning of one: they are compared by their stored bytes. Give the first of these: {stored}.");
    }

    /// <inheritdoc/>
    public string WordsOf(string table, byte[] key) => Find(table).Parts.Options.KeyType switch
    {
        Text or Raw => Words.Of(key),
        var type => Scalars.Json(type, key)?.Trim('"') ?? Words.Hex + Convert.ToHexStringLower(key),
    };

    /// <inheritdoc/>
    public EntryValue? Get(string table, byte[] key)
    {
        PileTable<byte[], byte[]> found = Find(table);
        return found.TryRead(key, out StoredValue value) ? ValueOf(value, found.Parts.Options.ValueType) : null;
    }

    /// <inheritdoc/>
    public EntryOutcome Set(string table, byte[] key, ValueWords value, EntryTermsAsked asked)
    {
        PileTable<byte[], byte[]> found = Find(table);
        RefuseServers(table);
        string type = found.Parts.Options.ValueType;
        var options = new PileEntryOptions { TimeToLive = asked.TimeToLive, SlidingExpiration = asked.Sliding, Priority = asked.Priority, Tags = asked.Tags.Count == 0 ? null : asked.Tags };
        SetCondition condition = asked.When switch { SetWhen.Absent => SetCondition.Absent, SetWhen.Present => SetCondition.Present, _ => SetCondition.None };
        PileSetOutcome outcome = (type switch
        {
            Raw => found.Store(key, value.ToBytes(), options, condition),
            Text => found.Store(key, value.ToText(), options, condition),
            _ => StoreScalar(found, type, key, value, options, condition),
        }).Outcome;
        return outcome switch
        {
            PileSetOutcome.Inserted => EntryOutcome.Inserted,
            PileSetOutcome.Replaced => EntryOutcome.Replaced,
            PileSetOutcome.Refused => EntryOutcome.Refused,
            PileSetOutcome.Full => throw new ToolException(ExitCode.Failed, $"'{directory}' has no room for the value: the table '{table}' evicts nothing, or the device is full. Remove entries, or free space."),
            _ => EntryOutcome.Expired,
        };
    }

    /// <inheritdoc/>
    public EntryOutcome Remove(string table, byte[] key)
    {
        RefuseServers(table);
        return Find(table).Remove(key) ? EntryOutcome.Removed : EntryOutcome.Missing;
    }

    /// <inheritdoc/>
    public void RemoveByTag(string table, string tag)
    {
        RefuseServers(table);
        Find(table).RemoveByTag(tag);
    }

    /// <inheritdoc/>
    public IEnumerable<(byte[] Key, EntryValue? Value)> Scan(string table, byte[] prefix, bool keysOnly)
    {
        PileTable<byte[], byte[]> found = Find(table);
        foreach (byte[] key in found.Keys())
        {
            if (!key.AsSpan().StartsWith(prefix))
            {
                continue;
            }

            if (keysOnly)
            {
                yield return (key, null);
            }
            else if (found.TryRead(key, out StoredValue value))
            {
                yield return (key, ValueOf(value, found.Parts.Options.ValueType));
            }
        }
    }

    private PileTable<byte[], byte[]> Find(string name, string way = "--table names one")
    {
        if (_open.TryGetValue(name, out PileTable<byte[], byte[]>? open))
        {
            return open;
        }

        PileTable<byte[], byte[]> found = cache.StoredTable(name) ?? throw new ToolException(
            ExitCode.NotFound, $"'{Path.GetFullPath(directory)}' has no table '{name}'. It has {string.Join(", ", cache.TableNames.Order(StringComparer.Ordinal).Select(static table => $"'{table}'").DefaultIfEmpty("none"))}; {way}.");
        _open.Add(name, found);
        return found;
    }

    private static PileSetResult StoreScalar(PileTable<byte[], byte[]> table, string type, byte[] key, ValueWords value, in PileEntryOptions options, SetCondition condition)
    {
        string name = table.Parts.Options.Name;
        if (!Scalars.Knows(type))
        {
            throw new ToolException(ExitCode.Refused, $"Values of the table '{name}' are of {type}, which only programs that have this type can write.");
        }

        string words = value.ToText();
        byte[] bytes = Scalars.Parse(type, words) ?? throw new ToolException(ExitCode.Usage, $"'{words}' is no {type}, which the values of the table '{name}' are.");
        return table.StoreValue(key, bytes, options, condition);
    }

    private static EntryValue ValueOf(in StoredValue value, string type) =>
        value.Text is { } text ? new EntryValue(value.TypeName, System.Text.Encoding.UTF8.GetBytes(text), text, JsonText.Of(text))
        : value.Json is { } json ? new EntryValue(value.TypeName, value.Bytes, null, json)
        : value.Kind == PileKind.Bytes ? EntryValue.OfBytes(value.Bytes)
        : value.Kind == PileKind.Value ? new EntryValue(type, value.Bytes, null, Scalars.Json(type, value.Bytes))
        : new EntryValue(type, value.Bytes, null, null);

    private static CountRow CountOf(PileCacheStatistics table) =>
        new(table.Entries, table.EntryBytes, table.Hits, table.Misses, table.Evictions, table.Expirations, table.DamagedEntries);

    private static void RefuseServers(string table)
    {
        if (table.StartsWith(ServerPrefix, StringComparison.Ordinal))
        {
            throw new ToolException(ExitCode.Refused, $"Tables whose names begin with '{ServerPrefix}' are the server's own: '{table}' is not changed.");
        }
    }
}
