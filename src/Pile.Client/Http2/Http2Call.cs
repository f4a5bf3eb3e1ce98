// One call on a connection of its own: HTTP/2 as far as one open stream needs it (RFC 9113). The framework's client makes objects of each write
// and each read of a stream, some 800 bytes; here a message that fits the socket's buffer costs none. What comes is hostile until checked.
using System;
using System.Buffers;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

namespace Pile.Client.Http2;

/// <summary>A call. One reads, one writes; <see cref="Dispose"/> from anywhere ends both.</summary>
internal sealed class Http2Call : IDisposable
{
    /// <summary>How a connection ends whose other side speaks something else, or refuses the client's certificate.</summary>
    internal const string NothingHeard = "The server has closed the connection before it said anything.";

    /// <summary>How one ends that is to speak HTTP/1.1.</summary>
    internal const string IsHttp11 = "The server speaks HTTP/1.1 at this address (HTTP_1_1_REQUIRED). Let it listen there by HTTP/2: HttpProtocols.Http2 of Kestrel.";

    /// <summary>HTTP_1_1_REQUIRED of RFC 9113.</summary>
    internal const int Http11Required = 13;

    private const int Stream = 1;
    private static readonly byte[] _preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"u8.ToArray();

    private readonly Stream _transport;
    private readonly TimeProvider _clock;
    private readonly TimeSpan _keepAlive;
    private readonly ITimer? _watch;
    private readonly byte[] _buffer = new byte[ClientLimits.InputBytes];
    private readonly ArrayBufferWriter<byte> _block = new(256);
    private bool _isInBlock;
    private bool _endsWithBlock;
    private bool _hasEnded;
    private long _askedAt;
    private bool _isAsked;
    private int _unsaidBytes;
    private long _heardFirstAt;
    private bool _isHeard;

