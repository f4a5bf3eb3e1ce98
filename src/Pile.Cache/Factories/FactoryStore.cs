// What GetOrAdd reads and writes of one table: the entry that is there, shown or kept; the factory's value, that there is none, or that it
// failed; an entry that is shown again because it did.
using System;
using System.Threading;
using Pile.Cache.Engine;
using Pile.Cache.Entries;
using Pile.Cache.Keys;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Cache.Factories;

/// <summary>Entries of factories in one table. Thread-safe.</summary>
internal sealed class FactoryStore<TKey, TValue>(PileTable<TKey, TValue> table)
    where TKey : notnull
    where TValue : notnull
{
    private readonly TableBase _parts = table.Parts;

    /// <summary>A key as it stands in a message.</summary>
    internal static string Shown<TShown>(TShown key) => key is FlightKey bytes
        ? Shown(KeyCodec<TKey>.Kind == KeyKind.Text ? TextKey.Read(bytes.Bytes) : Convert.ToHexString(bytes.Bytes))
        : key?.ToString() is { Length: > CacheLimits.KeyCharsShown } text ? string.Concat(text.AsSpan(0, CacheLimits.KeyCharsShown), "...") : $"{key}";

    /// <summary>A key's bytes.</summary>
    internal FlightKey KeyOf(TKey key)
    {
        NullRefusal.Unless(key);
        byte[]? rented = null;
        PileStatus kept = PileStatus.Ok;
        ReadOnlySpan<byte> bytes = KeyCodec<TKey>.Kind == KeyKind.Raw
            ? RawValue.AsBytes(in key)
            : KeyCodec<TKey>.Encode(table.Cache.Pile, key, stackalloc byte[CacheLimits.KeyBytesOnStack], ref rented, out kept);
        var made = new FlightKey(bytes.ToArray(), _parts.Key(bytes).Hash, kept == PileStatus.Ok);
        PileTable<TKey, TValue>.Return(rented);
        return made;
    }

    /// <summary>What stands under a key; a value is read. One that has ended and can't be read is nothing to serve, whatever hinders it; one that has not is
    /// where its type does.</summary>
    internal KeptValue<TValue> Look(FlightKey key)
    {
        if (!table.Core.TryLeaseKept(key.Bytes, out PileLease lease, out KeptEntry entry))
        {
            return default;
        }

        if (entry.Kind == NoteKind.Value)
        {
            try
            {
                _ = table.Read(lease, out TValue? value);
                return new KeptValue<TValue>(entry, value, null);
            }
            catch (Exception unreadable) when (table.IsMissOver(unreadable) || !(entry.IsShown || unreadable is ThreadInterruptedException))
            {
                if (entry.IsShown)
                {
                    _parts.SayUnreadable(unreadable);
                }

                return new KeptValue<TValue>(entry, default, null, IsUnreadable: true);
            }
        }

        try
        {
            return new KeptValue<TValue>(entry, default, TypedPayloads.TryRead(table.Cache.Pile, lease.Code, lease.Bytes, out string? failure) ? failure : null);
        }
        finally
        {
            lease.EndScope();
        }
    }

    /// <summary>Stores what a factory answered, unless the key has another entry by now, or was removed meanwhile.</summary>
    /// <returns>The hashes of its tags.</returns>
    internal ulong[] Store(ValueFlight<TValue> flight, in PileAnswer<TValue> answer, PileFactoryOptions options)
    {
        EntryTerms terms = MadeTerms.Of(_parts, answer.Entry ?? options.Entry, options);
        ulong[] tags = terms.Note?.Tags ?? [];
        lock (flight.Gate)
        {
            // Also where nothing comes to be stored.
            table.ThrowIfEnded();
            if (flight.IsOutdated || flight.Abandoned.IsCancellationRequested)
            {
                return tags;
            }

            if (answer.HasValue)
            {
                _ = Send(flight, answer.Value, At(flight, terms, options), SetCondition.Unchanged);
            }
            else if (answer.Remembered > TimeSpan.Zero)
            {
                long stamp = terms.Note is { Stamp: EntryNote.NoRoom } ? EntryNote.NoRoom : flight.Stamp;
                _ = Send(flight, Array.Empty<byte>(), Remembered(NoteKind.Nothing, answer.Remembered, stamp, tags), SetCondition.Unchanged);
            }
            else if (flight.Expected != default && !answer.LeavesEntry)
            {
                // What was there is of a value that is no more.
                _ = table.Core.Remove(flight.Key.Bytes, isConditional: true, flight.Expected);
            }

            return tags;
        }
    }

    /// <summary>Stores what was written to a store, whatever the key has.</summary>
    internal PileSetResult Write(ValueFlight<TValue> flight, TValue value, PileEntryOptions entry, PileFactoryOptions options, out ulong[] tags)
    {
        EntryTerms terms = MadeTerms.Of(_parts, entry, options);
        tags = terms.Note?.Tags ?? [];
        return Send(flight, value, At(flight, terms, options), SetCondition.None);
    }

    /// <summary>Notes that a factory failed: an entry that may still be served stays, else the failure is remembered, as the options say.</summary>
    /// <returns>What the failure is to those who wait: the factory's, with what went wrong in noting it.</returns>
    internal Exception NoteFailure(ValueFlight<TValue> flight, Exception failure, PileFactoryOptions options)
    {
        if (flight.Abandoned.IsCancellationRequested)
        {
            return failure;
        }

        try
        {
            lock (flight.Gate)
            {
                if (!flight.IsOutdated && !TryKeep(flight, options) && options.FailureTimeToLive is { } life && failure is not OperationCanceledException)
                {
                    string text = $"{failure.GetType().Name}: {failure.Message}";
                    text = text.Length > CacheLimits.FailureCharsMax ? text[..CacheLimits.FailureCharsMax] : text;
                    _ = Send(flight, text, Remembered(NoteKind.Failure, life, flight.Stamp, []), SetCondition.Unchanged);
                }
            }

            return failure;
        }
        catch (Exception second)
        {
            // The table has ended meanwhile, or can't be written to.
            return new AggregateException(failure, second);
        }
    }

    /// <summary>Keeps the entry that was to be replaced, where it may still be served: one that has not ended, or is served while it is refreshed, as it
    /// is; one that fail-safe serves is shown for the time of the throttle.</summary>
    private bool TryKeep(ValueFlight<TValue> flight, PileFactoryOptions options)
    {
        if (flight.Expected == default || Look(flight.Key) is not { HasValue: true, Entry: var entry } || entry.Version != flight.Expected)
        {
            return false;
        }

        long now = _parts.Clock.Now;
        if (!entry.IsShown && entry.IsWithin(options.FailSafe, now))
        {
            long goes = EntryTermsOf.Later(entry.EndTicks, options.FailSafe!.Value.Ticks);
            _ = table.Core.Extend(flight.Key.Bytes, flight.Expected, EntryTermsOf.Later(now, options.FailSafeThrottle.Ticks), goes);
            return true;
        }

        return entry.IsShown || entry.IsWithin(options.StaleWhileRevalidate, now);
    }

    private EntryTerms Remembered(NoteKind kind, TimeSpan life, long stamp, ulong[] tags)
    {
        long now = _parts.Clock.Now;
        return new EntryTerms(now, EntryTermsOf.Later(now, life.Ticks), 0, (int)PileCachePriority.Low, new EntryNote(0, kind, stamp, tags));
    }

    private EntryTerms At(ValueFlight<TValue> flight, in EntryTerms terms, PileFactoryOptions options) =>
        terms.At(Fault.CacheStampTakenLate ? _parts.Tags.Now : flight.Stamp, options);

    private PileSetResult Send<TSent>(ValueFlight<TValue> flight, TSent value, in EntryTerms terms, SetCondition condition)
    {
        if (!flight.Key.MayBeStored && !terms.HasEnded && table.Cache.Pile.TypeTable.KeepSchemas() is not PileStatus.Ok and var kept)
        {
            return table.Result(kept, default);
        }

        var target = new SetTarget(table.Core, flight.Key.Bytes, terms, condition, flight.Expected);
        PileStatus status = TypedPayloads.Send(table.Cache.Pile, value, ref target);
        return table.Result(status, target.Result);
    }
}
