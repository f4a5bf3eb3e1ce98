// The entries of one table of a server. Calls on one entry travel together with those of other callers; calls on many are cut into messages
// that the server takes; large values go in chunks.
using System;
using System.Buffers;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using Pile.Client.Calls;

namespace Pile.Client;

/// <summary>A table of a server. A handle: making one costs nothing and asks nothing.</summary>
/// <remarks>Thread-safe. All calls throw a <see cref="PileClientException"/> when they fail, an <see cref="OperationCanceledException"/> when their
/// token is cancelled, and <see cref="ObjectDisposedException"/> when the client is disposed. Reads, plain stores, removals and
/// refreshes are tried again when they fail in passing; an outcome is then that of the last try. What has a condition or counts is tried
/// again only where it has surely not been done.</remarks>
public sealed class PileClientTable
{
    private readonly ServerLink _link;

    internal PileClientTable(ServerLink link, string name)
    {
        _link = link;
        Name = name;
    }

    /// <summary>Its name; empty for <c>default</c>.</summary>
    public string Name { get; }

    /// <summary>How calls are made.</summary>
    internal ServerLink Link => _link;

    /// <summary>The same table for callers that block a thread while they wait (<see cref="ServerLink.Blocking"/>).</summary>
    internal PileClientTable Blocking => new(_link.Blocking, Name);

    /// <summary>Reads an entry.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="cancel">Ends the call.</param>
    /// <returns>The value, or null where there is no entry.</returns>
    public ValueTask<byte[]?> GetAsync(PileKey key, CancellationToken cancel = default) =>
        SingleCalls.GetAsync(_link, Name, key, 0, static (isThere, value, _) => isThere ? value.ToArray() : null, cancel);

    /// <summary>Reads an entry without a copy.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="state">Given to <paramref name="read"/>.</param>
    /// <param name="read">Given the value's bytes, which are valid only during its call; not called where there is no entry. It should be quick:
    /// other callers' values wait behind it.</param>
    /// <param name="cancel">Ends the call.</param>
    /// <returns>Whether there is an entry.</returns>
    public ValueTask<bool> GetAsync<TState>(PileKey key, TState state, ReadOnlySpanAction<byte, TState> read, CancellationToken cancel = default)
    {
        ArgumentNullException.ThrowIfNull(read);
        return SingleCalls.GetAsync(
            _link,
            Name,
            key,
            (state, read),
            static (isThere, value, caller) =>
            {
                if (isThere)
                {
                    caller.read(value, caller.state);
                }

                return isThere;
            },
            cancel);
    }

    /// <summary>Reads an entry into memory.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="destination">Where the value goes, if it fits.</param>
    /// <param name="cancel">Ends the call.</param>
    /// <returns>The value's bytes; -1 where there is no entry. More than the destination has: nothing was copied.</returns>
    public ValueTask<int> GetAsync(PileKey key, Memory<byte> destination, CancellationToken cancel = default) => SingleCalls.GetAsync(
        _link,
        Name,
        key,
        destination,
        static (isThere, value, target) =>
        {
            if (isThere && value.Length <= target.Length)
            {
                value.CopyTo(target.Span);
            }

            return isThere ? value.Length : -1;
        },
        cancel);

    /// <summary>Reads an entry into a writer.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="destination">Where the value goes. What it throws comes through.</param>
    /// <param name="cancel">Ends the call.</param>
    /// <returns>Whether there is an entry.</returns>
    public ValueTask<bool> GetAsync(PileKey key, IBufferWriter<byte> destination, CancellationToken cancel = default)
    {
        ArgumentNullException.ThrowIfNull(destination);
        return GetAsync(key, destination, static (bytes, target) => target.Write(bytes), cancel);
    }

