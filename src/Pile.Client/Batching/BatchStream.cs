// One stream of batches: a request whose body stays open, and whose response is read as it comes. gRPC's own client makes objects of each
// message; this is its framing by hand over the framework's HTTP/2. It ends once, with one failure, and whoever writes waits for that.
using System;
using System.Buffers;
using System.Buffers.Binary;
using System.IO;
using System.Net;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Pile.Client.Calls;

namespace Pile.Client.Batching;

/// <summary>A stream. One writer and one reader at a time; <see cref="Abort"/> from anywhere.</summary>
internal sealed class BatchStream(ServerLink link, HttpMessageInvoker invoker, BatchLine line) : IDisposable
{
    private const int PrefixBytes = 5;

    private readonly CancellationTokenSource _ends = new();
    private readonly RequestBody _body = new();
    private byte[] _buffer = ArrayPool<byte>.Shared.Rent(64 << 10);

    /// <summary>Ends, without failing, when the stream has ended and its line knows.</summary>
    internal Task Ended { get; private set; } = Task.CompletedTask;

    /// <summary>With what it has ended, or null.</summary>
    internal PileClientException? Failure { get; private set; }

    /// <summary>When something came last.</summary>
    internal long HeardAt { get; private set; }

    /// <summary>Whether the server has answered anything.</summary>
    internal bool HasAnswered { get; private set; }

    public void Dispose() => _ends.Dispose();

    internal void Start(string? authorization)
    {
        HeardAt = link.Time.GetTimestamp();
        Ended = RunAsync(authorization);
    }

    /// <summary>Sends messages with their frames.</summary>
    /// <remarks>It has no token: a stream that is aborted fails what is written.</remarks>
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    internal async ValueTask WriteAsync(ReadOnlyMemory<byte> messages)
    {
        Stream stream = await _body.Opened.ConfigureAwait(false);
        await stream.WriteAsync(messages, CancellationToken.None).ConfigureAwait(false);
        await stream.FlushAsync(CancellationToken.None).ConfigureAwait(false);
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

    private async Task RunAsync(string? authorization)
    {
        PileClientException failure;
        try
        {
            using var request = new HttpRequestMessage(HttpMethod.Post, new Uri(link.Uri, "/pile.v1.Entries/Batches"))
            {
                Version = HttpVersion.Version20,
                VersionPolicy = HttpVersionPolicy.RequestVersionExact,
                Content = _body,
            };
            request.Headers.TE.Add(new TransferCodingWithQualityHeaderValue("trailers"));
            if (authorization is not null)
            {
                _ = request.Headers.TryAddWithoutValidation("authorization", authorization);
            }

            using HttpResponseMessage response = await invoker.SendAsync(request, _ends.Token).ConfigureAwait(false);
            if (response.StatusCode == HttpStatusCode.OK && !response.Headers.Contains("grpc-status"))
            {
                using Stream body = await response.Content.ReadAsStreamAsync(_ends.Token).ConfigureAwait(false);
                await ReadAsync(body).ConfigureAwait(false);
            }

            failure = StreamStatus.FailureOf(response, link.Endpoint);
        }
        catch (InvalidDataException wrong)
        {
            failure = new PileClientException($"The server at {link.Endpoint} sent what is no reply: {wrong.Message}", StatusCode.Internal, PileStatus.Format, link.Endpoint, isRetrySafe: true, wrong);
        }
        catch (OperationCanceledException)
        {
            failure = CallFailures.Of(StatusCode.Unavailable, null, "the connection was given up, because nothing came.", link.Endpoint, isRetrySafe: true, cause: null);
        }
        catch (Exception broken)
        {
            // Whatever it is: those who wait are told.
            failure = CallFailures.Of(CallFailures.IsConnection(broken) ? StatusCode.Unavailable : StatusCode.Internal, null, broken.Message, link.Endpoint, isRetrySafe: true, broken);
        }

        Failure = failure;
        _body.Close();
        ArrayPool<byte>.Shared.Return(_buffer);
        _buffer = [];
        line.StreamEnded(this, failure);
        Dispose();
    }

    private async Task ReadAsync(Stream body)
    {
        var answer = new BatchAnswer();
        int used = 0;
        while (true)
        {
            int count = await body.ReadAsync(_buffer.AsMemory(used), _ends.Token).ConfigureAwait(false);
            if (count == 0)
            {
                return;
            }

            used += count;
            HeardAt = link.Time.GetTimestamp();
            int done = ReadMessages(answer, _buffer.AsSpan(0, used));
            used -= done;
            _buffer.AsSpan(done, used).CopyTo(_buffer);
            if (used == _buffer.Length)
            {
                Grow(used);
            }
        }
    }

    // What is whole is answered; returned are its bytes.
    private int ReadMessages(BatchAnswer answer, ReadOnlySpan<byte> bytes)
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
            answer.Read(message);
            HasAnswered = true;
            line.Answered(this, answer, message);
            at += PrefixBytes + (int)length;
        }

        return at;
    }

    // By what has come, not by what a message says that it will have.
    private void Grow(int used)
    {
        byte[] larger = ArrayPool<byte>.Shared.Rent(used * 2);
        _buffer.AsSpan(0, used).CopyTo(larger);
        ArrayPool<byte>.Shared.Return(_buffer);
        _buffer = larger;
    }

    // The request's body, which is open as long as the stream is.
    private sealed class RequestBody : HttpContent
    {
        private readonly TaskCompletionSource<Stream> _opened = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly TaskCompletionSource _closed = new(TaskCreationOptions.RunContinuationsAsynchronously);

        internal RequestBody() => Headers.ContentType = new MediaTypeHeaderValue("application/grpc");

        /// <summary>Where to write; fails when the stream ends before it was open.</summary>
        internal Task<Stream> Opened => _opened.Task;

        internal void Close()
        {
            if (_opened.TrySetException(new IOException("The stream has ended.")))
            {
                _ = _opened.Task.Exception;
            }

            _ = _closed.TrySetResult();
        }

        protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) => SerializeToStreamAsync(stream, context, CancellationToken.None);

        protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context, CancellationToken cancellationToken)
        {
            _ = _opened.TrySetResult(stream);
            await _closed.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
        }

        protected override bool TryComputeLength(out long length)
        {
            length = 0;
            return false;
        }
    }
}
