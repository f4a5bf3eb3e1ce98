// The cache behind a HybridCache, shared with other machines. Its failures are nobody's but the log's: a read that fails finds nothing, and
// what a failed write or removal leaves there is not believed by this process until one gets through.
using System;
using System.Buffers;
using System.Buffers.Binary;
using System.Linq;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Logging;
using Pile.Cache;

namespace Pile.Caching.Hybrid;

/// <summary>The entries of the cache behind. Thread-safe.</summary>
/// <param name="cache">That cache.</param>
/// <param name="prefix">What its keys begin with.</param>
/// <param name="table">The table before it: its clock, and its name in measurements.</param>
/// <param name="logger">Where failures go.</param>
internal sealed class HybridBehind(IDistributedCache cache, string prefix, PileTable<string, byte[]> table, ILogger logger)
{
    /// <summary>The tag that stands for all entries.</summary>
    internal const string AllTag = "*";

    private readonly BehindState _state = BehindState.Of(table.Parts, prefix);
    private readonly FailureLog _failures = new(logger, table.Parts.Clock.Provider);
    private readonly IBufferDistributedCache? _buffered = cache as IBufferDistributedCache;

    /// <summary>Whether a key may stand there: caches that keep keys as UTF-8 take all halves of surrogate pairs for one char, and keys with them for one key.</summary>
    internal static bool Takes(string key) => IsWellFormed(key);

    /// <summary>Now, in ticks of UTC.</summary>
    internal long Now => table.Parts.Clock.Now;

    /// <summary>Begins a call's change of an entry there, which may write, remove and take back until it is disposed.</summary>
    /// <param name="key">The key.</param>
    /// <param name="outdatedTicks">What was made up to then is not believed until all changes of the key that are under way are over: one of them may put
    /// it there yet. 0 for a change that outdates nothing.</param>
    internal ChangesUnderWay.Change Begin(string key, long outdatedTicks) => _state.Changes.Begin(EntryPlace(key), outdatedTicks);

    /// <summary>Reads an entry; null when there is none that counts.</summary>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    internal async ValueTask<HybridEnvelope?> ReadAsync(string key, CancellationToken token)
    {
        string place = EntryPlace(key);

        // Before it is asked: what is there by then may be taken away, and be believed again, before its answer is here. Who removes or sets the key
        // after this outdates the call that reads.
        long outdatedTicks = long.Max(_state.Doubts.Of(place), _state.Changes.Of(place));
        try
        {
            HybridEnvelope? found = await FindAsync(place, token).ConfigureAwait(false);
            bool counts = found is not null && found.EndTicks > Now && found.CreatedTicks > outdatedTicks && await HasItsTagsAsync(found, token).ConfigureAwait(false);
            CacheMetrics.CountBehind(table.Parts, "read", counts ? "hit" : "miss");
            return counts ? found : null;
        }
#pragma warning disable CA1031 // Whatever that cache throws, callers go on without it; it is told.
        catch (Exception failure) when (!IsOfCaller(failure, token))
#pragma warning restore CA1031
        {
            Fail("read", place, failure);
            return null;
        }
    }

    /// <summary>Writes an entry.</summary>
    /// <exception cref="OperationCanceledException">The token was cancelled; what is there of before is not believed.</exception>
    internal async ValueTask WriteAsync(string key, HybridEnvelope entry, TimeSpan life, CancellationToken token)
    {
        string place = EntryPlace(key);

        // No longer than the note of a removal of all entries, or of one of its tags.
        TimeSpan lives = life > CachingLimits.TagRemovalLifetime ? CachingLimits.TagRemovalLifetime : life;
        await ChangeAsync("write", place, entry.CreatedTicks, () => StoreAsync(place, entry.ToBytes(), lives, token), token).ConfigureAwait(false);
    }

    /// <summary>Removes an entry.</summary>
    internal ValueTask RemoveAsync(string key, CancellationToken token)
    {
        string place = EntryPlace(key);
        return ChangeAsync("remove", place, Now, () => new ValueTask(cache.RemoveAsync(place, token)), token);
    }

    /// <summary>Notes there that a tag was removed now: entries with it that began to be made before count no more, for nobody; for this process from when this returns.</summary>
    /// <returns>Ends when the note is there, or has failed; a call that is given up leaves it under way.</returns>
    internal Task RemoveTagAsync(string tag)
    {
        string place = TagPlace(tag);
        RemovedBy(tag).Add(place, Now);
        return _state.TagTurns.WriteAsync(place, async () =>
        {
            // Not before the moment of anybody who has part in it.
            long now = Now;
            RemovedBy(tag).Add(place, now);
            byte[] moment = new byte[sizeof(long)];
            BinaryPrimitives.WriteInt64LittleEndian(moment, now);

            // It has nobody's token, and who comes after it waits: a cache that never answers must not keep the tag from being removed once it does again.
            // What is given up may land yet, over a later note: this process goes by what it remembers.
            using var late = new CancellationTokenSource(CachingLimits.TagNoteWait, table.Parts.Clock.Provider);
            await ChangeAsync(
                "remove", place, now, async () => await StoreAsync(place, moment, CachingLimits.TagRemovalLifetime, late.Token).AsTask().WaitAsync(late.Token).ConfigureAwait(false), CancellationToken.None).ConfigureAwait(false);
        });
    }

