// A table of a server with entries that are kept in this process too. A read that finds its entry here asks nobody; the watch of the table drops
// what others change. Writes go to the server and drop what is here: the next read has the new value.
using System;
using System.Buffers;
using System.Threading;
using System.Threading.Tasks;
using Pile.Client.Calls;
using Pile.Client.Near;

namespace Pile.Client;

/// <summary>A table of a server, near. Made by <see cref="PileNearCache.Table"/>.</summary>
/// <remarks>Thread-safe. Each read sees every change that the server had acknowledged <see cref="PileNearOptions.StalenessMax"/> before it began, every change
/// made through this table before it began, and nothing older than what a read through this table that had ended before has seen. It fails as those of <see cref="PileClientTable"/> do where it
/// has to ask the server, and with <see cref="ObjectDisposedException"/> when the near cache is disposed.</remarks>
public sealed class PileNearTable
{
    private readonly NearEntries _entries;
    private readonly NearGate _gate;
    private readonly NearReads _reads;
    private readonly NearWatch _watch;

    internal PileNearTable(ServerLink link, PileClientTable server, NearEntries entries, PileNearOptions options, CancellationToken ends)
    {
        Server = server;
        _entries = entries;
        _gate = new NearGate(link.Time, options.StalenessMax);
        _reads = new NearReads(link, server.Name, entries, options);
        _watch = new NearWatch(link, server.Name, entries, _gate, options);
        Watching = Task.Run(() => _watch.RunAsync(ends), CancellationToken.None);
    }

    /// <summary>Its name; empty for <c>default</c>.</summary>
    public string Name => Server.Name;

    /// <summary>The table itself, for all other calls. What they change is seen here as what other clients change is; <see cref="Forget"/> makes it at once.</summary>
    public PileClientTable Server { get; }

    /// <summary>How old an answer from here can be; null while reads go to the server, because no watch has come about or none was heard of for too long.</summary>
    public TimeSpan? Staleness => _gate.Staleness;

    /// <summary>Why the watch is interrupted at the moment, or null while it is not. It goes on by itself.</summary>
    public Exception? WatchFailure => _watch.Failure;

    /// <summary>Done once entries are served from here for the first time. No read needs to wait for it.</summary>
    public Task Ready => _gate.Opened;

    /// <summary>Done when the watch has ended, with the near cache or the client.</summary>
    internal Task Watching { get; }

    internal NearEntries Entries => _entries;

    internal NearReads Reads => _reads;

    internal NearWatch Watch => _watch;

    /// <summary>Reads an entry if it is here. Asks nobody and allocates nothing.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="destination">Where the value goes, if it fits.</param>
    /// <param name="bytesWritten">The value's bytes, also where they don't fit and nothing was copied; 0 where it is not here.</param>
    /// <returns>Whether it is here and the destination holds it.</returns>
    public bool TryGet(PileKey key, Span<byte> destination, out int bytesWritten)
    {
        int bytes = Look(key, destination);
        bytesWritten = int.Max(0, bytes);
        return (uint)bytes <= (uint)destination.Length;
    }

    /// <summary>Reads an entry into memory. Allocates nothing where it is here.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="destination">Where the value goes, if it fits.</param>
    /// <param name="cancel">Ends the wait for the server.</param>
    /// <returns>The value's bytes; -1 where there is no entry. More than the destination has: nothing was copied.</returns>
    /// <exception cref="PileClientException">The call failed.</exception>
    public ValueTask<int> GetAsync(PileKey key, Memory<byte> destination, CancellationToken cancel = default)
    {
        int bytes = Look(key, destination.Span);
        return bytes >= 0 ? new ValueTask<int>(bytes) : new ValueTask<int>(AskAsync(key, destination, cancel));
    }

    /// <summary>Reads an entry.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="cancel">Ends the wait for the server.</param>
    /// <returns>The value, an array of the caller's own, or null where there is no entry.</returns>
    /// <exception cref="PileClientException">The call failed.</exception>
    public ValueTask<byte[]?> GetAsync(PileKey key, CancellationToken cancel = default) => TryLease(key, out PileLease lease)
        ? new ValueTask<byte[]?>(CopyOf(lease))
        : new ValueTask<byte[]?>(AskAsync(key, cancel));

    /// <summary>Reads an entry without a copy. Allocates nothing where it is here.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="state">Given to <paramref name="read"/>.</param>
    /// <param name="read">Given the value's bytes, which are valid only during its call; not called where there is no entry. What it throws comes through.</param>
    /// <param name="cancel">Ends the wait for the server.</param>
    /// <returns>Whether there is an entry.</returns>
    /// <exception cref="PileClientException">The call failed.</exception>
    public ValueTask<bool> GetAsync<TState>(PileKey key, TState state, ReadOnlySpanAction<byte, TState> read, CancellationToken cancel = default)
    {
        ArgumentNullException.ThrowIfNull(read);
        if (!TryLease(key, out PileLease lease))
        {
            return new ValueTask<bool>(AskAsync(key, state, read, cancel));
        }

        using (lease)
        {
            read(lease.Bytes, state);
        }

        return new ValueTask<bool>(true);
    }

