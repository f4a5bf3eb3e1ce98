using System;
using System.Globalization;
using System.IO;
using System.Net;
using System.Net.Http;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Threading;
using System.Threading.Tasks;
using Grpc.Core;
using Pile.Client.Calls;
using Xunit;

namespace Pile.Client.Tests;

/// <summary>What callers are told of calls that failed, and how long parts of one call may take together.</summary>
public sealed class CallFailureTests(SharedServer server) : IClassFixture<SharedServer>
{
    [Theory]
    [InlineData(StatusCode.Internal, PileStatus.Refused, false)]
    [InlineData(StatusCode.Unknown, PileStatus.Refused, false)]
    [InlineData(StatusCode.DataLoss, PileStatus.Corrupted, false)]
    [InlineData(StatusCode.FailedPrecondition, PileStatus.Poisoned, false)]
    [InlineData(StatusCode.FailedPrecondition, PileStatus.TypeMismatch, true)]
    [InlineData(StatusCode.ResourceExhausted, PileStatus.Full, true)]
    [InlineData(StatusCode.PermissionDenied, PileStatus.Refused, true)]
    public async Task WhatTheServerMayHaveDoneInPartIsNotSafeToTryAgain(StatusCode code, PileStatus status, bool isSafe)
    {
        await using ServerDouble refuses = await ServerDouble.StartAsync(static (_, _, _) => Task.CompletedTask, context => ServerDouble.EndAsync(context, code, status));
        await using PileClient client = new(new PileClientOptions { Address = refuses.Address, Deadline = TimeSpan.FromMinutes(1) });

        PileClientException failure = await Assert.ThrowsAsync<PileClientException>(() => client.Table().IncrementAsync("a"));
        Assert.Equal((code, status, isSafe), (failure.Code, failure.Status, failure.IsRetrySafe));
    }

