using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Text;

namespace Pile.ServerBench.Load;

/// <summary>One connection of HTTP/2 that one thread drives, with as little work for each message as can be: what is sent is made beforehand.
/// It knows the frames that a server of gRPC sends, and takes anything unexpected as an error.</summary>
internal sealed class Http2Link : IDisposable
{
    internal const int FrameHeadBytes = 9;
    internal const int FramePayloadMax = 16_384;
    internal const byte Data = 0;

    private const byte Headers = 1;
    private const byte ResetStream = 3;
    private const byte Settings = 4;
    private const byte Ping = 6;
    private const byte GoAway = 7;
    private const byte WindowUpdate = 8;
    private const byte EndStream = 1;
    private const byte Acknowledged = 1;
    private const byte EndHeaders = 4;
    private const int WaitMs = 60_000;
    private const int WindowBytes = int.MaxValue;
    private const int WindowFirst = 65_535;
    private const int WindowRenewed = 1 << 29;

    private readonly Stream _stream;
    private readonly string _authority;
    private readonly bool _isSecure;
    private readonly byte[] _received = new byte[1 << 20];
    private readonly Dictionary<int, int> _taken = [];
    private byte[] _send = new byte[1 << 20];
    private int _sendBytes;
    private int _begin;
    private int _end;
    private int _nextStream = 1;
    private int _takenBytes;
    private long _window = WindowFirst;
    private long _streamWindow = WindowFirst;

    internal Http2Link(Uri address)
    {
        var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true, ReceiveTimeout = WaitMs, SendTimeout = WaitMs };
        socket.Connect(new IPEndPoint(IPAddress.Parse(address.Host), address.Port));
        _authority = address.Authority;
        _isSecure = address.Scheme == Uri.UriSchemeHttps;
        _stream = new NetworkStream(socket, ownsSocket: true);
        if (_isSecure)
        {
#pragma warning disable CA5359 // The certificate was made for this run, and the address is loopback.
            var secure = new SslStream(_stream, leaveInnerStreamOpen: false, static (_, _, _, _) => true);
#pragma warning restore CA5359
            secure.AuthenticateAsClient(new SslClientAuthenticationOptions { TargetHost = "localhost", ApplicationProtocols = [SslApplicationProtocol.Http2] });
            _stream = secure;
        }

        Put("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8);
        Span<byte> setting = stackalloc byte[6];
        BinaryPrimitives.WriteUInt16BigEndian(setting, 4); // SETTINGS_INITIAL_WINDOW_SIZE
        BinaryPrimitives.WriteInt32BigEndian(setting[2..], WindowBytes);
        PutFrame(Settings, 0, 0, setting);
        PutWindow(0, WindowBytes - WindowFirst);
    }

    /// <summary>Whether a frame of a stream with as many bytes may be sent now. One stream is used at a time, or few with little under way.</summary>
    internal bool CanSend(int payloadBytes) => payloadBytes <= _window && payloadBytes <= _streamWindow;

    /// <summary>The headers of a call, for <see cref="Open(byte[])"/>.</summary>
    internal byte[] Call(string path)
    {
        using var block = new MemoryStream();
        block.WriteByte(0x83); // :method POST
        block.WriteByte((byte)(_isSecure ? 0x87 : 0x86)); // :scheme
        Literal(block, 4, path);
        Literal(block, 1, _authority);
        Literal(block, 15, "application/grpc", isLongIndex: true); // content-type is 31
        block.WriteByte(0x00);
        Text(block, "te");
        Text(block, "trailers");
        return block.ToArray();
    }

    /// <summary>Opens a stream for a call.</summary>
    internal int Open(string path) => Open(Call(path));

    /// <summary>Opens a stream for a call whose headers were made beforehand.</summary>
    internal int Open(byte[] call)
    {
        int stream = _nextStream;
        _nextStream += 2;
        PutFrame(Headers, EndHeaders, stream, call);
        return stream;
    }

    /// <summary>Puts frames made beforehand of one stream, each no longer than allowed.</summary>
    /// <param name="frames">The frames, with any stream.</param>
    /// <param name="payloadBytes">What counts of them for the windows.</param>
    internal void Put(ReadOnlySpan<byte> frames, int payloadBytes)
    {
        _window -= payloadBytes;
        _streamWindow -= payloadBytes;
        Put(frames);
    }

    /// <summary>Puts the one message of a call, with its head, and ends our side of its stream. At most as long as a frame.</summary>
    internal void Whole(int stream, ReadOnlySpan<byte> message)
    {
        _window -= message.Length;
        PutFrame(Data, EndStream, stream, message);
    }

    /// <summary>Sends what was put.</summary>
    internal void Flush()
    {
        if (_sendBytes > 0)
        {
            _stream.Write(_send.AsSpan(0, _sendBytes));
            _sendBytes = 0;
        }
    }

