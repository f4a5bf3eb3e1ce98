// A way to a server that a test can harm: it takes connections, makes one to the server for each, and hands over what comes, piece by piece,
// as the class that derives from it says.
using System;
using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;

namespace Pile.Client.Tests;

internal abstract class Way : IAsyncDisposable
{
    private const int RoomBytes = 256 << 10;

    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly ConcurrentDictionary<Connection, bool> _connections = [];
    private readonly CancellationTokenSource _ends = new();
    private readonly Uri _server;
    private Task? _accepting;
    private int _made;

    protected Way(string server)
    {
        _server = new Uri(server);
        _listener.Start();
    }

    /// <summary>What a client is to be told; connections are taken from the first time it is asked.</summary>
    internal string Address
    {
        get
        {
            _accepting ??= AcceptAsync();
            return $"http://{_listener.LocalEndpoint}";
        }
    }

    /// <summary>The most that is handed over at once, up to 256 KiB.</summary>
    protected virtual int PieceBytes => 16 << 10;

    /// <summary>Connections that came this way.</summary>
    internal int Connections => Volatile.Read(ref _made);

    /// <summary>Ends with the way.</summary>
    protected CancellationToken Ended => _ends.Token;

    /// <summary>Ends all connections that there are.</summary>
    internal void CutAll()
    {
        foreach (Connection connection in _connections.Keys)
        {
            Cut(connection);
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _ends.CancelAsync();
        Release();
        _listener.Stop();
        CutAll();
        await Within.AMinuteAsync(_accepting ?? Task.CompletedTask, "the end of the way");
        _ends.Dispose();
    }

    /// <summary>What nobody waits for any more.</summary>
    protected static TaskCompletionSource Done()
    {
        var done = new TaskCompletionSource();
        done.SetResult();
        return done;
    }

    /// <summary>Lets go what waits: the way ends.</summary>
    protected abstract void Release();

    /// <summary>What is done with a connection before there is one to the server.</summary>
    protected virtual Task BeginAsync() => Task.CompletedTask;

    /// <summary>Hands over a piece, or harms it.</summary>
    /// <returns>Whether the direction goes on.</returns>
    protected abstract Task<bool> PassAsync(Connection connection, Socket to, Memory<byte> piece);

    /// <summary>What is waited for before the end of one direction is handed over.</summary>
    protected virtual Task EndAsync() => Task.CompletedTask;

    /// <summary>Ends a connection in both directions.</summary>
    protected void Cut(Connection connection)
    {
        connection.Here.Dispose();
        connection.There.Dispose();
        _ = _connections.TryRemove(connection, out _);
    }

    protected async Task SendAsync(Socket to, Memory<byte> bytes)
    {
        for (int sent = 0; sent < bytes.Length;)
        {
            sent += await to.SendAsync(bytes[sent..], _ends.Token);
        }
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                _ = ServeAsync(await _listener.AcceptSocketAsync(_ends.Token));
            }
        }
        catch (Exception failure) when (_ends.IsCancellationRequested && failure is OperationCanceledException or SocketException or ObjectDisposedException or InvalidOperationException)
        {
            // The last: a connection came as the listener was stopped, and the next one is asked of a stopped one.
        }
    }

    private async Task ServeAsync(Socket here)
    {
        _ = Interlocked.Increment(ref _made);
        var connection = new Connection(here, new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true });
        here.NoDelay = true;
        try
        {
            await BeginAsync();
            await connection.There.ConnectAsync(_server.Host, _server.Port, _ends.Token);
            _connections[connection] = true;
            await Task.WhenAll(PumpAsync(connection, here, connection.There), PumpAsync(connection, connection.There, here));
        }
        catch (Exception failure) when (failure is OperationCanceledException or SocketException or ObjectDisposedException)
        {
        }
        finally
        {
            Cut(connection);
        }
    }

    private async Task PumpAsync(Connection connection, Socket from, Socket to)
    {
        byte[] room = new byte[RoomBytes];
        try
        {
            int bytes;
            do
            {
                bytes = await from.ReceiveAsync(room.AsMemory(0, PieceBytes), _ends.Token);
                if (bytes == 0)
                {
                    await EndAsync();
                    to.Shutdown(SocketShutdown.Send);
                }
            }
            while (bytes > 0 && await PassAsync(connection, to, room.AsMemory(0, bytes)));
        }
        catch (Exception failure) when (failure is OperationCanceledException or SocketException or ObjectDisposedException)
        {
            Cut(connection);
        }
    }

    /// <summary>A connection of a client, and the one to the server that was made for it.</summary>
    protected sealed record Connection(Socket Here, Socket There);
}