    [Fact]
    public async Task AServerThatDoesNotServeIsToldWithWhatThatMayBe()
    {
        await using ServerDouble fails = await ServerDouble.StartAsync(static (_, _, _) => Task.CompletedTask, static async context =>
        {
            byte[] notServing = [0, 0, 0, 0, 2, 8, 2];
            await context.Response.Body.WriteAsync(notServing);
            await ServerDouble.EndAsync(context, StatusCode.OK);
        });
        await using PileClient client = new(new PileClientOptions { Address = fails.Address, Deadline = TimeSpan.FromMinutes(1) });

        PileClientException failure = await Assert.ThrowsAsync<PileClientException>(() => client.PingAsync());
        Assert.Equal(StatusCode.Unavailable, failure.Code);
        Assert.EndsWith(" says NotServing: it is starting or stopping, or a call of its files failed, and it takes no writes until it is started anew. Its log says which.", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task WhatTheServerSaysOfALateCallIsTold()
    {
        await using ServerDouble late = await ServerDouble.StartAsync(static (_, _, _) => Task.CompletedTask, static context => ServerDouble.EndAsync(context, StatusCode.DeadlineExceeded, PileStatus.Refused));
        await using PileClient client = new(new PileClientOptions { Address = late.Address, Deadline = TimeSpan.FromMinutes(1) });

        PileClientException failure = await Assert.ThrowsAsync<PileClientException>(() => client.Table().IncrementAsync("a"));
        Assert.Equal((StatusCode.DeadlineExceeded, "As the test says."), (failure.Code, failure.Message));
    }

    [Theory]
    [InlineData("The remote certificate is invalid because of errors in the certificate chain: UntrustedRoot")]
    [InlineData("Cannot determine the frame size or a corrupted frame was received.")]
    public void WhyThereIsNoTlsIsASentenceOfItsOwn(string reason)
    {
        PileClientException failure = CallFailures.Of(new RpcException(new Status(StatusCode.Internal, "", new AuthenticationException(reason))), "https://here", isIdempotent: true);
        Assert.StartsWith($"No TLS with the server at https://here: {reason.TrimEnd('.')}. Look at the address", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void AStoreWithoutRoomThatTravelledWithOthersNamesTheDeviceBesideTheLimit()
    {
        PileClientException full = CallFailures.Full("http://127.0.0.1:1");
        Assert.Equal(PileStatus.Full, full.Status);
        Assert.EndsWith("Remove entries, raise its memory limit, or free space on the device of its files, where its log says that this is low.", full.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true, true)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(false, false)]
    public async Task AProviderThatFailsIsATypedFailure(bool isBatching, bool isAtOnce)
    {
        await using PileClient client = server.Client(options =>
        {
            options.IsBatching = isBatching;
            options.TokenProvider = async cancel =>
            {
                if (!isAtOnce)
                {
                    await Task.Yield();
                }

                throw new TaskCanceledException("the provider's own");
            };
        });

        PileClientException failure = await Assert.ThrowsAsync<PileClientException>(() => Within.AMinuteAsync(client.Table().GetAsync("a").AsTask(), "the call"));
        Assert.Equal((StatusCode.Unauthenticated, true), (failure.Code, failure.IsRetrySafe));
        Assert.Contains("the provider's own", failure.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task ATokenThatNoHeaderCanHaveIsATypedFailureThatSaysSo(bool isBatching)
    {
        await using PileClient client = server.Client(options => (options.Token, options.IsBatching) = ("secret\n", isBatching));

        PileClientException failure = await Assert.ThrowsAsync<PileClientException>(() => Within.AMinuteAsync(client.Table().GetAsync("a").AsTask(), "the call"));
        Assert.Equal(StatusCode.Unauthenticated, failure.Code);
        Assert.Contains("U+000A", failure.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", failure.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AClientIsMadeAndUsedWhereTheContextDoesNotFlow()
    {
        Task<byte[]?> read;
        using (ExecutionContext.SuppressFlow())
        {
            PileClient client = server.Client();
            read = Task.Run(async () =>
            {
                await using (client)
                {
                    return await client.Table().GetAsync("nobody has it");
                }
            });
        }

        Assert.Null(await Within.AMinuteAsync(read, "the call"));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task AValueThatIsReadInChunksAfterAllHasNoSecondDeadline(bool isBatching)
    {
        // The first try takes half a minute of the minute.
        var clock = new AheadClock();
        double leftSeconds = -1;
        await using ServerDouble slow = await ServerDouble.StartAsync(
            async (requests, replies, _) =>
            {
                while (await ServerDouble.ReadAsync(requests) is { } request)
                {
                    clock.PutAhead(TimeSpan.FromSeconds(30));
                    await replies.WriteAsync(ServerDouble.Failed(request.Id, StatusCode.ResourceExhausted, PileStatus.TooLarge));
                    await replies.FlushAsync();
                }
            },
            async context =>
            {
                if (context.Request.Path.Value!.EndsWith("/Get", StringComparison.Ordinal))
                {
                    clock.PutAhead(TimeSpan.FromSeconds(30));
                    await ServerDouble.EndAsync(context, StatusCode.ResourceExhausted, PileStatus.TooLarge);
                    return;
                }

                leftSeconds = SecondsOf(context.Request.Headers["grpc-timeout"].ToString());
                await ServerDouble.EndAsync(context, StatusCode.NotFound, PileStatus.Refused);
            });
        await using PileClient client = new(new PileClientOptions { Address = slow.Address, TimeProvider = clock, IsBatching = isBatching, Deadline = TimeSpan.FromMinutes(1) });

        _ = await Assert.ThrowsAsync<PileClientException>(() => Within.AMinuteAsync(client.Table().GetAsync("a").AsTask(), "the call"));
        Assert.InRange(leftSeconds, 0, 30);
    }

    [Fact]
    public async Task ACallByItselfIsInTimeWhereTheClientsClockIsBehindTheSystems()
    {
        var clock = new AheadClock();
        clock.PutAhead(TimeSpan.FromMinutes(-10));
        await using PileClient client = server.Client(options => options.TimeProvider = clock);
        PileClientTable table = await SharedServer.TableAsync(client);
        Assert.Equal(1, await table.IncrementAsync("a"));
    }

    [Fact]
    public async Task AStreamOfTheCallersThatGivesOrTakesNothingIsADeadline()
    {
        await using PileClient client = server.Client(static options => options.Deadline = TimeSpan.FromSeconds(2));
        PileClientTable table = client.Table();
        using var still = new StillStream();
        PileClientException late = await Assert.ThrowsAsync<PileClientException>(() => Within.AMinuteAsync(table.SetLargeAsync("still", still, 100), "the store"));
        Assert.Equal((StatusCode.DeadlineExceeded, true), (late.Code, late.IsRetrySafe));

        await using PileClient patient = server.Client();
        _ = await patient.Table().SetAsync("some", new byte[100]);
        late = await Assert.ThrowsAsync<PileClientException>(() => Within.AMinuteAsync(table.GetLargeAsync("some", still), "the read"));
        Assert.Equal(StatusCode.DeadlineExceeded, late.Code);
    }

    [Fact]
    public void AResetForTooManyStreamsIsPassingAndSaysNothingOfSizes()
    {
        var calm = new HttpProtocolException(0xB, "The HTTP/2 server reset the stream. HTTP/2 error code 'ENHANCE_YOUR_CALM' (0xb).", null);
        PileClientException failure = CallFailures.Of(new RpcException(new Status(StatusCode.ResourceExhausted, "Error starting gRPC call.", calm)), "http://here", isIdempotent: true);
        Assert.Equal((StatusCode.Unavailable, true, true), (failure.Code, failure.IsRetrySafe, CallFailures.IsPassing(failure)));
        Assert.Contains("ENHANCE_YOUR_CALM", failure.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("MessageBytesMax", failure.Message, StringComparison.Ordinal);
    }

    // Nothing; the settings of HTTP/2; half of them; settings, and that no more calls are taken (GOAWAY).
    [Theory]
    [InlineData("")]
    [InlineData("000000040000000000")]
    [InlineData("0000000400")]
    [InlineData("000000040000000000000008070000000000000000000000000000")]
    public async Task AConnectionThatEndsAsHttpBeginsIsPassing(string answer)
    {
        byte[] bytes = Convert.FromHexString(answer);
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        Task closing = Task.Run(async () =>
        {
            try
            {
                while (true)
                {
                    // What the client sends is read first: what is closed with bytes unread is reset, which is another end.
                    using Socket accepted = await listener.AcceptSocketAsync();
                    _ = await accepted.ReceiveAsync(new byte[1024]);
                    _ = await accepted.SendAsync(bytes);
                }
            }
            catch (Exception stopped) when (stopped is SocketException or InvalidOperationException)
            {
            }
        });
        await using (PileClient client = new(new PileClientOptions { Address = $"http://{listener.LocalEndpoint}", RetriesMax = 0, IsBatching = false, Deadline = TimeSpan.FromMinutes(1) }))
        {
            for (int round = 0; round < 50; round++)
            {
                PileClientException failure = await Assert.ThrowsAsync<PileClientException>(() => Within.AMinuteAsync(client.PingAsync(), "the call"));
                Assert.Equal((StatusCode.Unavailable, true), (failure.Code, failure.IsRetrySafe));
                Assert.Contains("can't be reached", failure.Message, StringComparison.Ordinal);
            }
        }

        listener.Stop();
        await Within.AMinuteAsync(closing, "the listener");
    }

    // grpc-timeout: a number and its unit.
    private static double SecondsOf(string timeout)
    {
        double number = double.Parse(timeout[..^1], CultureInfo.InvariantCulture);
        return timeout[^1] switch
        {
            'H' => number * 3600,
            'M' => number * 60,
            'S' => number,
            'm' => number / 1e3,
            'u' => number / 1e6,
            'n' => number / 1e9,
            _ => throw new InvalidDataException(timeout),
        };
    }

    // Neither gives nor takes anything, whatever its token says.
    private sealed class StillStream : Stream
    {
        private readonly TaskCompletionSource<int> _never = new();

        public override bool CanRead => true;

        public override bool CanSeek => false;

        public override bool CanWrite => true;

        public override long Length => throw new NotSupportedException();

        public override long Position
        {
            get => throw new NotSupportedException();
            set => throw new NotSupportedException();
        }

        public override void Flush()
        {
        }

        public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) => new(_never.Task);

        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) => new(_never.Task);

        public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

        public override void SetLength(long value) => throw new NotSupportedException();

        public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
    }

    [Fact]
    public void AConnectionThatTheFrameworkHasDisposedOfIsNotCalledADisposedObject()
    {
        var lost = new HttpRequestException(HttpRequestError.Unknown, "An error occurred while sending the request.", new ObjectDisposedException("System.Net.Sockets.NetworkStream"));
        PileClientException failure = CallFailures.Of(new RpcException(new Status(StatusCode.Unavailable, "Error starting gRPC call.", lost)), "http://here", isIdempotent: true);
        Assert.Equal("The server at http://here can't be reached: An error occurred while sending the request.", failure.Message);
    }
}
