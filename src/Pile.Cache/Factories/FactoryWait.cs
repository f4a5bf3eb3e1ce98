// Where a call of GetOrAdd stands after it has looked: it has its answer, or a flight to wait for.
// Waiting is all in which the synchronous form and the other differ.
using System;
using System.Threading;
using System.Threading.Tasks;

namespace Pile.Cache.Factories;

/// <summary>An answer, or what to wait for.</summary>
/// <param name="Answer">The answer; where there is a flight, what may be served in place of its own.</param>
/// <param name="Flight">The flight; null when the call is answered.</param>
/// <param name="Outer">The flight within which the call was made.</param>
/// <param name="MayServe">Whether the answer may be served when the flight fails or is late.</param>
/// <param name="MayBeNothing">Whether the caller takes for an answer that there is no value.</param>
/// <param name="Limit">How long to wait; null for as long as it takes.</param>
/// <param name="Stamp">Removals by tag that there had been when the call began.</param>
/// <param name="HasJoined">Whether the flight was begun by somebody else.</param>
/// <param name="KeepsLate">Whether the flight goes on when the time is over and nobody waits any more.</param>
internal readonly record struct FactoryWait<TValue>(
    PileAnswer<TValue> Answer, ValueFlight<TValue>? Flight, FactoryFlight? Outer, bool MayServe, bool MayBeNothing, TimeSpan? Limit, long Stamp, bool HasJoined = false, bool KeepsLate = false)
    where TValue : notnull
{
    /// <summary>A call that is answered.</summary>
    internal static FactoryWait<TValue> For(PileAnswer<TValue> answer) => new(answer, null, null, MayServe: false, MayBeNothing: true, null, 0);

    /// <summary>Ends when the flight is done, the time is over, or the token is cancelled.</summary>
    internal Task Until(TimeProvider time, CancellationToken cancellationToken)
    {
        // Whole milliseconds are what a wait takes, and it cuts off the rest: less than one would be no wait at all.
        Task done = Flight!.Done;
        return Limit is { } limit ? done.WaitAsync(TimeSpan.FromMilliseconds(double.Ceiling(limit.TotalMilliseconds)), time, cancellationToken) : cancellationToken.CanBeCanceled ? done.WaitAsync(cancellationToken) : done;
    }
}