    /// <summary>Reads an entry with its version, for <see cref="CompareAndSetAsync"/> and <see cref="CompareAndRemoveAsync"/>.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="cancel">Ends the call.</param>
    /// <returns>Both; the default where there is no entry.</returns>
    /// <exception cref="PileClientException">The call failed; TooLarge where the value is beyond one message of the server (its MessageBytesMax): chunks have no version.</exception>
    public async Task<PileVersionedValue> GetWithVersionAsync(PileKey key, CancellationToken cancel = default)
    {
        V1.GetReply reply = await _link.CallAsync(_link.Entries.GetAsync, new V1.GetRequest { Table = Name, Key = WireForm.KeyOf(key), WantVersion = true }, isIdempotent: true, cancel).ConfigureAwait(false);
        return reply.Found ? new PileVersionedValue(reply.Value.ToByteArray(), new PileClientVersion(reply.Version?.Number ?? 0, reply.Version?.CreatedMs ?? 0)) : default;
    }

    /// <summary>Stores an entry, in place of one that is there.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="value">The value; must not change until the call is done.</param>
    /// <param name="terms">Its terms.</param>
    /// <param name="cancel">Ends the call.</param>
    /// <returns>Inserted, Replaced, or Expired.</returns>
    /// <remarks>It is tried again when its answer was lost, and may then take the place of what another client stored in between.
    /// <see cref="CompareAndSetAsync"/> never does.</remarks>
    public ValueTask<PileClientOutcome> SetAsync(PileKey key, ReadOnlyMemory<byte> value, PileClientTerms terms = default, CancellationToken cancel = default) =>
        SingleCalls.SetAsync(_link, Name, key, value, terms, cancel);

    /// <summary>Stores an entry where there is none.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="value">The value; must not change until the call is done.</param>
    /// <param name="terms">Its terms.</param>
    /// <param name="cancel">Ends the call.</param>
    /// <returns>Whether it was stored.</returns>
    public async Task<bool> AddAsync(PileKey key, ReadOnlyMemory<byte> value, PileClientTerms terms = default, CancellationToken cancel = default) =>
        await SingleCalls.SetWhenAsync(_link, Name, key, value, terms, V1.SetWhen.Absent, cancel).ConfigureAwait(false) is PileClientOutcome.Inserted or PileClientOutcome.Replaced;

    /// <summary>Stores an entry in place of one that is there.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="value">The value; must not change until the call is done.</param>
    /// <param name="terms">Its terms.</param>
    /// <param name="cancel">Ends the call.</param>
    /// <returns>Whether it was stored.</returns>
    public async Task<bool> ReplaceAsync(PileKey key, ReadOnlyMemory<byte> value, PileClientTerms terms = default, CancellationToken cancel = default) =>
        await SingleCalls.SetWhenAsync(_link, Name, key, value, terms, V1.SetWhen.Present, cancel).ConfigureAwait(false) is PileClientOutcome.Inserted or PileClientOutcome.Replaced;

    /// <summary>Stores an entry where it still has the version that was read.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="value">The value; must not change until the call is done.</param>
    /// <param name="version">The version, of <see cref="GetWithVersionAsync"/>.</param>
    /// <param name="terms">Its terms; those of the former entry are not kept.</param>
    /// <param name="cancel">Ends the call.</param>
    /// <returns>Whether it was stored.</returns>
    public async Task<bool> CompareAndSetAsync(PileKey key, ReadOnlyMemory<byte> value, PileClientVersion version, PileClientTerms terms = default, CancellationToken cancel = default)
    {
        var request = new V1.CompareAndSetRequest { Table = Name, Key = WireForm.KeyOf(key), Value = WireForm.ValueOf(value), Terms = WireForm.TermsOf(terms), Version = WireForm.VersionOf(version) };
        return (await _link.CallAsync(_link.Entries.CompareAndSetAsync, request, isIdempotent: false, cancel).ConfigureAwait(false)).Outcome is V1.Outcome.Inserted or V1.Outcome.Replaced;
    }

    /// <summary>Removes an entry where it still has the version that was read.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="version">The version, of <see cref="GetWithVersionAsync"/>.</param>
    /// <param name="cancel">Ends the call.</param>
    /// <returns>Removed, Missing, or Refused.</returns>
    public async Task<PileClientOutcome> CompareAndRemoveAsync(PileKey key, PileClientVersion version, CancellationToken cancel = default)
    {
        var request = new V1.CompareAndRemoveRequest { Table = Name, Key = WireForm.KeyOf(key), Version = WireForm.VersionOf(version) };
        return (PileClientOutcome)(int)(await _link.CallAsync(_link.Entries.CompareAndRemoveAsync, request, isIdempotent: false, cancel).ConfigureAwait(false)).Outcome;
    }

