using System;
using System.Buffers;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;
using Google.Protobuf;
using Grpc.Core;
using Grpc.Core.Interceptors;
using Grpc.Net.Client;
using Microsoft.Extensions.DependencyInjection;
using Pile.Server.Calls;
using Pile.Server.Packed;
using Pile.Tests.Durability;
using Xunit;

namespace Pile.Server.Tests;

/// <summary>Calls for whose messages or answers there is no memory: told to try again where nothing was done, and only there.</summary>
public sealed class NoMemoryTests
{
    // More than any array has.
    private const int TooMany = int.MaxValue - 16;

    [Fact]
    public void AMessageReadByHandIsToBeSentAgain() => AssertBusy(() => PackedRequest.Read(Sequence([]), PackedKind.Set, 1));

    [Fact]
    public void AMessageReadByTheParserIsToBeSentAgain()
    {
        // Its value.
        var head = new MemoryStream();
        using (var output = new CodedOutputStream(head, leaveOpen: true))
        {
            output.WriteTag(V1.SetLeasedRequest.ValueFieldNumber, WireFormat.WireType.LengthDelimited);
            output.WriteLength(TooMany - 16);
        }

        AssertBusy(() => CheckedBinder<EntriesService>.Read<V1.SetLeasedRequest>(V1.SetLeasedRequest.Parser, new Whole(Sequence(head.ToArray()))));
    }

    [Fact]
    public void AMessageThatIsUnpackedIsToBeSentAgain()
    {
        var gzip = new BoundedGzip(1 << 20);
        using var packed = new MemoryStream();
        using (Stream packing = gzip.CreateCompressionStream(packed, null))
        {
            packing.Write(new byte[1_000]);
        }

        packed.Position = 0;
        AssertBusy(() =>
        {
            // As gRPC does it.
            using Stream unpacking = gzip.CreateDecompressionStream(packed);
            using var full = new FullStream();
            unpacking.CopyTo(full);
        });
    }

    [Fact]
    public void FieldsOfParsedMessagesAreNotCopied()
    {
        V1.SetLeasedRequest parsed = V1.SetLeasedRequest.Parser.ParseFrom(new V1.SetLeasedRequest { Value = Batches.Bytes("value") }.ToByteArray());
        byte[] value = ReceivedBytes.Of(parsed.Value);
        Assert.Equal("value"u8.ToArray(), value);
        Assert.Same(value, ReceivedBytes.Of(parsed.Value));
        Assert.Equal("al"u8.ToArray(), ReceivedBytes.Of(UnsafeByteOperations.UnsafeWrap(value.AsMemory(1, 2))));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task AStoreUnderAConditionMakesNoCopyOfItsValue(bool isAbsent)
    {
        (V1.SetWhen when, V1.Outcome ofNone, V1.Outcome ofOne) = isAbsent ? (V1.SetWhen.Absent, V1.Outcome.Inserted, V1.Outcome.Refused) : (V1.SetWhen.Present, V1.Outcome.Refused, V1.Outcome.Replaced);
        await using TestServer server = await TestServer.StartAsync();
        var work = new BatchWork(server.Services.GetRequiredService<ServerState>(), new PileServerOptions());
        var message = new ReadOnlySequence<byte>(new V1.SetRequest { Key = Batches.Bytes("a"), Value = ByteString.CopyFrom(new byte[1 << 20]), When = when }.ToByteArray());
        Assert.Equal((uint)ofNone, Done());
        _ = await server.Entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes("a"), Value = Batches.Bytes("1") });
        Assert.Equal((uint)ofOne, Done());