    /// <summary>Tells that an entry's value could not be read as a type.</summary>
    internal void TellUnreadable(string key, Type type, Exception? failure) =>
        Fail("read", EntryPlace(key), failure ?? new InvalidOperationException($"The value is of another type or form than {type}."));

    private string EntryPlace(string key) => $"{prefix}e:{key}";

    /// <summary>Where a tag's removal is noted. Half of a surrogate pair stands as it comes back in the tags of an entry, and counts for the table.</summary>
    private string TagPlace(string tag) => $"{prefix}t:{(IsWellFormed(tag) ? tag : Encoding.UTF8.GetString(Encoding.UTF8.GetBytes(tag)))}";

    private Doubts RemovedBy(string tag) => tag == AllTag ? _state.RemovedAll : _state.RemovedTags;

    private static bool IsWellFormed(string text)
    {
        for (int at = 0; at < text.Length;)
        {
            if (Rune.DecodeFromUtf16(text.AsSpan(at), out _, out int chars) != OperationStatus.Done)
            {
                return false;
            }

            at += chars;
        }

        return true;
    }

    private static bool IsOfCaller(Exception failure, CancellationToken token) => failure is OperationCanceledException && token.IsCancellationRequested;

    /// <summary>Does a write or a removal. Until it has got through, what is there up to its moment is not believed.</summary>
    private async ValueTask ChangeAsync(string operation, string place, long momentTicks, Func<ValueTask> change, CancellationToken token)
    {
        try
        {
            await change().ConfigureAwait(false);
            _state.Doubts.Settle(place, momentTicks);
            CacheMetrics.CountBehind(table.Parts, operation, "done");
        }
        catch (Exception failure)
        {
            _state.Doubts.Add(place, momentTicks);
            if (IsOfCaller(failure, token))
            {
                throw;
            }

            Fail(operation, place, failure);
        }
    }

    private void Fail(string operation, string place, Exception failure)
    {
        CacheMetrics.CountBehind(table.Parts, operation, "failure");
        _failures.Tell(operation, place, failure);
    }

    private async ValueTask<HybridEnvelope?> FindAsync(string place, CancellationToken token)
    {
        ReadOnlyMemory<byte>? bytes = await GetAsync(place, token).ConfigureAwait(false);
        if (bytes is not { } some)
        {
            return null;
        }

        return HybridEnvelope.TryRead(some.Span, out HybridEnvelope? envelope)
            ? envelope
            : throw new InvalidOperationException($"{some.Length:N0} bytes under '{place}' are no entry of a HybridCache of Pile, or damaged: who else writes under the prefix '{prefix}'?");
    }

    /// <summary>Whether none of the tags of an entry, nor all entries, were removed since it began to be made.</summary>
    private async ValueTask<bool> HasItsTagsAsync(HybridEnvelope entry, CancellationToken token)
    {
        bool[] good = await Task.WhenAll(entry.Tags.Append(AllTag).Select(async tag =>
        {
            string place = TagPlace(tag);
            return entry.CreatedTicks > long.Max(_state.Doubts.Of(place), RemovedBy(tag).Of(place))
                && (await GetAsync(place, token).ConfigureAwait(false) is not { } moment || (moment.Length == sizeof(long) && entry.CreatedTicks > BinaryPrimitives.ReadInt64LittleEndian(moment.Span)));
        })).ConfigureAwait(false);
        return Array.TrueForAll(good, static isGood => isGood);
    }

    private async ValueTask<ReadOnlyMemory<byte>?> GetAsync(string place, CancellationToken token)
    {
        if (_buffered is null)
        {
            return await cache.GetAsync(place, token).ConfigureAwait(false) is { } bytes ? new ReadOnlyMemory<byte>?(bytes) : default;
        }

        var writer = new ArrayBufferWriter<byte>();
        return await _buffered.TryGetAsync(place, writer, token).ConfigureAwait(false) ? new ReadOnlyMemory<byte>?(writer.WrittenMemory) : default;
    }

    private ValueTask StoreAsync(string place, byte[] bytes, TimeSpan life, CancellationToken token)
    {
        var options = new DistributedCacheEntryOptions { AbsoluteExpirationRelativeToNow = life };
        return _buffered is null
            ? new ValueTask(cache.SetAsync(place, bytes, options, token))
            : _buffered.SetAsync(place, new ReadOnlySequence<byte>(bytes), options, token);
    }
}
