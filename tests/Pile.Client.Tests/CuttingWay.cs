// A way to a server that harms what goes over it: pieces come late, or half, or vanish, connections end at once or in one direction alone.
// Until it is told to be calm: then what vanished takes its connection along, and all that follows comes through.
using System;
using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;

namespace Pile.Client.Tests;

internal sealed class CuttingWay : IAsyncDisposable
{
    private const int PieceBytes = 16 << 10;

    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly ConcurrentDictionary<Connection, bool> _connections = [];
    private readonly CancellationTokenSource _ends = new();
    private readonly Uri _server;
    private readonly int _seed;
    private readonly Task _accepting;
    private volatile TaskCompletionSource _calm = Done();
    private int _made;

    internal CuttingWay(string server, int seed)
    {
        _server = new Uri(server);
        _seed = seed;
        _listener.Start();
        _accepting = AcceptAsync();
    }

    internal string Address => $"http://{_listener.LocalEndpoint}";

    /// <summary>Connections that were made, and times that one was harmed.</summary>
    internal (int Made, int Harms) Figures => (Volatile.Read(ref _made), Volatile.Read(ref _harms));

    private int _harms;

    private bool IsCalm => _calm.Task.IsCompleted;

    /// <summary>From here on harm is done.</summary>
    internal void Begin() => _calm = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>From here on none is.</summary>
    internal void End() => _calm.SetResult();

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
        _ = _calm.TrySetResult();
        _listener.Stop();
        CutAll();
        await Within.AMinuteAsync(_accepting, "the end of the way");
        _ends.Dispose();
    }

    private static TaskCompletionSource Done()
    {
        var done = new TaskCompletionSource();
        done.SetResult();
        return done;
    }

    private void Cut(Connection connection)
    {
        _ = Interlocked.Increment(ref _harms);
        connection.Here.Dispose();
        connection.There.Dispose();
        _ = _connections.TryRemove(connection, out _);
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                Socket here = await _listener.AcceptSocketAsync(_ends.Token);
                _ = PassAsync(here, new Random((_seed * 100_000) + Interlocked.Increment(ref _made)));
            }
        }
        catch (Exception failure) when (_ends.IsCancellationRequested && failure is OperationCanceledException or SocketException or ObjectDisposedException)
        {
        }
    }

    private async Task PassAsync(Socket here, Random random)
    {
        var connection = new Connection(here, new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true });
        here.NoDelay = true;
        try
        {
            // Before anything comes, too: then nobody answers at all, for a while.
            if (!IsCalm && random.Next(20) == 0)
            {
                _ = Interlocked.Increment(ref _harms);
                await LaterAsync(random.Next(1, 500));
            }

            await connection.There.ConnectAsync(_server.Host, _server.Port, _ends.Token);
            _connections[connection] = true;
        }
        catch (Exception failure) when (failure is OperationCanceledException or SocketException or ObjectDisposedException)
        {
            Cut(connection);
            return;
        }

        int seed = random.Next();
        await Task.WhenAll(PumpAsync(connection, here, connection.There, new Random(seed)), PumpAsync(connection, connection.There, here, new Random(seed + 1)));
        Cut(connection);
    }

    private async Task PumpAsync(Connection connection, Socket from, Socket to, Random random)
    {
        byte[] room = new byte[PieceBytes];
        try
        {
            while (true)
            {
                int bytes = await from.ReceiveAsync(room, _ends.Token);
                if (bytes == 0)
                {
                    to.Shutdown(SocketShutdown.Send);
                    return;
                }

                switch (IsCalm ? int.MaxValue : random.Next(600))
                {
                    case 0:
                        Cut(connection);
                        return;
                    case 1:
                        await SendAsync(to, room.AsMemory(0, bytes / 2));
                        Cut(connection);
                        return;
                    case 2:
                        // The half of a piece, and nothing any more: neither the rest nor an end.
                        await SendAsync(to, room.AsMemory(0, bytes / 2));
                        _ = Interlocked.Increment(ref _harms);
                        await _calm.Task;
                        Cut(connection);
                        return;
                    case 3:
                        _ = Interlocked.Increment(ref _harms);
                        to.Shutdown(SocketShutdown.Send);
                        await _calm.Task;
                        Cut(connection);
                        return;
                    case 4:
                        // An end that says that something went wrong.
                        to.LingerState = new LingerOption(true, 0);
                        Cut(connection);
                        return;
                    case < 25:
                        await LaterAsync(random.Next(1, 60));
                        break;
                    case < 35:
                        await SendAsync(to, room.AsMemory(0, bytes / 2));
                        await LaterAsync(random.Next(1, 20));
                        await SendAsync(to, room.AsMemory(bytes / 2, bytes - (bytes / 2)));
                        continue;
                    default:
                        break;
                }

                await SendAsync(to, room.AsMemory(0, bytes));
            }
        }
        catch (Exception failure) when (failure is OperationCanceledException or SocketException or ObjectDisposedException)
        {
            Cut(connection);
        }
    }

    private async Task SendAsync(Socket to, Memory<byte> bytes)
    {
        for (int sent = 0; sent < bytes.Length;)
        {
            sent += await to.SendAsync(bytes[sent..], _ends.Token);
        }
    }

    private async Task LaterAsync(int milliseconds)
    {
        using var timer = new PeriodicTimer(TimeSpan.FromMilliseconds(milliseconds));
        _ = await timer.WaitForNextTickAsync(_ends.Token);
    }

    private sealed record Connection(Socket Here, Socket There);
}
