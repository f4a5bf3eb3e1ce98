// GetOrAdd of one table: look, let one factory call for each key be under way, wait for it, and judge what came of it. What is stored,
// and how, is FactoryStore's business.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using System.Threading.Tasks;
using Pile.Cache.Entries;

namespace Pile.Cache.Factories;

/// <summary>Calls of factories of one table. Thread-safe.</summary>
internal sealed class TableFactories<TKey, TValue>(PileTable<TKey, TValue> table)
    where TKey : notnull
    where TValue : notnull
{
    private static readonly PileFactoryOptions _plain = new();

    private readonly FactoryStore<TKey, TValue> _store = new(table);
    private readonly FactoryCounts _counts = table.Parts.Factories;

    /// <summary>The calls that are under way.</summary>
    internal KeyFlights<TValue> Flights { get; } = new(table.Parts);

    /// <summary>Reads a value as the table does, but for one that a factory is to make anew: a miss.</summary>
    internal bool TryGet(TKey key, [MaybeNullWhen(false)] out TValue value)
    {
        try
        {
            return table.TryGet(key, out value);
        }
        catch (PileException unreadable) when (table.IsMissOver(unreadable))
        {
            value = default;
            return false;
        }
    }

    /// <summary>Asks, and waits on the calling thread.</summary>
    /// <param name="key">The key.</param>
    /// <param name="factory">The factory.</param>
    /// <param name="options">Options; null for the table's.</param>
    /// <param name="mayBeNothing">Whether the caller takes for an answer that there is no value.</param>
    /// <param name="mayAwait">Whether the factory may await.</param>
    internal PileAnswer<TValue> Ask(
        TKey key, Func<CancellationToken, ValueTask<PileAnswer<TValue>>> factory, PileFactoryOptions? options, bool mayBeNothing, bool mayAwait = false)
    {
        while (true)
        {
            FactoryWait<TValue> wait = Begin(key, factory, options, mayBeNothing, mayAwait);
            if (wait.Flight is null)
            {
                return wait.Answer;
            }

            try
            {
                wait.Until(table.Parts.Clock.Provider, CancellationToken.None).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing).GetAwaiter().GetResult();
            }
            catch (ThreadInterruptedException)
            {
                // It waits no more, as one whose token was cancelled.
                FactoryFlight.EndWait(wait.Outer, wait.Flight);
                Flights.Leave(wait.Flight, goesOn: false);
                throw;
            }

            if (TryEnd(key, wait, CancellationToken.None, out PileAnswer<TValue> answer))
            {
                return answer;
            }
        }
    }

    /// <summary>Asks, and awaits.</summary>
    internal async ValueTask<PileAnswer<TValue>> AskAsync(
        TKey key, Func<CancellationToken, ValueTask<PileAnswer<TValue>>> factory, PileFactoryOptions? options, bool mayBeNothing, CancellationToken cancellationToken)
    {
        while (true)
        {
            cancellationToken.ThrowIfCancellationRequested();
            FactoryWait<TValue> wait = Begin(key, factory, options, mayBeNothing, mayAwait: true);
            if (wait.Flight is null)
            {
                return wait.Answer;
            }

            await wait.Until(table.Parts.Clock.Provider, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (TryEnd(key, wait, cancellationToken, out PileAnswer<TValue> answer))
            {
                return answer;
            }
        }
    }

    /// <summary>Lets a factory refresh an entry in the background, unless one does for its key already.</summary>
    internal void Refresh(TKey key, Func<CancellationToken, ValueTask<PileAnswer<TValue>>> factory, PileFactoryOptions options, PileEntryVersion version) =>
        Refresh(_store.KeyOf(key), factory, options, version, table.Parts.Tags.Now);

    /// <summary>Begins a call that its caller makes by itself, and stores the answer of unless it is outdated by then; KeyFlights ends it.</summary>
    internal ValueFlight<TValue> BeginBeside(TKey key)
    {
        long stamp = table.Parts.Tags.Now;
        return Flights.BeginBeside(_store.KeyOf(key), stamp);
    }

    /// <summary>Keeps what is being made of a key from being stored.</summary>
    internal void Outdate(TKey key) => Flights.Outdate(_store.KeyOf(key));

    /// <summary>Removes the entry of a key, shown or kept, if its value is the one meant. What is being made of the key goes on.</summary>
    internal void RemoveIf(TKey key, Predicate<TValue> isMeant)
    {
        FlightKey id = _store.KeyOf(key);
        if (_store.Look(id) is { HasValue: true } kept && isMeant(kept.Value!))
        {
            _ = table.Core.Remove(id.Bytes, isConditional: true, kept.Entry.Version);
        }
    }

    /// <summary>Looks, and begins or joins a flight where one is needed.</summary>
    private FactoryWait<TValue> Begin(TKey key, Func<CancellationToken, ValueTask<PileAnswer<TValue>>> factory, PileFactoryOptions? options, bool mayBeNothing, bool mayAwait)
    {
        options ??= table.Parts.Options.Factory ?? _plain;
        options.Validate();

        // Before the look: what is removed by tag after this may be served to this call, what was removed before may not.
        long stamp = table.Parts.Tags.Now;
        FlightKey id = _store.KeyOf(key);
        KeptValue<TValue> kept = _store.Look(id);
        if (kept.IsAnswer && (mayBeNothing || kept.Entry.Kind != NoteKind.Nothing))
        {
            return FactoryWait<TValue>.For(AnswerOf(key, kept));
        }

        long now = table.Parts.Clock.Now;
        PileAnswer<TValue> stale = kept.IsStale ? new PileAnswer<TValue>(kept.Value!) { IsStale = true } : default;
        if (kept.IsStale && kept.Entry.IsWithin(options.StaleWhileRevalidate, now))
        {
            Refresh(id, factory, options, kept.Entry.Version, stamp);
            _counts.AddStale();
            return FactoryWait<TValue>.For(stale);
        }

        bool mayServe = kept.IsStale && kept.Entry.IsWithin(options.FailSafe, now);
        TimeSpan? limit = mayServe && options.SoftTimeout is { } soft ? soft : options.HardTimeout;
        bool isOnPool = limit is not null || (mayAwait && AwaitContext.IsThere);
        FactoryFlight? outer = FactoryFlight.OfFlow;
        RefuseCircle(key, id, outer);
        if (mayServe && Flights.GoesOnAlready(id))
        {
            // Somebody has waited for this one as long as the soft timeout says.
            _counts.AddStale();
            return FactoryWait<TValue>.For(stale);
        }

        ValueFlight<TValue> flight = Join(id, factory, options, kept.Entry.Version, stamp, outer, isOnPool, out bool isNew);
        return new FactoryWait<TValue>(stale, flight, outer, mayServe, mayBeNothing, limit, stamp, HasJoined: !isNew, options.KeepLateAnswers);
    }

    private ValueFlight<TValue> Join(
        FlightKey id, Func<CancellationToken, ValueTask<PileAnswer<TValue>>> factory, PileFactoryOptions options, PileEntryVersion expected, long stamp, FactoryFlight? outer, bool isOnPool, out bool isNew)
    {
        ValueFlight<TValue> flight = Flights.Join(id, expected, stamp, outer, out isNew);
        if (isNew)
        {
            Start(flight, factory, options, isOnPool);
        }
        else
        {
            _counts.AddJoin();
        }

        return flight;
    }

    private void Refresh(FlightKey id, Func<CancellationToken, ValueTask<PileAnswer<TValue>>> factory, PileFactoryOptions options, PileEntryVersion version, long stamp)
    {
        if (Flights.BeginAlone(id, version, stamp) is { } flight)
        {
            Start(flight, factory, options, isOnPool: true);
        }
    }

    private void Start(ValueFlight<TValue> flight, Func<CancellationToken, ValueTask<PileAnswer<TValue>>> factory, PileFactoryOptions options, bool isOnPool) =>
        _ = isOnPool ? Task.Run(() => RunAsync(flight, factory, options)) : RunAsync(flight, factory, options);

    /// <summary>Calls the factory, stores what it answers, and tells who waits. All that goes wrong is theirs.</summary>
    private async Task RunAsync(ValueFlight<TValue> flight, Func<CancellationToken, ValueTask<PileAnswer<TValue>>> factory, PileFactoryOptions options)
    {
        flight.Enter();
        PileAnswer<TValue> answer = default;
        ulong[]? tags = null;
        Exception? failure = null;
        bool isOfFactory = false;
        FactoryTiming timing = default;
        try
        {
            // Another flight may have ended between the look and this one.
            KeptValue<TValue> kept = _store.Look(flight.Key);
            if (kept.IsAnswer && kept.Entry.Version != flight.Expected)
            {
                flight.HasFound = true;
                answer = AnswerOf(flight.Key, kept);
            }
            else
            {
                _counts.AddCall();
                isOfFactory = true;
                timing = CacheMetrics.BeginFactory(table.Parts);
                answer = await factory(flight.Abandoned).ConfigureAwait(false);
                isOfFactory = false;
                CacheMetrics.EndFactory(table.Parts, timing, failure: null);
                tags = _store.Store(flight, answer, options);
            }
        }
        catch (Exception thrown)
        {
            failure = thrown;
        }

        try
        {
            if (failure is not null && isOfFactory)
            {
                _counts.AddFailure();
                Exception thrown = failure;
                failure = _store.NoteFailure(flight, thrown, options);
                CacheMetrics.EndFactory(table.Parts, timing, thrown);
            }
        }
        catch (Exception second)
        {
            // Of a program's listener: who waits must not wait for ever.
            failure = new AggregateException(failure!, second);
        }

        Flights.End(flight);
        flight.End(answer, tags, failure, isOfFactory);
    }

    /// <summary>Judges what came of waiting.</summary>
    /// <returns>False when the caller needs another answer: what was made had been removed by a tag before the call began, somebody else's
    /// factory had no value where this one's will have, or somebody else has found an entry.</returns>
    private bool TryEnd(TKey key, in FactoryWait<TValue> wait, CancellationToken cancellationToken, out PileAnswer<TValue> answer)
    {
        ValueFlight<TValue> flight = wait.Flight!;
        FactoryFlight.EndWait(wait.Outer, flight);

        // Asked once: it may end at any moment, and then with a value and no failure.
        bool isDone = flight.IsDone;
        answer = flight.Answer;
        if (isDone && flight.HasFound && wait.HasJoined)
        {
            // It may have been removed between that look and the beginning of this call, which finds by itself what is there.
            return false;
        }

        if (isDone && flight.Failure is null)
        {
            return (answer.HasValue || wait.MayBeNothing) && !IsOutdatedFor(wait);
        }

        if (isDone && flight.IsWrite)
        {
            // A write that failed: this call asks by itself.
            return false;
        }

        bool isLate = !isDone && !cancellationToken.IsCancellationRequested;
        bool isServed = wait.MayServe && (isLate || (isDone && flight.IsFailureOfFactory));
        Flights.Leave(flight, goesOn: isServed || (isLate && wait.KeepsLate));
        if (isServed)
        {
            table.ThrowIfEnded();
            _counts.AddStale();
            answer = wait.Answer;
            return true;
        }

        if (isDone)
        {
            flight.Failure!.Throw();
        }

        cancellationToken.ThrowIfCancellationRequested();
        throw new TimeoutException($"The factory of the key '{FactoryStore<TKey, TValue>.Shown(key)}' in the table '{table.Name}' took longer than {wait.Limit} (PileFactoryOptions.HardTimeout).");
    }

    private bool IsOutdatedFor(in FactoryWait<TValue> wait)
    {
        if (wait.Stamp <= wait.Flight!.Stamp)
        {
            // No tag was removed between the beginning of the flight and that of this call.
            return false;
        }

        long stamp = wait.Flight.Stamp;

        // Of the removals of a tag the last alone is known: one that came after this call had begun may hide one of before, and is taken for it.
        return Array.Exists(wait.Flight.Tags!, tag => table.Parts.Tags.IsRemoved(table.Parts.Id, tag, stamp));
    }

    /// <summary>Refuses a call within a call of its own key.</summary>
    internal void RefuseCircle(TKey key, FlightKey id, FactoryFlight? outer)
    {
        if (outer is not null && outer.IsWithin(table.Parts, id, Flights.Comparer))
        {
            throw new InvalidOperationException(
                $"The factory of the key '{FactoryStore<TKey, TValue>.Shown(key)}' in the table '{table.Name}' asked for that key itself, and would wait for its own end. Read the table with TryGet there, or use another key.");
        }
    }

    private PileAnswer<TValue> AnswerOf<TShown>(TShown key, in KeptValue<TValue> kept) => kept.Entry.Kind switch
    {
        NoteKind.Value => new PileAnswer<TValue>(kept.Value!),
        NoteKind.Nothing => default,
        _ => throw new PileFactoryException($"The factory of the key '{FactoryStore<TKey, TValue>.Shown(key)}' in the table '{table.Name}' failed at {kept.Entry.Version.Created:u}, and that is remembered (PileFactoryOptions.FailureTimeToLive): {kept.Failure}"),
    };
}