    /// <summary>Reads an entry into a writer.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="destination">Where the value goes. What it throws comes through.</param>
    /// <param name="cancel">Ends the wait for the server.</param>
    /// <returns>Whether there is an entry.</returns>
    /// <exception cref="PileClientException">The call failed.</exception>
    public ValueTask<bool> GetAsync(PileKey key, IBufferWriter<byte> destination, CancellationToken cancel = default)
    {
        ArgumentNullException.ThrowIfNull(destination);
        return GetAsync(key, destination, static (bytes, target) => target.Write(bytes), cancel);
    }

    /// <summary>Stores an entry on the server. Reads through this table that begin after it have it, or what came later.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="value">The value; must not change until the call is done.</param>
    /// <param name="terms">Its terms.</param>
    /// <param name="cancel">Ends the call; it may have been done or not then.</param>
    /// <returns>Inserted, Replaced, or Expired.</returns>
    /// <exception cref="PileClientException">The call failed.</exception>
    public async ValueTask<PileClientOutcome> SetAsync(PileKey key, ReadOnlyMemory<byte> value, PileClientTerms terms = default, CancellationToken cancel = default)
    {
        _entries.RefuseEnded();
        try
        {
            return await Server.SetAsync(key, value, terms, cancel).ConfigureAwait(false);
        }
        finally
        {
            _entries.Drop(key);
        }
    }

    /// <summary>Removes an entry on the server, and here.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="cancel">Ends the call; it may have been done or not then.</param>
    /// <returns>Whether there was one.</returns>
    /// <exception cref="PileClientException">The call failed.</exception>
    public async ValueTask<bool> RemoveAsync(PileKey key, CancellationToken cancel = default)
    {
        _entries.RefuseEnded();
        try
        {
            return await Server.RemoveAsync(key, cancel).ConfigureAwait(false);
        }
        finally
        {
            _entries.Drop(key);
        }
    }

    /// <summary>Takes all entries that were stored with a tag. Here everything is dropped: what has the tag is not known.</summary>
    /// <param name="tag">The tag; "*" takes all entries.</param>
    /// <param name="cancel">Ends the call; it may have been done or not then.</param>
    /// <exception cref="PileClientException">The call failed.</exception>
    public async Task RemoveByTagAsync(string tag, CancellationToken cancel = default)
    {
        _entries.RefuseEnded();
        try
        {
            await Server.RemoveByTagAsync(tag, cancel).ConfigureAwait(false);
        }
        finally
        {
            _entries.Clear();
        }
    }

    /// <summary>Removes all entries on the server, and here.</summary>
    /// <param name="cancel">Ends the call; it may have been done or not then.</param>
    /// <exception cref="PileClientException">The call failed.</exception>
    public async Task ClearAsync(CancellationToken cancel = default)
    {
        _entries.RefuseEnded();
        try
        {
            await Server.ClearAsync(cancel).ConfigureAwait(false);
        }
        finally
        {
            _entries.Clear();
        }
    }

    /// <summary>Drops an entry here: the next read asks the server. For who has changed it by other calls than those of this table.</summary>
    /// <param name="key">Its key.</param>
    public void Forget(PileKey key) => _entries.Drop(key);

    private static byte[] CopyOf(PileLease lease)
    {
        using (lease)
        {
            return lease.Bytes.ToArray();
        }
    }

    // The gate first: what is found after it was no older than the bound when the read began.
    private int Look(in PileKey key, Span<byte> destination)
    {
        if (!_gate.IsOpen)
        {
            return -1;
        }

        if (key.Text is { Length: > ClientLimits.NearKeyOnStack / 3 } or null)
        {
            return _entries.Copy(key.AsMemory().Span, destination);
        }

        Span<byte> bytes = stackalloc byte[ClientLimits.NearKeyOnStack];
        return _entries.Copy(bytes[..key.CopyTo(bytes)], destination);
    }

    private bool TryLease(in PileKey key, out PileLease lease)
    {
        if (!_gate.IsOpen)
        {
            lease = default;
            return false;
        }

        if (key.Text is { Length: > ClientLimits.NearKeyOnStack / 3 } or null)
        {
            return _entries.TryLease(key.AsMemory().Span, out lease);
        }

        Span<byte> bytes = stackalloc byte[ClientLimits.NearKeyOnStack];
        return _entries.TryLease(bytes[..key.CopyTo(bytes)], out lease);
    }

    private async Task<int> AskAsync(PileKey key, Memory<byte> destination, CancellationToken cancel)
    {
        byte[]? value = await _reads.ReadAsync(key, cancel).ConfigureAwait(false);
        if (value?.Length <= destination.Length)
        {
            value.CopyTo(destination);
        }

        return value?.Length ?? -1;
    }

    private async Task<byte[]?> AskAsync(PileKey key, CancellationToken cancel) => (byte[]?)(await _reads.ReadAsync(key, cancel).ConfigureAwait(false))?.Clone();

    private async Task<bool> AskAsync<TState>(PileKey key, TState state, ReadOnlySpanAction<byte, TState> read, CancellationToken cancel)
    {
        byte[]? value = await _reads.ReadAsync(key, cancel).ConfigureAwait(false);
        if (value is not null)
        {
            read(value, state);
        }

        return value is not null;
    }
}
