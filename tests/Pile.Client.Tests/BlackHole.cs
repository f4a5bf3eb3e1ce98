// A way to a server that a test can cut: connections stay open, and nothing comes through any more, or they end at once.
using System;
using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;

namespace Pile.Client.Tests;

internal sealed class BlackHole : IAsyncDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly ConcurrentBag<Socket> _sockets = [];
    private readonly CancellationTokenSource _ends = new();
    private readonly Uri _server;
    private volatile TaskCompletionSource _open = Opened();
    private readonly Task _accepting;
    private long _breaksAfter = long.MaxValue;

    internal BlackHole(string server)
    {
        _server = new Uri(server);
        _listener.Start();
        _accepting = AcceptAsync();
    }

    internal string Address => $"http://{_listener.LocalEndpoint}";

    /// <summary>Connections that came this way.</summary>
    internal int Connections => _sockets.Count / 2;

    /// <summary>From now on bytes vanish into buffers.</summary>
    internal void Cut() => _open = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Ends all connections that there are.</summary>
    internal void Break()
    {
        foreach (Socket socket in _sockets)
        {
            socket.Dispose();
        }
    }

    /// <summary>Ends all connections, once, when so many more bytes have come to the server.</summary>
    internal void BreakAfter(long bytes) => Interlocked.Exchange(ref _breaksAfter, bytes);

    /// <summary>What was held comes through, and all that follows.</summary>
    internal void Mend() => _open.SetResult();

    public async ValueTask DisposeAsync()
    {
        await _ends.CancelAsync();
        _ = _open.TrySetResult();
        _listener.Stop();
        Break();
        await Within.AMinuteAsync(_accepting, "the end of the way");
        _ends.Dispose();
    }

    private static TaskCompletionSource Opened()
    {
        var open = new TaskCompletionSource();
        open.SetResult();
        return open;
    }

    private async Task AcceptAsync()
    {
        try
        {
            while (true)
            {
                Socket here = await _listener.AcceptSocketAsync(_ends.Token);
                var there = new Socket(SocketType.Stream, ProtocolType.Tcp);
                _sockets.Add(here);
                _sockets.Add(there);
                await there.ConnectAsync(_server.Host, _server.Port, _ends.Token);
                _ = PumpAsync(here, there, isToServer: true);
                _ = PumpAsync(there, here, isToServer: false);
            }
        }
        catch (Exception failure) when (_ends.IsCancellationRequested && failure is OperationCanceledException or SocketException or ObjectDisposedException)
        {
        }
    }

    private async Task PumpAsync(Socket from, Socket to, bool isToServer)
    {
        byte[] room = new byte[16 << 10];
        try
        {
            while (true)
            {
                int bytes = await from.ReceiveAsync(room, _ends.Token);
                await _open.Task;
                if (bytes == 0)
                {
                    to.Shutdown(SocketShutdown.Send);
                    return;
                }

                if (isToServer && Interlocked.Add(ref _breaksAfter, -bytes) <= 0 && Interlocked.Exchange(ref _breaksAfter, long.MaxValue) <= 0)
                {
                    Break();
                }

                for (int sent = 0; sent < bytes;)
                {
                    sent += await to.SendAsync(room.AsMemory(sent, bytes - sent), _ends.Token);
                }
            }
        }
        catch (Exception failure) when (failure is OperationCanceledException or SocketException or ObjectDisposedException)
        {
            to.Dispose();
        }
    }
}
