using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;

namespace Pile.Server.Tests.Hostile;

/// <summary>A connection that keeps to no rule: it sends the bytes that it is told to. Every wait ends within a minute.</summary>
internal sealed class RawConnection : IAsyncDisposable
{
    private static readonly TimeSpan _waitMost = TimeSpan.FromMinutes(1);
    private static readonly byte[] _pingPayload = "are you?"u8.ToArray();

    private readonly Socket _socket = new(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
    private readonly byte[] _head = new byte[RawFrame.HeadBytes];
    private readonly Dictionary<uint, RawFrame[]> _seen = [];
    private readonly HashSet<uint> _ended = [];
    private NetworkStream _stream = null!;

    private RawConnection()
    {
    }

    internal static byte[] Preface { get; } = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8.ToArray();

    /// <summary>Settings that make the server's headers readable: it keeps no table of them.</summary>
    internal static byte[] NoTable => RawFrame.Setting(1, 0);

    /// <summary>Connects and sends nothing.</summary>
    internal static async Task<RawConnection> ConnectAsync(Uri server)
    {
        var connection = new RawConnection();
        using var late = new CancellationTokenSource(_waitMost);
        try
        {
            await connection._socket.ConnectAsync(new IPEndPoint(IPAddress.Loopback, server.Port), late.Token);
        }
        catch
        {
            connection._socket.Dispose();
            throw;
        }

        connection._stream = new NetworkStream(connection._socket, ownsSocket: true);
        return connection;
    }

    /// <summary>Connects and sends the preface and settings.</summary>
    internal static async Task<RawConnection> OpenAsync(Uri server, params byte[][] settings)
    {
        RawConnection connection = await ConnectAsync(server);
        _ = await connection.SendAsync(Joined([Preface, NoTable, .. settings]));
        return connection;
    }

    internal static byte[] Joined(params byte[][] parts)
    {
        using var joined = new MemoryStream();
        foreach (byte[] part in parts)
        {
            joined.Write(part);
        }

        return joined.ToArray();
    }

    /// <summary>Sends bytes.</summary>
    /// <returns>False when the server has ended the connection.</returns>
    internal async Task<bool> SendAsync(byte[] bytes, CancellationToken cancel = default)
    {
        using var late = CancellationTokenSource.CreateLinkedTokenSource(cancel);
        late.CancelAfter(_waitMost);
        try
        {
            await _stream.WriteAsync(bytes, late.Token);
            return true;
        }
        catch (IOException)
        {
            return false;
        }
        catch (OperationCanceledException) when (!cancel.IsCancellationRequested)
        {
            throw new TimeoutException($"The server took none of {bytes.Length:N0} bytes for {_waitMost}.");
        }
    }

    /// <summary>Ends this side; the server may go on sending.</summary>
    internal void EndSending() => _socket.Shutdown(SocketShutdown.Send);

    /// <summary>The next frame; null when the server has ended the connection.</summary>
    internal async Task<RawFrame?> ReadAsync(CancellationToken cancel = default)
    {
        using var late = CancellationTokenSource.CreateLinkedTokenSource(cancel);
        late.CancelAfter(_waitMost);
        try
        {
            await _stream.ReadExactlyAsync(_head, late.Token);
            byte[] payload = new byte[(_head[0] << 16) | BinaryPrimitives.ReadUInt16BigEndian(_head.AsSpan(1))];
            await _stream.ReadExactlyAsync(payload, late.Token);
            var frame = new RawFrame((FrameKind)_head[3], _head[4], BinaryPrimitives.ReadUInt32BigEndian(_head.AsSpan(5)), payload);
            Note(frame);
            return frame;
        }
        catch (Exception end) when (end is IOException or SocketException)
        {
            return null;
        }
        catch (OperationCanceledException) when (!cancel.IsCancellationRequested)
        {
            throw new TimeoutException($"The server sent nothing for {_waitMost}.");
        }
    }

    /// <summary>Reads what is there and throws it away, until the connection ends or the token is cancelled.</summary>
    internal async Task DrainAsync(CancellationToken cancel)
    {
        byte[] buffer = new byte[64 << 10];
        try
        {
            while (await _stream.ReadAsync(buffer, cancel) > 0)
            {
            }
        }
        catch (Exception end) when (end is IOException or OperationCanceledException)
        {
        }
    }

    /// <summary>Whether the server still answers on this connection.</summary>
    /// <returns>The error code of its GOAWAY; -1 when it closed without one; null when it answers a ping.</returns>
    internal async Task<int?> EndOfAsync()
    {
        _ = await SendAsync(RawFrame.Of(FrameKind.Ping, 0, 0, _pingPayload));
        int? code = null;
        while (await ReadAsync() is { } frame)
        {
            if (frame.Kind == FrameKind.GoAway)
            {
                code = BinaryPrimitives.ReadInt32BigEndian(frame.Payload.AsSpan(4));
            }
            else if (frame.Kind == FrameKind.Ping && frame.Flags == RawFrame.Ack && frame.Payload.AsSpan().SequenceEqual(_pingPayload))
            {
                return code;
            }
        }

        return code ?? -1;
    }

    /// <summary>What became of a stream: its gRPC status, "reset N", or "closed" where the connection ended. What came before this call counts: a call may be
    /// refused while something else is waited for.</summary>
    internal async Task<string> StatusAsync(uint stream, CancellationToken cancel = default)
    {
        while (!_ended.Contains(stream) && await ReadAsync(cancel) is not null)
        {
        }

        string status = "none";
        foreach (RawFrame frame in _seen.GetValueOrDefault(stream, []))
        {
            status = frame.Kind == FrameKind.Headers ? RawHeaders.StatusOf(frame.Payload) ?? status
                : status == "none" ? $"reset {BinaryPrimitives.ReadInt32BigEndian(frame.Payload)}" : status;
        }

        return status == "none" && !_ended.Contains(stream) ? "closed" : status;
    }

    private void Note(RawFrame frame)
    {
        if (frame.Stream != 0 && frame.Kind is FrameKind.Headers or FrameKind.Reset)
        {
            _seen[frame.Stream] = [.. _seen.GetValueOrDefault(frame.Stream, []), frame];
        }

        if (frame.Kind == FrameKind.Reset || (frame.Kind is FrameKind.Headers or FrameKind.Data && (frame.Flags & RawFrame.EndStream) != 0))
        {
            _ = _ended.Add(frame.Stream);
        }
    }

    public ValueTask DisposeAsync() => _stream.DisposeAsync();
}