    /// <summary>Makes a call; nothing is sent yet.</summary>
    /// <param name="transport">The connection, which it disposes.</param>
    /// <param name="clock">The clock.</param>
    /// <param name="keepAlive">After how long without a word the other side is asked whether it is there, and after as long again the connection is
    /// given up.</param>
    internal Http2Call(Stream transport, TimeProvider clock, TimeSpan keepAlive)
    {
        _transport = transport;
        _clock = clock;
        _keepAlive = keepAlive;
        HeardAt = clock.GetTimestamp();
        Output = new FrameOutput(transport, Stream);
        if (keepAlive != Timeout.InfiniteTimeSpan)
        {
            _watch = clock.CreateTimer(static call => ((Http2Call)call!).Watch(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
            _ = _watch.Change(keepAlive, Timeout.InfiniteTimeSpan);
        }
    }

    /// <summary>Where data is written to.</summary>
    internal FrameOutput Output { get; }

    /// <summary>When something came last.</summary>
    internal long HeardAt { get; private set; }

    /// <summary>When something came first; null before. From any thread.</summary>
    internal long? HeardFirstAt => Volatile.Read(ref _isHeard) ? _heardFirstAt : null;

    /// <summary>The headers of the response; null before they came.</summary>
    internal Dictionary<string, string>? Headers { get; private set; }

    /// <summary>What came behind the data; null where nothing did.</summary>
    internal Dictionary<string, string>? Trailers { get; private set; }

    public void Dispose()
    {
        _watch?.Dispose();
        Output.Break(new IOException("The connection was given up."));
        _transport.Dispose();
    }

    /// <summary>Sends the headers of the request.</summary>
    internal void Begin(ReadOnlySpan<(string Name, string Value, bool IsSecret)> headers)
    {
        var first = new ArrayBufferWriter<byte>(512);
        first.Write(_preface);
        Span<byte> settings = stackalloc byte[18];
        Setting(settings, FrameSettings.TableBytes, 0);
        Setting(settings[6..], FrameSettings.Push, 0);
        Setting(settings[12..], FrameSettings.FirstWindow, ClientLimits.WindowBytes);
        Write(first, FrameKind.Settings, 0, 0, settings);
        Span<byte> window = stackalloc byte[4];
        BinaryPrimitives.WriteInt32BigEndian(window, ClientLimits.WindowBytes - ClientLimits.WindowBytesFirst);
        Write(first, FrameKind.Window, 0, 0, window);
        var block = new ArrayBufferWriter<byte>(256);
        foreach ((string name, string value, bool isSecret) in headers)
        {
            HeaderBlock.Write(block, name, value, isSecret);
        }

        // A token may be longer than a frame.
        ReadOnlySpan<byte> rest = block.WrittenSpan;
        FrameKind kind = FrameKind.Headers;
        do
        {
            ReadOnlySpan<byte> part = rest[..int.Min(rest.Length, ClientLimits.FrameBytesMax)];
            rest = rest[part.Length..];
            Write(first, kind, rest.IsEmpty ? Frame.EndHeaders : (byte)0, Stream, part);
            kind = FrameKind.Continuation;
        }
        while (!rest.IsEmpty);

        Output.Send(first.WrittenSpan);
    }

    /// <summary>Reads to the end of the response.</summary>
    /// <param name="give">Given the response's data as it comes; valid only during its call.</param>
    /// <param name="isBlocking">Whether the calling thread reads to the end: the task is done then.</param>
    /// <exception cref="InvalidDataException">What came is no HTTP/2.</exception>
    /// <exception cref="IOException">The connection or the stream was broken off.</exception>
    internal async Task ReadAsync(Action<ReadOnlySpan<byte>> give, bool isBlocking = false)
    {
        int used = 0;
        while (!_hasEnded)
        {
            int count;
            try
            {
                count = isBlocking ? _transport.Read(_buffer.AsSpan(used)) : await _transport.ReadAsync(_buffer.AsMemory(used)).ConfigureAwait(false);
            }
            catch (ObjectDisposedException gone)
            {
                // Who gives the connection up disposes it under the reader, who may be in a callback at that moment. Not in a method of its own, which would allocate.
                throw new IOException("The connection was given up.", gone);
            }

            if (count == 0)
            {
                throw new IOException(_isHeard ? "The server has closed the connection." : NothingHeard);
            }

            HeardAt = _clock.GetTimestamp();
            if (!_isHeard)
            {
                _heardFirstAt = HeardAt;
                Volatile.Write(ref _isHeard, true);
            }

            used += count;
            int done = ReadFrames(_buffer.AsSpan(0, used), give);
            used -= done;
            _buffer.AsSpan(done, used).CopyTo(_buffer);
        }
    }

    private static void Setting(Span<byte> target, ushort number, uint value)
    {
        BinaryPrimitives.WriteUInt16BigEndian(target, number);
        BinaryPrimitives.WriteUInt32BigEndian(target[2..], value);
    }

    private static void Write(ArrayBufferWriter<byte> target, FrameKind kind, byte flags, int stream, ReadOnlySpan<byte> payload)
    {
        new Frame(kind, flags, stream, payload.Length).Write(target.GetSpan(Frame.HeadBytes));
        target.Advance(Frame.HeadBytes);
        target.Write(payload);
    }

    // Those that are whole; returned are their bytes.
    private int ReadFrames(ReadOnlySpan<byte> bytes, Action<ReadOnlySpan<byte>> give)
    {
        int at = 0;
        while (bytes.Length - at >= Frame.HeadBytes && !_hasEnded)
        {
            var frame = Frame.Read(bytes[at..]);
            if (frame.Length > ClientLimits.FrameBytesMax)
            {
                throw new InvalidDataException($"A frame of {frame.Length:N0} bytes; at most {ClientLimits.FrameBytesMax:N0} are taken. Is it a server of HTTP/2?");
            }

            if (bytes.Length - at - Frame.HeadBytes < frame.Length)
            {
                break;
            }

            Read(frame, bytes.Slice(at + Frame.HeadBytes, frame.Length), give);
            at += Frame.HeadBytes + frame.Length;
        }

        return at;
    }

    private void Read(Frame frame, ReadOnlySpan<byte> payload, Action<ReadOnlySpan<byte>> give)
    {
        if (_isInBlock && (frame.Kind != FrameKind.Continuation || frame.Stream != Stream))
        {
            throw new InvalidDataException("Something came between the parts of the headers.");
        }

        switch (frame.Kind)
        {
            case FrameKind.Data when frame.Stream == Stream && Headers is not null:
                ReadData(frame, payload, give);
                break;
            case FrameKind.Headers when frame.Stream == Stream:
                _endsWithBlock = frame.Has(Frame.EndStream);
                payload = Unpadded(frame, payload);
                Append(frame, frame.Has(Frame.Priority) ? Sized(payload, 5, isLeast: true)[5..] : payload);
                break;
            case FrameKind.Continuation when _isInBlock:
                Append(frame, payload);
                break;
            case FrameKind.Reset when frame.Stream == Stream:
                throw new IOException($"The server has reset the stream (error {BinaryPrimitives.ReadUInt32BigEndian(Sized(payload, 4))} of HTTP/2).");
            case FrameKind.Settings when frame.Stream == 0:
                ReadSettings(frame, payload);
                break;
            case FrameKind.Ping when frame.Stream == 0:
                if (!frame.Has(Frame.Ack))
                {
                    Output.Send(FrameKind.Ping, Frame.Ack, 0, Sized(payload, 8));
                }

                break;
            case FrameKind.GoAway when frame.Stream == 0:
                int last = BinaryPrimitives.ReadInt32BigEndian(Sized(payload, 8, isLeast: true)) & int.MaxValue;
                if (last < Stream)
                {
                    uint error = BinaryPrimitives.ReadUInt32BigEndian(payload[4..]);
                    throw new IOException(error == Http11Required ? IsHttp11 : $"The server goes away (error {error} of HTTP/2).");
                }

                break;
            case FrameKind.Window:
                int more = BinaryPrimitives.ReadInt32BigEndian(Sized(payload, 4)) & int.MaxValue;
                if (frame.Stream is 0 or Stream)
                {
                    Output.Widen(frame.Stream == Stream, more);
                }

                break;
            case FrameKind.Data or FrameKind.Headers or FrameKind.Push or FrameKind.Continuation or FrameKind.Settings or FrameKind.Ping or FrameKind.GoAway:
                throw new InvalidDataException($"A frame {frame.Kind} where none can be.");
            default:
                break;
        }
    }

    private void ReadData(Frame frame, ReadOnlySpan<byte> payload, Action<ReadOnlySpan<byte>> give)
    {
        give(Unpadded(frame, payload));
        _hasEnded = frame.Has(Frame.EndStream);
        _unsaidBytes += payload.Length;
        if (_unsaidBytes >= ClientLimits.WindowBytes / 2)
        {
            Span<byte> more = stackalloc byte[4];
            BinaryPrimitives.WriteInt32BigEndian(more, _unsaidBytes);
            Output.Send(FrameKind.Window, 0, 0, more);
            Output.Send(FrameKind.Window, 0, Stream, more);
            _unsaidBytes = 0;
        }
    }

    private void ReadSettings(Frame frame, ReadOnlySpan<byte> payload)
    {
        if (!frame.Has(Frame.Ack))
        {
            if (payload.Length % 6 != 0)
            {
                throw new InvalidDataException($"Settings of {payload.Length} bytes.");
            }

            Output.Set(payload);
            Output.Send(FrameKind.Settings, Frame.Ack, 0, default);
        }
    }

    private void Append(Frame frame, ReadOnlySpan<byte> part)
    {
        if (_block.WrittenCount + part.Length > ClientLimits.HeaderBytesMax)
        {
            throw new InvalidDataException($"Headers of more than {ClientLimits.HeaderBytesMax:N0} bytes.");
        }

        _block.Write(part);
        _isInBlock = !frame.Has(Frame.EndHeaders);
        if (_isInBlock)
        {
            return;
        }

        Dictionary<string, string> headers = HeaderBlock.Read(_block.WrittenSpan);
        _block.ResetWrittenCount();
        bool isFirst = Headers is null;
        if (!isFirst && !_endsWithBlock)
        {
            throw new InvalidDataException("Headers within the data.");
        }

        // Those of 100 to 199 come before the ones that count.
        if (isFirst && (_endsWithBlock || !headers.TryGetValue(":status", out string? status) || !status.StartsWith('1')))
        {
            Headers = headers;
        }
        else if (!isFirst)
        {
            Trailers = headers;
        }

        _hasEnded = _endsWithBlock;
    }

    private static ReadOnlySpan<byte> Unpadded(Frame frame, ReadOnlySpan<byte> payload)
    {
        if (!frame.Has(Frame.Padded))
        {
            return payload;
        }

        int padding = Sized(payload, 1, isLeast: true)[0];
        return padding < payload.Length ? payload[1..^padding] : throw new InvalidDataException("A frame with more padding than it has bytes.");
    }

    private static ReadOnlySpan<byte> Sized(ReadOnlySpan<byte> payload, int bytes, bool isLeast = false) => payload.Length == bytes || (isLeast && payload.Length > bytes)
        ? payload
        : throw new InvalidDataException($"A frame of {payload.Length} bytes where {bytes} are right.");

    // Asks who has been silent whether it is there, and gives up who does not answer. The time for that begins with the question: a process
    // that slept, or was stopped, finds everybody silent for long.
    private void Watch()
    {
        long now = _clock.GetTimestamp();
        long heard = HeardAt;
        bool wasAsked = _isAsked && heard < _askedAt;
        TimeSpan waited = _clock.GetElapsedTime(wasAsked ? _askedAt : heard, now);
        if (wasAsked && waited >= _keepAlive)
        {
            Dispose();
            return;
        }

        _isAsked = wasAsked || waited >= _keepAlive;
        if (_isAsked && !wasAsked)
        {
            (_askedAt, waited) = (now, TimeSpan.Zero);
            try
            {
                Output.Send(FrameKind.Ping, 0, 0, stackalloc byte[8]);
            }
            catch (InvalidDataException)
            {
                // Its reader does not read: it is given up the next time.
            }
        }

        try
        {
            TimeSpan rest = _keepAlive - waited;
            _ = _watch!.Change(rest > TimeSpan.Zero ? rest : TimeSpan.FromMilliseconds(1), Timeout.InfiniteTimeSpan);
        }
        catch (ObjectDisposedException)
        {
            // It has ended in this moment.
        }
    }
}
