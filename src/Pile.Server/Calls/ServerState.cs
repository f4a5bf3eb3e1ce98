// Where the server stands in its life: starting, serving, stopping. Health tells it, the gate asks it, and long calls wait for its end.
// It goes through its states once. A cache of whose files a call has failed takes no writes until it is opened again: that is looked at, for nothing
// of the pile tells it when it happens.
using System;
using System.Threading;
using System.Threading.Tasks;
using Pile.Server.Tables;

namespace Pile.Server.Calls;

/// <summary>The state of the server. Thread-safe.</summary>
internal sealed class ServerState(TimeProvider? time = null) : IDisposable
{
    private readonly CancellationTokenSource _stopping = new();
    private readonly CancellationTokenSource _late = new();
    private readonly CancellationTokenSource _begun = new();
    private readonly CancellationTokenSource _failed = new();
    private readonly TaskCompletionSource _streamsEnded = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private TableCatalogue? _tables;
    private ITimer? _looks;
    private int _streams = 1;
    private int _isStopping;

    /// <summary>Whether calls are served.</summary>
    internal bool IsServing => Volatile.Read(ref _tables) is not null && !_stopping.IsCancellationRequested;

    /// <summary>Whether calls are served, those that write too. It asks the cache.</summary>
    internal bool IsHealthy
    {
        get
        {
            Look();
            return IsServing && !_failed.IsCancellationRequested;
        }
    }

    /// <summary>Is cancelled when it is seen that the cache takes no writes any more, <see cref="ServerLimits.FailureLook"/> after it happens at the latest.</summary>
    internal CancellationToken Failed => _failed.Token;

    /// <summary>Is cancelled when the server begins to stop.</summary>
    internal CancellationToken Stopping => _stopping.Token;

    /// <summary>The tables, once the server serves.</summary>
    /// <exception cref="InvalidOperationException">It does not serve yet.</exception>
    internal TableCatalogue Tables => Volatile.Read(ref _tables) ?? throw new InvalidOperationException("The server does not serve yet: the host has not started it.");

    /// <summary>Is cancelled when the server begins to serve.</summary>
    internal CancellationToken Begun => _begun.Token;

    internal void Begin(TableCatalogue tables)
    {
        Volatile.Write(ref _tables, tables);
        if (tables.Cache.Pile.Promise() != PilePromise.Memory)
        {
            _looks = (time ?? TimeProvider.System).CreateTimer(static state => ((ServerState)state!).Look(), this, ServerLimits.FailureLook, ServerLimits.FailureLook);
        }

        _begun.Cancel();
    }

    /// <summary>Tells all that the server stops, once.</summary>
    internal void Stop()
    {
        // The host's token and its stop come here at once, on two threads: the server is counted out by one of them.
        if (Interlocked.Exchange(ref _isStopping, 1) == 0)
        {
            _late.CancelAfter(ServerLimits.StreamsEndWait);
            try
            {
                _stopping.Cancel();
            }
            finally
            {
                // Whatever one that is told throws: nobody else counts the server out.
                EndStream();
            }
        }
    }

    /// <summary>Is cancelled when a stream that was told of the stop should have ended: for writes to a client that does not read. A write that is cancelled
    /// takes the stream's end with it.</summary>
    internal CancellationToken StoppingLate => _late.Token;

    /// <summary>Is done when the server stops and the last stream's handler has ended.</summary>
    internal Task StreamsEnded => _streamsEnded.Task;

    /// <summary>Counts a stream in; <see cref="EndStream"/> counts it out.</summary>
    internal void BeginStream() => Interlocked.Increment(ref _streams);

    // The server itself is one of them until it stops, so that zero is reached once.
    internal void EndStream()
    {
        if (Interlocked.Decrement(ref _streams) == 0)
        {
            _ = _streamsEnded.TrySetResult();
        }
    }

    public void Dispose()
    {
        _looks?.Dispose();
        _begun.Dispose();
        _failed.Dispose();
        _stopping.Dispose();
        _late.Dispose();
    }

    private void Look()
    {
        try
        {
            if (!_failed.IsCancellationRequested && Volatile.Read(ref _tables) is { } tables && tables.Cache.Pile.GetStatistics().Failure is not null)
            {
                _failed.Cancel();
            }
        }
        catch (ObjectDisposedException)
        {
            // The cache was closed at the stop, or the host has ended since the timer called.
        }
    }
}
