// A way to a server that needs no thread of the pool: threads of its own hand over what comes. It can be closed, so that nobody is there to take a connection,
// and opened again.
using System;
using System.Collections.Generic;
using System.IO;
using System.Net.Sockets;
using System.Threading;

namespace Pile.Client.Tests;

internal sealed class ThreadWay : IDisposable
{
    private readonly string _path = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());
    private readonly Uri _server;
    private readonly Lock _gate = new();
    private readonly List<Socket> _sockets = [];
    private volatile bool _isCut;
    private int _made;

    internal ThreadWay(string server)
    {
        _server = new Uri(server);
        Open();
    }

    internal string Address => $"unix:{_path}";

    /// <summary>Connections that come through; those after them are taken, and nothing answers.</summary>
    internal int ConnectionsMax { get; init; } = int.MaxValue;

    public void Dispose() => Close();

    /// <summary>From now on bytes vanish.</summary>
    internal void Cut() => _isCut = true;

    internal void Open()
    {
        Socket listener = Kept(new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified));
        listener.Bind(new UnixDomainSocketEndPoint(_path));
        listener.Listen();
        WayThread.Start(() => Accept(listener));
    }

    /// <summary>Ends all connections, and takes none.</summary>
    internal void Close()
    {
        File.Delete(_path);
        lock (_gate)
        {
            _sockets.ForEach(static socket => socket.Dispose());
            _sockets.Clear();
        }
    }

    private void Accept(Socket listener)
    {
        while (true)
        {
            Socket here = Kept(listener.Accept());
            if (++_made <= ConnectionsMax)
            {
                Socket there = Kept(new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true });
                there.Connect(_server.Host, _server.Port);
                WayThread.Start(() => HandOver(here, there));
                WayThread.Start(() => HandOver(there, here));
            }
        }
    }

    private void HandOver(Socket from, Socket to)
    {
        byte[] room = new byte[16 << 10];
        for (int bytes; (bytes = from.Receive(room)) > 0;)
        {
            _ = _isCut ? 0 : to.Send(room.AsSpan(0, bytes));
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
