// The entries of a server's cache. Keys and values are bytes there.
// Calls are made one after the other: a command line asks for one thing.
using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Pile.Cache;
using Pile.Client;
using Pile.Tool.Running;

namespace Pile.Tool.Entries;

/// <summary>Entries behind a server.</summary>
/// <param name="client">The client, which it disposes.</param>
/// <param name="stop">Ends calls.</param>
internal sealed class ServerEntries(PileClient client, CancellationToken stop) : IEntries
{
    private const string Bytes = "System.Byte[]";

    /// <inheritdoc/>
    public void Dispose() => client.Dispose();

    /// <inheritdoc/>
    public IReadOnlyList<TableRow> Tables()
    {
        List<TableRow> rows = [];
        foreach (string name in Wait(client.ListTablesAsync(stop)))
        {
            try
            {
                PileTableDescription table = Wait(client.DescribeTableAsync(name, stop));
                PileClientTableOptions options = table.Options;
                rows.Add(new TableRow(
                    table.Name,
                    options.IsDurable ? nameof(PileTableKind.Durable) : nameof(PileTableKind.Speculative),
                    Bytes,
                    Bytes,
                    options.DefaultTimeToLive > TimeSpan.Zero ? options.DefaultTimeToLive : null,
                    options.EntriesMax > 0 ? options.EntriesMax : null,
                    options.BytesMax > 0 ? options.BytesMax : null,
                    options.BytesMin,
                    CountOf(table.Figures)));
            }
            catch (PileClientException gone) when (gone.Code == Grpc.Core.StatusCode.NotFound)
            {
                // Dropped since it was listed.
            }
        }

        return rows;
    }

    /// <inheritdoc/>
    public void Create(string table, TableAsked asked) => _ = Wait(client.CreateTableAsync(
        table,
        new PileClientTableOptions { IsDurable = asked.IsDurable, DefaultTimeToLive = asked.TimeToLive ?? TimeSpan.Zero, EntriesMax = asked.EntriesMax, BytesMax = asked.BytesMax },
        stop));

    /// <inheritdoc/>
    public void Clear(string table) => client.Table(table).ClearAsync(stop).GetAwaiter().GetResult();

    /// <inheritdoc/>
    public void Drop(string table)
    {
        if (!Wait(client.DropTableAsync(table, stop)))
        {
            throw new ToolException(ExitCode.NotFound, $"There is no table '{table}'. 'pile tables' lists those that there are.");
        }
    }

    /// <inheritdoc/>
    public CacheRow Figures()
    {
        PileServerStats stats = Wait(client.GetStatsAsync(stop));
        return new CacheRow(
            CountOf(stats.Figures), stats.UsedBytes, stats.MemoryLimitBytes, stats.IndexBytes, new ServerRow(stats.Version, stats.Calls, stats.FailedCalls, stats.ReceivingBytes, stats.ReceiveBudgetBytes));
    }

    /// <inheritdoc/>
    public long Damaged => Figures().Counts.DamagedEntries;

    /// <inheritdoc/>
    public byte[] KeyOf(string table, string words) => Words.ToBytes(words);

    /// <inheritdoc/>
    public byte[] PrefixOf(string table, string words) => Words.ToBytes(words);

    /// <inheritdoc/>
    public string WordsOf(string table, byte[] key) => Words.Of(key);

    /// <inheritdoc/>
    public EntryValue? Get(string table, byte[] key) => Wait(client.Table(table).GetAsync(key, stop).AsTask()) is { } value ? EntryValue.OfBytes(value) : null;

    /// <inheritdoc/>
    public EntryOutcome Set(string table, byte[] key, ValueWords value, EntryTermsAsked asked)
    {
        PileClientTable entries = client.Table(table);
        byte[] bytes = value.ToBytes();
        var terms = new PileClientTerms
        {
            TimeToLive = asked.TimeToLive,
            SlidingExpiration = asked.Sliding,
            Priority = asked.Priority switch
            {
                PileCachePriority.Low => PileClientPriority.Low,
                PileCachePriority.Normal => PileClientPriority.Normal,
                PileCachePriority.High => PileClientPriority.High,
                PileCachePriority.NeverRemove => PileClientPriority.NeverRemove,
                _ => PileClientPriority.Table,
            },
            Tags = asked.Tags.Count == 0 ? null : asked.Tags,
        };
        return asked.When switch
        {
            SetWhen.Absent => Wait(entries.AddAsync(key, bytes, terms, stop)) ? EntryOutcome.Inserted : EntryOutcome.Refused,
            SetWhen.Present => Wait(entries.ReplaceAsync(key, bytes, terms, stop)) ? EntryOutcome.Replaced : EntryOutcome.Refused,
            _ => Wait(entries.SetAsync(key, bytes, terms, stop).AsTask()) switch
            {
                PileClientOutcome.Inserted => EntryOutcome.Inserted,
                PileClientOutcome.Replaced => EntryOutcome.Replaced,
                _ => EntryOutcome.Expired,
            },
        };
    }

    /// <inheritdoc/>
    public EntryOutcome Remove(string table, byte[] key) => Wait(client.Table(table).RemoveAsync(key, stop).AsTask()) ? EntryOutcome.Removed : EntryOutcome.Missing;

    /// <inheritdoc/>
    public void RemoveByTag(string table, string tag) => client.Table(table).RemoveByTagAsync(tag, stop).GetAwaiter().GetResult();

    /// <inheritdoc/>
    public IEnumerable<(byte[] Key, EntryValue? Value)> Scan(string table, byte[] prefix, bool keysOnly)
    {
        foreach (PileClientEntry entry in client.Table(table).ScanAsync(prefix, keysOnly, stop).ToBlockingEnumerable(stop))
        {
            yield return (entry.Key.ToArray(), keysOnly ? null : EntryValue.OfBytes(entry.Value.ToArray()));
        }
    }

    private static T Wait<T>(Task<T> call) => call.GetAwaiter().GetResult();

    private static CountRow CountOf(PileClientFigures figures) =>
        new(figures.Entries, figures.EntryBytes, figures.Hits, figures.Misses, figures.Evictions, figures.Expirations, figures.DamagedEntries);
}
