// Where the server stands in its life: starting, serving, stopping. Health tells it, the gate asks it, and long calls wait for its end.
// It goes through its states once.
using System;
using System.Threading;
using Pile.Server.Tables;

namespace Pile.Server.Calls;

/// <summary>The state of the server. Thread-safe.</summary>
internal sealed class ServerState : IDisposable
{
    private readonly CancellationTokenSource _stopping = new();
    private TableCatalogue? _tables;

    /// <summary>Whether calls are served.</summary>
    internal bool IsServing => Volatile.Read(ref _tables) is not null && !_stopping.IsCancellationRequested;

    /// <summary>Is cancelled when the server begins to stop.</summary>
    internal CancellationToken Stopping => _stopping.Token;

    /// <summary>The tables, once the server serves.</summary>
    /// <exception cref="InvalidOperationException">It does not serve yet.</exception>
    internal TableCatalogue Tables => Volatile.Read(ref _tables) ?? throw new InvalidOperationException("The server does not serve yet: the host has not started it.");

    internal void Begin(TableCatalogue tables) => Volatile.Write(ref _tables, tables);

    internal void Stop() => _stopping.Cancel();

    public void Dispose() => _stopping.Dispose();
}