    /// <summary>Removes an entry.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="cancel">Ends the call.</param>
    /// <returns>Whether there was one.</returns>
    public ValueTask<bool> RemoveAsync(PileKey key, CancellationToken cancel = default) => SingleCalls.RemoveAsync(_link, Name, key, cancel);

    /// <summary>Uses an entry as a read does, so that one with a sliding end lives on.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="cancel">Ends the call.</param>
    /// <returns>Whether there is one.</returns>
    public async Task<bool> RefreshAsync(PileKey key, CancellationToken cancel = default)
    {
        var request = new V1.RefreshRequest { Table = Name, Key = WireForm.KeyOf(key) };
        return (await _link.CallAsync(_link.Entries.RefreshAsync, request, isIdempotent: true, cancel).ConfigureAwait(false)).Found;
    }

    /// <summary>Adds to a number as one step. The value of such an entry is 8 bytes, little-endian.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="by">What is added; may be negative.</param>
    /// <param name="initial">What an entry that is not there counts as.</param>
    /// <param name="terms">Terms of the entry that is stored. Where they have no end, an entry that is there keeps its own.</param>
    /// <param name="cancel">Ends the call.</param>
    /// <returns>The number after the call.</returns>
    public async Task<long> IncrementAsync(PileKey key, long by = 1, long initial = 0, PileClientTerms terms = default, CancellationToken cancel = default)
    {
        bool keepsEnd = terms is { TimeToLive: null, SlidingExpiration: null, AbsoluteExpiration: null };
        var request = new V1.IncrementRequest { Table = Name, Key = WireForm.KeyOf(key), By = by, Initial = initial, Terms = WireForm.TermsOf(terms), KeepEnd = keepsEnd };
        return (await _link.CallAsync(_link.Entries.IncrementAsync, request, isIdempotent: false, cancel).ConfigureAwait(false)).Value;
    }

    /// <summary>Reads many entries.</summary>
    /// <param name="keys">Their keys.</param>
    /// <param name="cancel">Ends the call.</param>
    /// <returns>For each key its value, or null where there is no entry.</returns>
    public Task<byte[]?[]> GetManyAsync(IReadOnlyList<PileKey> keys, CancellationToken cancel = default)
    {
        ArgumentNullException.ThrowIfNull(keys);
        return ManyCalls.GetAsync(_link, Name, keys, cancel);
    }

    /// <summary>Stores many entries with the same terms. No transaction: each is stored by itself, in their order.</summary>
    /// <param name="entries">Keys and values; must not change until the call is done.</param>
    /// <param name="terms">Terms of all of them.</param>
    /// <param name="cancel">Ends the call.</param>
    /// <returns>For each entry Inserted, Replaced, Expired, or Full.</returns>
    public Task<PileClientOutcome[]> SetManyAsync(IReadOnlyList<KeyValuePair<PileKey, ReadOnlyMemory<byte>>> entries, PileClientTerms terms = default, CancellationToken cancel = default)
    {
        ArgumentNullException.ThrowIfNull(entries);
        return ManyCalls.SetAsync(_link, Name, entries, WireForm.TermsOf(terms), cancel);
    }

    /// <summary>Removes many entries.</summary>
    /// <param name="keys">Their keys.</param>
    /// <param name="cancel">Ends the call.</param>
    /// <returns>How many there were.</returns>
    public Task<int> RemoveManyAsync(IReadOnlyList<PileKey> keys, CancellationToken cancel = default)
    {
        ArgumentNullException.ThrowIfNull(keys);
        return ManyCalls.RemoveAsync(_link, Name, keys, cancel);
    }