        uint Done()
        {
            var request = PackedRequest.Read(message, PackedKind.Set, 1);
            long before = GC.GetAllocatedBytesForCurrentThread();
            PackedReply reply = work.Do(request, out _);
            Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, (int)message.Length / 2);
            request.Return();
            uint outcome = reply.Items[0];
            reply.Return();
            return outcome;
        }
    }

    [Theory]
    [InlineData("pile.v1.Entries/Get", true)]
    [InlineData("/pile.v1.Entries/Scan", true)]
    [InlineData("/pile.v1.Entries/GetOrLease", true)]
    [InlineData("/pile.v1.Tables/Stats", true)]
    [InlineData("pile.v1.Entries/Set", false)]
    [InlineData("/pile.v1.Entries/SetLeased", false)]
    [InlineData("/pile.v1.Entries/SetLarge", false)]
    [InlineData("/pile.v1.Entries/Increment", false)]
    [InlineData("/pile.v1.Entries/RemoveByTag", false)]
    [InlineData("/pile.v1.Tables/Drop", false)]
    public void OnlyACallThatStoresNothingIsToldSoWhereverItWas(string method, bool isToldSo)
    {
        RpcException? told = CallFailure.From(new InsufficientMemoryException(), isServing: true, CalledMethod.MayBeDoneAgain(method));
        Assert.Equal(isToldSo, told is not null);
        if (told is not null)
        {
            AssertBusy(() => throw told);
        }
    }

    [Fact]
    public async Task AValueThatTheHeapHasNoRoomForIsBusyAndTheScanStaysBeforeIt()
    {
        using var directory = new TemporaryDirectory();
        var large = ByteString.CopyFrom(Guid.Empty.ToByteArray());
        await using (TestServer before = await TestServer.StartAsync("--directory", directory.Path, "--memory-limit=268435456"))
        {
            _ = before.Services.GetRequiredService<ServerState>().Tables.Get("").Entries.Set(large.ToByteArray(), new byte[100_000_000]);
        }

        await using ServerProcess server = await ServerProcess.StartAsync(
            ["--directory", directory.Path, "--memory-limit=256MiB", "--listen=http://127.0.0.1:0", "--PileServer:ValueBytesMax=128MiB", "--PileServer:MessageBytesMax=128MiB"], ("DOTNET_GCHeapHardLimit", "0x5000000"));
        using GrpcChannel channel = GrpcChannel.ForAddress(server.Address);
        var entries = new V1.Entries.EntriesClient(channel.Intercept(new CallDeadlines()));
        int stored = 0;
        do
        {
            _ = await entries.SetAsync(new V1.SetRequest { Key = Batches.Bytes($"{stored++}") });
        }
        while ((await entries.ScanAsync(new V1.ScanRequest { KeysOnly = true })).Entries[0].Key.Equals(large));

        Assert.Equal(V1.PileStatus.Busy, (await Failure.OfAsync(StatusCode.ResourceExhausted, async () => await entries.GetOrLeaseAsync(new V1.GetOrLeaseRequest { Key = large }))).Status);

        var request = new V1.ScanRequest { PageBytesMax = 128 << 20 };
        V1.ScanReply page = await entries.ScanAsync(request);
        List<string> seen = [.. page.Entries.Select(static entry => entry.Key.ToStringUtf8())];
        request.Cursor = page.Cursor;
        for (int tries = 0; tries < 3; tries++)
        {
            V1.ErrorDetail refused = await Failure.OfAsync(StatusCode.ResourceExhausted, async () => await entries.ScanAsync(request));
            Assert.Equal((V1.PileStatus.Busy, (ulong)ServerLimits.RetryAfterMs), (refused.Status, refused.RetryAfterMs));
        }

        _ = await entries.RemoveAsync(new V1.RemoveRequest { Key = large });
        seen.AddRange((await entries.ScanAsync(request)).Entries.Select(static entry => entry.Key.ToStringUtf8()));
        Assert.Equal(Enumerable.Range(0, stored).Select(static key => $"{key}").Order(), seen.Order());
    }

    private static void AssertBusy(Action call)
    {
        RpcException refused = Assert.Throws<RpcException>(call);
        V1.ErrorDetail detail = FailureInterceptor.DetailOf(refused);
        Assert.Equal((StatusCode.ResourceExhausted, V1.PileStatus.Busy, (ulong)ServerLimits.RetryAfterMs), (refused.StatusCode, detail.Status, detail.RetryAfterMs));
        Assert.Contains("no memory", detail.Text, StringComparison.Ordinal);
    }

    // What no array holds, out of one small one many times.
    private static ReadOnlySequence<byte> Sequence(byte[] head)
    {
        byte[] part = new byte[1 << 20];
        var first = new Part(head, 0);
        Part last = first;
        for (long bytes = head.Length; bytes < TooMany; bytes += part.Length)
        {
            last = last.Add(part.AsMemory(0, (int)long.Min(part.Length, TooMany - bytes)));
        }

        return new ReadOnlySequence<byte>(first, 0, last, last.Memory.Length);
    }

    private sealed class Part : ReadOnlySequenceSegment<byte>
    {
        internal Part(ReadOnlyMemory<byte> bytes, long at)
        {
            Memory = bytes;
            RunningIndex = at;
        }

        internal Part Add(ReadOnlyMemory<byte> bytes)
        {
            var next = new Part(bytes, RunningIndex + Memory.Length);
            Next = next;
            return next;
        }
    }

    private sealed class Whole(ReadOnlySequence<byte> message) : DeserializationContext
    {
        public override int PayloadLength => (int)message.Length;

        public override byte[] PayloadAsNewBuffer() => throw new NotSupportedException();

        public override ReadOnlySequence<byte> PayloadAsReadOnlySequence() => message;
    }

    private sealed class FullStream : MemoryStream
    {
        public override void Write(byte[] buffer, int offset, int count) => throw new InsufficientMemoryException("the test wants it so");

        public override void Write(ReadOnlySpan<byte> buffer) => throw new InsufficientMemoryException("the test wants it so");
    }
}
