// Entries of a server's tables that are kept in this process, right by the tables' watches. One memory for all its tables, which evicts what is
// used least. What is asked of entries is PileNearTable's.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Pile.Cache;
using Pile.Client.Near;

namespace Pile.Client;

/// <summary>A near cache: tables of a server, with what is read often in the memory of this process.</summary>
/// <remarks>Thread-safe; one is enough for a client. It holds what it keeps outside the GC heap. The client is not disposed with it.</remarks>
public sealed class PileNearCache : IDisposable, IAsyncDisposable
{
    private readonly PileClient _client;
    private readonly PileNearOptions _options;
    private readonly PileCache _memory;
    private readonly Dictionary<string, PileNearTable> _tables = new(StringComparer.Ordinal);
    private readonly Lock _gate = new();
    private readonly CancellationTokenSource _ends = new();
    private bool _isDisposed;

    /// <summary>A near cache of a client.</summary>
    /// <param name="client">The client; must outlive it.</param>
    /// <param name="options">The options, read now; null for the defaults.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range; the parameter's name is the option's.</exception>
    /// <exception cref="PileFullException">There is no memory for it.</exception>
    public PileNearCache(PileClient client, PileNearOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(client);
        _client = client;
        _options = Checked(options ?? new PileNearOptions());
        _memory = PileCache.Create(new PileCacheOptions { MemoryLimitBytes = _options.MemoryLimitBytes, TimeProvider = client.Link.Time });
        NearMetrics.Come(this);
    }

    /// <summary>The address of the client's server.</summary>
    public string Address => _client.Address;

    /// <summary>A table, the same one each time. Its watch begins with the first time; until it has come about, reads go to the server.</summary>
    /// <param name="name">Its name; empty for the table <c>default</c>. A table that is not there is waited for: reads fail until it is made.</param>
    /// <exception cref="ObjectDisposedException">The near cache was disposed.</exception>
    /// <exception cref="PileFullException">The memory limit has no room for a further table.</exception>
    public PileNearTable Table(string name = "")
    {
        ArgumentNullException.ThrowIfNull(name);
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            if (!_tables.TryGetValue(name, out PileNearTable? table))
            {
                // By number: the memory's names are of another kind than the server's.
                PileTable<byte[], byte[]> entries = _memory.GetOrCreateTable<byte[], byte[]>($"near {_tables.Count}");
                table = new PileNearTable(_client.Link, _client.Table(name), new NearEntries(entries), _options, _ends.Token);
                _tables.Add(name, table);
            }

            return table;
        }
    }

    /// <summary>What it holds and has done.</summary>
    /// <exception cref="ObjectDisposedException">The near cache was disposed.</exception>
    public PileNearFigures GetFigures()
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            return FiguresLocked();
        }
    }

    /// <summary>Ends the watches and gives the memory back. Calls under way end as they would have.</summary>
    public void Dispose() => DisposeAsync().AsTask().GetAwaiter().GetResult();

    /// <inheritdoc cref="Dispose"/>
    public async ValueTask DisposeAsync()
    {
        lock (_gate)
        {
            if (_isDisposed)
            {
                return;
            }

            _isDisposed = true;
        }

        NearMetrics.Leave(this);
        await _ends.CancelAsync().ConfigureAwait(false);
        await Task.WhenAll(_tables.Values.Select(static table => table.Watching)).ConfigureAwait(false);
        _ends.Dispose();
        _memory.Dispose();
    }

    /// <summary>The figures, or null when it was disposed.</summary>
    internal PileNearFigures? TryFigures()
    {
        lock (_gate)
        {
            return _isDisposed ? null : FiguresLocked();
        }
    }

    private static PileNearOptions Checked(PileNearOptions options)
    {
        Refuse(options.MemoryLimitBytes >= ClientLimits.NearMemoryMin, nameof(options.MemoryLimitBytes), options.MemoryLimitBytes, $"at least {ClientLimits.NearMemoryMin:N0} bytes");
        Refuse(options.StalenessMax >= ClientLimits.NearStalenessMin && options.StalenessMax <= ClientLimits.NearStalenessMost, nameof(options.StalenessMax), options.StalenessMax, $"{ClientLimits.NearStalenessMin} to {ClientLimits.NearStalenessMost}");
        Refuse(options.ValueBytesMax is >= 0 and <= ClientLimits.NearValueMost, nameof(options.ValueBytesMax), options.ValueBytesMax, $"0 to {ClientLimits.NearValueMost:N0} bytes");
        Refuse(!(options.TimeToLiveMax <= TimeSpan.Zero), nameof(options.TimeToLiveMax), options.TimeToLiveMax, "more than zero, or null");
        return new PileNearOptions
        {
            MemoryLimitBytes = options.MemoryLimitBytes,
            StalenessMax = options.StalenessMax,
            IsServedWhileInterrupted = options.IsServedWhileInterrupted,
            ValueBytesMax = options.ValueBytesMax,
            TimeToLiveMax = options.TimeToLiveMax,
        };

        static void Refuse(bool isGood, string name, object? value, string range)
        {
            if (!isGood)
            {
                throw new ArgumentOutOfRangeException(name, value, $"It must be {range}.");
            }
        }
    }

    private PileNearFigures FiguresLocked()
    {
        long entries = 0, hits = 0, misses = 0, changes = 0, losses = 0, interruptions = 0;
        TimeSpan? staleness = TimeSpan.Zero;
        foreach (PileNearTable table in _tables.Values)
        {
            PileCacheStatistics kept = table.Entries.Figures();
            entries += kept.Entries;
            hits += kept.Hits;
            misses += table.Reads.Misses;
            changes += table.Entries.Changes;
            losses += table.Watch.Losses;
            interruptions += table.Watch.Interruptions;
            staleness = table.Staleness is { } own && staleness is { } worst ? (own > worst ? own : worst) : null;
        }

        return new PileNearFigures(entries, _memory.GetStatistics().UsedBytes, hits, misses, changes, losses, interruptions, staleness);
    }
}
