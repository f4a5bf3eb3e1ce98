// A call of a factory that is under way, and who waits for it: calls within calls know their outer one, so that one that would wait for
// itself is refused, and none waits in a circle. The outer one is found by the flow of execution, across awaits and threads.
using System;
using System.Collections.Generic;
using System.Runtime.ExceptionServices;
using System.Threading;
using System.Threading.Tasks;
using Pile.Cache.Engine;
using Pile.Primitives;

namespace Pile.Cache.Factories;

/// <summary>A call of a factory.</summary>
internal abstract class FactoryFlight : IDisposable
{
    private static readonly AsyncLocal<FactoryFlight?> _ofFlow = new();
    private static readonly Lock _waits = new();

    private readonly TaskCompletionSource _done = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly CancellationTokenSource _abandoned = new();
    private readonly List<FactoryFlight> _waitsFor = [];
    private readonly FactoryFlight? _outer;
    private readonly TableBase _table;

    /// <summary>Begins one.</summary>
    /// <param name="table">The table.</param>
    /// <param name="key">The key.</param>
    /// <param name="stamp">Removals by tag that there had been when it began.</param>
    /// <param name="outer">The call within which it was begun, and which waits for it; null for none.</param>
    protected FactoryFlight(TableBase table, FlightKey key, long stamp, FactoryFlight? outer)
    {
        _table = table;
        _outer = outer;
        Key = key;
        Stamp = stamp;
        Abandoned = _abandoned.Token;
    }

    /// <summary>The call within whose factory the caller runs; null for none.</summary>
    internal static FactoryFlight? OfFlow
    {
        get
        {
            // A flow that a factory has left behind is in none any more.
            FactoryFlight? flight = _ofFlow.Value;
            while (flight is { IsDone: true })
            {
                flight = flight._outer;
            }

            return flight;
        }
    }

    internal FlightKey Key { get; }

    /// <summary>Removals by tag that there had been when it began.</summary>
    internal long Stamp { get; }

    /// <summary>Ends when the call has, however.</summary>
    internal Task Done => _done.Task;

    internal bool IsDone => _done.Task.IsCompleted;

    /// <summary>Cancelled when all who waited have gone.</summary>
    internal CancellationToken Abandoned { get; }

    /// <summary>What went wrong; null when nothing did. Set before <see cref="Done"/>.</summary>
    internal ExceptionDispatchInfo? Failure { get; private set; }

    /// <summary>Whether that was the factory, and not the table.</summary>
    internal bool IsFailureOfFactory { get; private set; }

    /// <summary>How many wait. With the lock of the table's flights.</summary>
    internal int Waiting { get; set; }

    /// <summary>Whether it goes on though nobody waits.</summary>
    internal bool IsInBackground { get; set; }

    /// <summary>Whether its factory has come to an end, so that it can be abandoned no more. With the same lock.</summary>
    internal bool IsOver { get; private set; }

    /// <summary>Held while what was made is stored, and by whoever removes the key meanwhile.</summary>
    internal Lock Gate { get; } = new();

    /// <summary>Whether the key was removed since it began, so that nothing is stored. With the gate.</summary>
    internal bool IsOutdated { get; set; }

    /// <summary>Makes this the call that the flow is in.</summary>
    internal void Enter() => _ofFlow.Value = this;

    /// <summary>Whether this call, or one that it is within, is of a key.</summary>
    internal bool IsWithin(TableBase asked, FlightKey key, IEqualityComparer<FlightKey> comparer)
    {
        for (FactoryFlight? flight = this; flight is not null; flight = flight._outer)
        {
            if (flight.IsOf(asked) && !flight.IsDone && comparer.Equals(flight.Key, key))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Notes that a call waits for another, unless that waits for it, itself or by others.</summary>
    /// <param name="outer">The call that is to wait; null for somebody who is in none, and for whom nobody waits.</param>
    /// <param name="inner">The one that it is to wait for.</param>
    internal static bool TryWait(FactoryFlight? outer, FactoryFlight inner)
    {
        if (outer is null)
        {
            return true;
        }

        using (_waits.EnterAnyhow())
        {
            if (inner.Reaches(outer))
            {
                return false;
            }

            outer._waitsFor.Add(inner);
            return true;
        }
    }

    /// <summary>Notes that a call waits no longer for another.</summary>
    internal static void EndWait(FactoryFlight? outer, FactoryFlight inner)
    {
        if (outer is not null)
        {
            using (_waits.EnterAnyhow())
            {
                _ = outer._waitsFor.Remove(inner);
            }
        }
    }

    /// <summary>Lets the factory's token be cancelled; what listens to it runs on the thread pool. With the lock of the table's flights.</summary>
    internal void Abandon() => _ = _abandoned.CancelAsync();

    /// <summary>Lets go of the token, once the factory has come to an end. With the lock of the table's flights.</summary>
    public void Dispose()
    {
        IsOver = true;
        _abandoned.Dispose();
    }

    /// <summary>Ends the call.</summary>
    /// <param name="failure">What went wrong, or null.</param>
    /// <param name="isOfFactory">Whether that was the factory.</param>
    protected void End(Exception? failure, bool isOfFactory)
    {
        Failure = failure is null ? null : ExceptionDispatchInfo.Capture(failure);
        IsFailureOfFactory = isOfFactory;
        _done.SetResult();
    }

    private bool IsOf(TableBase asked) => ReferenceEquals(_table, asked);

    /// <summary>Whether this waits for another, itself or by others. Each is looked at once, by however many ways it is waited for.</summary>
    private bool Reaches(FactoryFlight target)
    {
        HashSet<FactoryFlight> met = [this];
        Stack<FactoryFlight> open = new(met);
        while (open.TryPop(out FactoryFlight? next))
        {
            if (ReferenceEquals(next, target))
            {
                return true;
            }

            foreach (FactoryFlight inner in next._waitsFor)
            {
                if (met.Add(inner))
                {
                    open.Push(inner);
                }
            }
        }

        return false;
    }
}
