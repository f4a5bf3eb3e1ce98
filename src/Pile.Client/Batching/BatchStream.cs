// One stream of batches: its messages framed as gRPC has it, over a connection of its own. It ends once, with one failure, and whoever writes
// waits for that.
using System;
using System.Buffers;
using System.Buffers.Binary;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Pile.Client.Calls;
using Pile.Client.Http2;

namespace Pile.Client.Batching;

/// <summary>A stream. One writer and one reader at a time; <see cref="Abort"/> from anywhere.</summary>
internal sealed class BatchStream(ServerLink link, BatchLine line) : IDisposable
{
    private const int PrefixBytes = 5;

    private readonly CancellationTokenSource _ends = new();
    private readonly BatchAnswer _answer = new();
    private readonly long _beganAt = link.Time.GetTimestamp();
    private byte[] _buffer = [];
    private int _used;
    private Http2Call? _call;

    /// <summary>Set when it may be written to, or has ended before. Its line's pump waits for it alone, and for the next one.</summary>
    internal OneSignal Opened { get; } = new();

    /// <summary>What it is written to, with the frames of messages; null before it is open.</summary>
    internal FrameOutput? Output => _call?.Output;

    /// <summary>Set when the stream has ended and its line knows.</summary>
    internal OneSignal Ended { get; } = new();

    /// <summary>With what it has ended, or null.</summary>
    internal PileClientException? Failure { get; private set; }

    /// <summary>Whether its line has given it up.</summary>
    internal bool IsGivenUp => _ends.IsCancellationRequested;

    /// <summary>When something came last.</summary>
    internal long HeardAt => _call?.HeardAt ?? _beganAt;

    /// <summary>When something came first, such as the server's settings, which it sends at once; null before.</summary>
    internal long? HeardFirstAt => _call?.HeardFirstAt;

    /// <summary>Whether the server has answered anything.</summary>
    internal bool HasAnswered { get; private set; }

    public void Dispose() => _ends.Dispose();

    internal void Start(string? authorization)
    {
        if (!link.IsBlocking)
        {
            NoContext.Begin(() => _ = RunAsync(authorization));
            return;
        }

        // A thread that reads until the stream has ended: nothing of that waits for one of the pool.
        OwnThread.Start(() => _ = RunAsync(authorization));
    }

    /// <summary>Ends the stream.</summary>
    internal void Abort()
    {
        try
        {
            _ends.Cancel();
        }
        catch (ObjectDisposedException)
        {
            // It has ended in this moment.
        }
    }

    /// <summary>The headers with which a call of gRPC begins.</summary>
    internal static (string Name, string Value, bool IsSecret)[] HeadersOf(ServerLink link, string path, string? authorization) =>
    [
        (":method", "POST", false), (":scheme", link.Uri.Scheme, false), (":path", path, false), (":authority", link.Uri.Authority, false),
        ("content-type", "application/grpc", false), ("te", "trailers", false), .. authorization is null ? default(ReadOnlySpan<(string, string, bool)>) : [("authorization", authorization, true)],
    ];

    private async Task RunAsync(string? authorization)
    {
        PileClientException failure;
        try
        {
            using var call = new Http2Call(await link.ConnectAsync(_ends.Token).ConfigureAwait(false), link.Time, link.KeepAlive);
            using CancellationTokenRegistration given = _ends.Token.UnsafeRegister(static call => ((Http2Call)call!).Dispose(), call);
            call.Begin(HeadersOf(link, "/pile.v1.Entries/Batches", authorization));
            _call = call;
            Opened.Set();
            await call.ReadAsync(Receive, link.IsBlocking).ConfigureAwait(false);
            failure = StreamStatus.FailureOf(call.Headers!, call.Trailers, link.Endpoint);
        }
        catch (Exception broken) when (_ends.IsCancellationRequested)
        {
            failure = CallFailures.Of(StatusCode.Unavailable, null, "the connection was given up, because nothing came.", link.Endpoint, isRetrySafe: true, cause: null);
            _ = broken;
        }
        catch (InvalidDataException wrong)
        {
            failure = new PileClientException($"The server at {link.Endpoint} sent what is no reply: {wrong.Message}", StatusCode.Internal, PileStatus.Format, link.Endpoint, isRetrySafe: true, wrong);
        }
        catch (Exception broken)
        {
            // Whatever it is: those who wait are told.
            failure = CallFailures.Of(CallFailures.IsConnection(broken) ? StatusCode.Unavailable : StatusCode.Internal, null, broken.Message, link.Endpoint, isRetrySafe: true, broken);
        }

        Failure = failure;
        if (_call is null)
        {
            Opened.Set();
        }

        ArrayPool<byte>.Shared.Return(_buffer);
        _buffer = [];
        line.StreamEnded(this, failure);
        Dispose();
        Ended.Set();
    }

    // Messages may begin and end anywhere in what comes.
    private void Receive(ReadOnlySpan<byte> bytes)
    {
        if (_used == 0)
        {
            bytes = bytes[ReadMessages(bytes)..];
        }

        if (_used + bytes.Length > _buffer.Length)
        {
            Grow(_used + bytes.Length);
        }

        bytes.CopyTo(_buffer.AsSpan(_used));
        _used += bytes.Length;
        int done = ReadMessages(_buffer.AsSpan(0, _used));
        _used -= done;
        _buffer.AsSpan(done, _used).CopyTo(_buffer);
    }

    // What is whole is answered; returned are its bytes.
    private int ReadMessages(ReadOnlySpan<byte> bytes)
    {
        int at = 0;
        while (bytes.Length - at >= PrefixBytes)
        {
            uint length = BinaryPrimitives.ReadUInt32BigEndian(bytes[(at + 1)..]);
            if (bytes[at] != 0 || length > ClientLimits.MessageBytesMax)
            {
                throw new InvalidDataException(bytes[at] != 0
                    ? $"A message is marked {bytes[at]}: compressed messages were not asked for."
                    : $"A message of {length:N0} bytes; at most {ClientLimits.MessageBytesMax:N0} are taken.");
            }

            if (bytes.Length - at - PrefixBytes < length)
            {
                return at;
            }

            ReadOnlySpan<byte> message = bytes.Slice(at + PrefixBytes, (int)length);
            _answer.Read(message);
            HasAnswered = true;
            line.Answered(this, _answer, message);
            at += PrefixBytes + (int)length;
        }

        return at;
    }

    // By what has come, not by what a message says that it will have.
    private void Grow(int needed)
    {
        byte[] larger = ArrayPool<byte>.Shared.Rent(int.Max(needed, _buffer.Length * 2));
        _buffer.AsSpan(0, _used).CopyTo(larger);
        ArrayPool<byte>.Shared.Return(_buffer);
        _buffer = larger;
    }
}
