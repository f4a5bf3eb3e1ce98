// A way to a server on which little is under way at once, so that the sockets of who writes are soon full. Threads of its own hand over what comes: it needs none
// of the pool. It can be held: then nothing is read any more.
using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Net;
using System.Net.Sockets;
using System.Threading;

namespace Pile.Client.Tests;

internal sealed class NarrowWay : IDisposable
{
    private const int BufferBytes = 4096;

    private readonly Socket _listener = Narrow();
    private readonly Uri _server;
    private readonly ManualResetEventSlim _open = new(initialState: true);
    private readonly Lock _gate = new();
    private readonly List<Socket> _sockets = [];

    internal NarrowWay(string server)
    {
        _server = new Uri(server);
        _listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _listener.Listen();
        _sockets.Add(_listener);
        WayThread.Start(Accept);
    }

    internal string Address => $"{_server.Scheme}://{_listener.LocalEndPoint}";

    /// <summary>From now on nobody reads.</summary>
    internal void Hold() => _open.Reset();

    public void Dispose()
    {
        lock (_gate)
        {
            _sockets.ForEach(static socket => socket.Dispose());
        }

        _open.Set();
    }

    private static Socket Narrow()
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { ReceiveBufferSize = BufferBytes, SendBufferSize = BufferBytes, NoDelay = true };
        if (OperatingSystem.IsLinux())
        {
            // TCP_MAXSEG, as on a real network: the system gives who writes room for some of the largest pieces, which are of 64 KiB where nothing is said.
            Span<byte> pieceBytes = stackalloc byte[4];
            BinaryPrimitives.WriteInt32LittleEndian(pieceBytes, 1400);
            socket.SetRawSocketOption(6, 2, pieceBytes);
        }

        return socket;
    }

    private void Accept()
    {
        while (true)
        {
            Socket here = Kept(_listener.Accept());
            Socket there = Kept(Narrow());
            there.Connect(_server.Host, _server.Port);
            WayThread.Start(() => HandOver(here, there));
            WayThread.Start(() => HandOver(there, here));
        }
    }

    private void HandOver(Socket from, Socket to)
    {
        byte[] room = new byte[BufferBytes];
        for (int bytes; (bytes = from.Receive(room)) > 0;)
        {
            _open.Wait();
            _ = to.Send(room.AsSpan(0, bytes));
        }

        to.Shutdown(SocketShutdown.Send);
    }

    private Socket Kept(Socket socket)
    {
        lock (_gate)
        {
            _sockets.Add(socket);
        }

        return socket;
    }
}