    /// <summary>Reads a value chunk by chunk into a stream, however large it is. Small values come sooner by <see cref="GetAsync(PileKey, CancellationToken)"/>.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="destination">Where the value goes; after a failure it may have a part of it.</param>
    /// <param name="cancel">Ends the call.</param>
    /// <returns>The value's bytes; -1 where there is no entry.</returns>
    public Task<long> GetLargeAsync(PileKey key, Stream destination, CancellationToken cancel = default)
    {
        ArgumentNullException.ThrowIfNull(destination);
        return LargeCalls.GetAsync(_link, Name, key.ToArray(), destination, cancel);
    }

    /// <summary>Stores a value that is read from a stream, chunk by chunk. It is stored when all has come, and not at all otherwise.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="value">The value.</param>
    /// <param name="length">Bytes of the value that the stream has from where it stands; 0 to 268,435,455.</param>
    /// <param name="terms">Its terms.</param>
    /// <param name="cancel">Ends the call.</param>
    /// <returns>Inserted, Replaced, or Expired.</returns>
    /// <exception cref="EndOfStreamException">The stream is shorter than said; nothing was stored.</exception>
    public async Task<PileClientOutcome> SetLargeAsync(PileKey key, Stream value, long length, PileClientTerms terms = default, CancellationToken cancel = default)
    {
        ArgumentNullException.ThrowIfNull(value);
        ArgumentOutOfRangeException.ThrowIfNegative(length);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(length, ClientLimits.ValueBytesMax);
        return (PileClientOutcome)(int)await LargeCalls.SetAsync(_link, Name, key, value, length, WireForm.TermsOf(terms), cancel).ConfigureAwait(false);
    }

    /// <summary>Takes all entries that were stored with a tag, in constant time.</summary>
    /// <param name="tag">The tag; "*" takes all entries.</param>
    /// <param name="cancel">Ends the call.</param>
    public async Task RemoveByTagAsync(string tag, CancellationToken cancel = default)
    {
        ArgumentException.ThrowIfNullOrEmpty(tag);
        _ = await _link.CallAsync(_link.Entries.RemoveByTagAsync, new V1.RemoveByTagRequest { Table = Name, Tag = tag }, isIdempotent: true, cancel).ConfigureAwait(false);
    }

    /// <summary>Removes all entries.</summary>
    /// <param name="cancel">Ends the call.</param>
    public async Task ClearAsync(CancellationToken cancel = default) =>
        _ = await _link.CallAsync(_link.Tables.ClearAsync, new V1.ClearTableRequest { Table = Name }, isIdempotent: true, cancel).ConfigureAwait(false);

    /// <summary>Lists entries, in no order. One that is there throughout comes exactly once.</summary>
    /// <param name="prefix">How keys begin; the default for all entries.</param>
    /// <param name="keysOnly">Whether values stay away.</param>
    /// <param name="cancel">Ends the listing.</param>
    /// <remarks>Between two pages, of about 256 KiB, a minute may pass. A page that was lost ends the listing with an error; it is begun anew then.</remarks>
    public IAsyncEnumerable<PileClientEntry> ScanAsync(PileKey prefix = default, bool keysOnly = false, CancellationToken cancel = default) => ManyCalls.ScanAsync(_link, Name, prefix, keysOnly, cancel);

    /// <summary>Tells what changes, and goes on by itself when the connection ends or the server is started anew.</summary>
    /// <param name="prefix">How keys begin; the default for all.</param>
    /// <param name="cancel">Ends the watch.</param>
    /// <returns>Changes in groups, in the order in which they took effect for each key. The first group, which may be empty, comes at once: every change
    /// after it is told. A <see cref="PileChangeKind.Lost"/> says that some before the others of its group are missing.</returns>
    /// <remarks>Who does not ask for the next group holds up nobody: the server goes on and tells what was lost. It ends with a
    /// <see cref="PileClientException"/> where trying again can't help, NOT_FOUND for example. A <see cref="PileClientOptions.TokenProvider"/> that fails ends it
    /// before its first group only, and is asked again after.</remarks>
    public IAsyncEnumerable<IReadOnlyList<PileChange>> WatchAsync(PileKey prefix = default, CancellationToken cancel = default) => WatchCalls.WatchAsync(_link, Name, prefix, cancel);
}