    /// <summary>Waits for bytes, and hands over the data of all whole frames among them.</summary>
    /// <param name="sink">Gets the data of each frame, and the end of streams.</param>
    internal void Receive<TSink>(ref TSink sink)
        where TSink : struct, IFrameSink
    {
        Flush();
        if (_begin > 0)
        {
            _received.AsSpan(_begin, _end - _begin).CopyTo(_received);
            (_begin, _end) = (0, _end - _begin);
        }

        int bytes = _stream.Read(_received.AsSpan(_end));
        if (bytes == 0)
        {
            throw new IOException("The server has closed the connection.");
        }

        _end += bytes;
        while (_end - _begin >= FrameHeadBytes)
        {
            ReadOnlySpan<byte> head = _received.AsSpan(_begin, FrameHeadBytes);
            int length = (head[0] << 16) | BinaryPrimitives.ReadUInt16BigEndian(head[1..]);
            if (_end - _begin - FrameHeadBytes < length)
            {
                break;
            }

            _begin += FrameHeadBytes + length;
            Take(ref sink, head[3], head[4], BinaryPrimitives.ReadInt32BigEndian(head[5..]), _received.AsSpan(_begin - length, length));
        }
    }

    public void Dispose() => _stream.Dispose();

    private void Take<TSink>(ref TSink sink, byte type, byte flags, int stream, ReadOnlySpan<byte> payload)
        where TSink : struct, IFrameSink
    {
        switch (type)
        {
            case Data:
                Count(stream, payload.Length);
                sink.Data(stream, payload);
                break;
            case Settings when (flags & Acknowledged) == 0:
                for (ReadOnlySpan<byte> rest = payload; rest.Length >= 6; rest = rest[6..])
                {
                    if (BinaryPrimitives.ReadUInt16BigEndian(rest) == 4)
                    {
                        _streamWindow += BinaryPrimitives.ReadInt32BigEndian(rest[2..]) - WindowFirst;
                    }
                }

                PutFrame(Settings, Acknowledged, 0, []);
                break;
            case Ping when (flags & Acknowledged) == 0:
                PutFrame(Ping, Acknowledged, 0, payload);
                break;
            case WindowUpdate:
                int more = BinaryPrimitives.ReadInt32BigEndian(payload);
                if (stream == 0)
                {
                    _window += more;
                }
                else
                {
                    _streamWindow += more;
                }

                break;
            case ResetStream or GoAway:
                throw new IOException($"The server has ended {(type == GoAway ? "the connection" : "a stream")}: {Convert.ToHexString(payload)}.");
        }

        if (type is Data or Headers && (flags & EndStream) != 0)
        {
            _ = _taken.Remove(stream);
            sink.Ended(stream);
        }
    }

    private void Count(int stream, int bytes)
    {
        _takenBytes += bytes;
        if (_takenBytes > WindowRenewed)
        {
            PutWindow(0, _takenBytes);
            _takenBytes = 0;
        }

        int taken = _taken.GetValueOrDefault(stream) + bytes;
        if (taken > WindowRenewed)
        {
            PutWindow(stream, taken);
            taken = 0;
        }

        _taken[stream] = taken;
    }

    private void PutWindow(int stream, int bytes)
    {
        Span<byte> payload = stackalloc byte[sizeof(int)];
        BinaryPrimitives.WriteInt32BigEndian(payload, bytes);
        PutFrame(WindowUpdate, 0, stream, payload);
    }

    private void PutFrame(byte type, byte flags, int stream, ReadOnlySpan<byte> payload)
    {
        Span<byte> head = stackalloc byte[FrameHeadBytes];
        WriteHead(head, payload.Length, type, flags, stream);
        Put(head);
        Put(payload);
    }

    internal static void WriteHead(Span<byte> head, int length, byte type, byte flags, int stream)
    {
        head[0] = (byte)(length >> 16);
        BinaryPrimitives.WriteUInt16BigEndian(head[1..], (ushort)length);
        head[3] = type;
        head[4] = flags;
        BinaryPrimitives.WriteInt32BigEndian(head[5..], stream);
    }

    private void Put(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length > _send.Length - _sendBytes)
        {
            Array.Resize(ref _send, int.Max(_send.Length * 2, _sendBytes + bytes.Length));
        }

        bytes.CopyTo(_send.AsSpan(_sendBytes));
        _sendBytes += bytes.Length;
    }

    private static void Literal(MemoryStream block, byte name, string value, bool isLongIndex = false)
    {
        block.WriteByte(isLongIndex ? (byte)0x0F : name);
        if (isLongIndex)
        {
            block.WriteByte((byte)(name + 1));
        }

        Text(block, value);
    }

    private static void Text(MemoryStream block, string text)
    {
        block.WriteByte((byte)text.Length);
        block.Write(Encoding.ASCII.GetBytes(text));
    }
}
