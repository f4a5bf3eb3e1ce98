// How GetOrAdd behaves: what the entry of a factory's value is like, and what is served while the factory is slow or fails.
// All times are by the cache's TimeProvider. What is left out is off.
using System;
using Pile.Primitives;

namespace Pile.Cache;

/// <summary>Options of <see cref="PileTableGetOrAdd"/>: for a call, or for a table as <see cref="PileTableOptions.Factory"/>.</summary>
/// <remarks>Immutable: make it once and share it. A table's are checked when it is made, a call's when it is no hit.</remarks>
public sealed record PileFactoryOptions
{
    /// <summary>The longest wait that timers take.</summary>
    private static readonly TimeSpan _waitMax = TimeSpan.FromMilliseconds(int.MaxValue);

    /// <summary>The terms of the entry that the factory's value becomes: ends, priority, tags; the table's defaults where it says nothing.</summary>
    public PileEntryOptions Entry { get; init; }

    /// <summary>Fail-safe: how long after its end an entry is kept, and served when the factory fails or is out of time; more than zero. Null:
    /// a failure is the caller's. An entry without an end is not kept.</summary>
    public TimeSpan? FailSafe { get; init; }

    /// <summary>How long an entry counts again after it was served because the factory had failed, before the factory is asked again; more
    /// than zero, 30 seconds unless set.</summary>
    public TimeSpan FailSafeThrottle { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>How long after its end an entry is kept, and served at once while the factory refreshes it in the background; more than zero.
    /// Null: an entry that has ended is waited for.</summary>
    public TimeSpan? StaleWhileRevalidate { get; init; }

    /// <summary>The part of an entry's life after which a read of it lets the factory refresh it in the background, ahead of its end; more
    /// than 0 and less than 1. Null: never before its end.</summary>
    public double? EagerRefresh { get; init; }

    /// <summary>The most that is added to the life of an entry, drawn anew for each, so that entries of one moment do not end together; zero
    /// or more, zero unless set.</summary>
    public TimeSpan Jitter { get; init; }

    /// <summary>Where the part of <see cref="Jitter"/> comes from: numbers from 0 to below 1. Called from many threads. Null: random ones.</summary>
    public Func<double>? JitterSource { get; init; }

    /// <summary>How long a call waits for the factory when there is an entry to be served by <see cref="FailSafe"/>; then it serves that, and
    /// the factory goes on in the background and its value is stored. More than zero. Null: as long as the factory takes.</summary>
    public TimeSpan? SoftTimeout { get; init; }

    /// <summary>How long a call waits for the factory at the most; then it throws a <see cref="TimeoutException"/>, if there is no entry to
    /// be served by <see cref="FailSafe"/>. More than zero. Null: as long as the factory takes.</summary>
    public TimeSpan? HardTimeout { get; init; }

    /// <summary>Whether a factory for which nobody waits any more because <see cref="HardTimeout"/> was over goes on, and its value is stored. False: its token
    /// is cancelled, and its answer thrown away. One whose callers have all cancelled is abandoned in either case.</summary>
    public bool KeepLateAnswers { get; init; }

    /// <summary>How long a failure of the factory is remembered for its key: calls throw a <see cref="PileFactoryException"/> without asking
    /// the factory. More than zero. Null: failures are not remembered.</summary>
    public TimeSpan? FailureTimeToLive { get; init; }

    /// <summary>How long entries are kept after their end.</summary>
    internal TimeSpan Kept => TimeSpan.FromTicks(long.Max(FailSafe?.Ticks ?? 0, StaleWhileRevalidate?.Ticks ?? 0));

    /// <summary>Checks the ranges.</summary>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range; the message names it.</exception>
    internal void Validate()
    {
        Positive(FailSafe, nameof(FailSafe));
        Positive(FailSafeThrottle, nameof(FailSafeThrottle));
        Positive(StaleWhileRevalidate, nameof(StaleWhileRevalidate));
        Positive(SoftTimeout, nameof(SoftTimeout));
        Positive(HardTimeout, nameof(HardTimeout));
        Positive(FailureTimeToLive, nameof(FailureTimeToLive));
        RefuseUnless(!(SoftTimeout > _waitMax || HardTimeout > _waitMax), nameof(HardTimeout), HardTimeout ?? SoftTimeout, $"at most {_waitMax}, as SoftTimeout");
        RefuseUnless(Jitter >= TimeSpan.Zero, nameof(Jitter), Jitter, "zero or more");
        RefuseUnless(EagerRefresh is not { } part || (part > 0 && part < 1), nameof(EagerRefresh), EagerRefresh, "more than 0 and less than 1");
        RefuseUnless(SoftTimeout is null || FailSafe is not null, nameof(SoftTimeout), SoftTimeout, "null without FailSafe: there would be nothing to serve");
        RefuseUnless(SoftTimeout is null || HardTimeout is null || SoftTimeout < HardTimeout, nameof(SoftTimeout), SoftTimeout, "less than HardTimeout");
    }

    private static void Positive(TimeSpan? span, string name) => RefuseUnless(span is not { } given || given > TimeSpan.Zero, name, span, "more than zero");

    private static void RefuseUnless<T>(bool isGood, string name, T value, string allowed)
    {
        if (!isGood)
        {
            Throw.Argument("options", value, $"PileFactoryOptions.{name} must be {allowed}.");
        }
    }
}
