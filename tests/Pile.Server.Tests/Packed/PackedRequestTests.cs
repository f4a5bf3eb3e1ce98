using System;
using System.Buffers;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Google.Protobuf;
using Grpc.Core;
using Pile.Server.Packed;
using Xunit;

namespace Pile.Server.Tests.Packed;

/// <summary>The parsers by hand say what the generated ones say, of any bytes.</summary>
public sealed class PackedRequestTests
{
    private const int ItemsMax = 1_000;

    private static int _stricter;

    [Fact]
    public void UnpackedAndSplitListsAndRepeatedAndUnknownFieldsAreRead()
    {
        byte[] message = Written(static output =>
        {
            output.WriteTag(2, WireFormat.WireType.Varint);
            output.WriteUInt32(1);
            output.WriteTag(3, WireFormat.WireType.LengthDelimited);
            output.WriteBytes(Batches.Bytes("lost"));
            output.WriteTag(99, WireFormat.WireType.StartGroup);
            output.WriteTag(5, WireFormat.WireType.Fixed32);
            output.WriteFixed32(1);
            output.WriteTag(99, WireFormat.WireType.EndGroup);
            output.WriteTag(2, WireFormat.WireType.LengthDelimited);
            output.WriteBytes(ByteString.CopyFrom(2, 3));
            output.WriteTag(2, WireFormat.WireType.LengthDelimited);
            output.WriteBytes(ByteString.CopyFrom(4));
            output.WriteTag(3, WireFormat.WireType.LengthDelimited);
            output.WriteBytes(Batches.Bytes("abbcccdddd"));
            output.WriteTag(1, WireFormat.WireType.Varint);
            output.WriteUInt64(ulong.MaxValue);
        });
        PackedRequest request = Read(message, PackedKind.GetMany);

        Assert.Equal([1u, 2u, 3u, 4u], Items(request.KeyLengths));
        Assert.Equal((ulong.MaxValue, "abbcccdddd"), (request.Id, System.Text.Encoding.UTF8.GetString(request.Keys)));
        AssertSame(message, PackedKind.GetMany);
    }

    [Theory]
    [InlineData(new byte[] { 0 })]
    [InlineData(new byte[] { (1 << 3) | 2, 1, 0xFF })]
    [InlineData(new byte[] { (4 << 3) | 2, 1, 0xFF })]
    public void ALongMessageThatIsNoneGivesItsMemoryBack(byte[] end)
    {
        const int Messages = 100;
        byte[] message = [.. new V1.SetRequest { Value = ByteString.CopyFrom(new byte[200_000]) }.ToByteArray(), .. end];
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int count = 0; count < Messages; count++)
        {
            Assert.Equal(StatusCode.InvalidArgument, Assert.Throws<RpcException>(() => Read(message, PackedKind.Set)).StatusCode);
        }

        // Else it is more than the messages.
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, Messages * message.Length / 2);
    }

    [Fact]
    public void OfTwoBatchesInOneMessageTheLastCountsAndEqualOnesAreMerged()
    {
        byte[] first = new V1.BatchRequest { Get = Batches.Get(1, "a", "b") }.ToByteArray();
        byte[] second = new V1.BatchRequest { Set = Batches.Set(2, ("c", "d")) }.ToByteArray();
        AssertSame([.. first, .. second], PackedKind.None);
        AssertSame([.. second, .. first], PackedKind.None);
        AssertSame([.. second, .. second], PackedKind.None);
        Assert.Equal(PackedKind.SetMany, Read([.. first, .. second], PackedKind.None).Kind);
    }

    [Fact]
    public void AnyBytesAreReadAsTheGeneratedParsersReadThem()
    {
        const int Seed = 20261122;
        var random = new Random(Seed);
        int read = 0;
        for (int round = 0; round < 60_000; round++)
        {
            PackedKind kind = (PackedKind)random.Next(7);
            byte[] message = Sample(random, kind);
            int changes = random.Next(4);
            for (int change = 0; change < changes && message.Length > 0; change++)
            {
                message[random.Next(message.Length)] = (byte)random.Next(256);
            }

            message = random.Next(4) == 0 ? message[..random.Next(message.Length + 1)] : message;
            read += AssertSame(message, kind) ? 1 : 0;
        }

        Assert.InRange(read, 10_000, 59_999);
        Assert.InRange(_stricter, 0, 600);
    }

    [Fact]
    public void MoreItemsThanAreKeptAreCounted()
    {
        var batch = new V1.GetBatch();
        batch.KeyLengths.AddRange(Enumerable.Repeat(1u, 5_000));
        Assert.Equal(5_000, Read(batch.ToByteArray(), PackedKind.GetMany).KeyLengths.Count);
    }

    private static byte[] Sample(Random random, PackedKind kind)
    {
        string[] keys = [.. Enumerable.Range(0, random.Next(6)).Select(_ => new string('k', random.Next(9)))];
        V1.GetBatch get = Batches.Get((ulong)random.NextInt64(), keys);
        V1.SetBatch set = Batches.Set((ulong)random.Next(3), [.. keys.Select(static key => (key, key + "v"))]);
        get.Table = set.Table = new string('t', random.Next(3));
        set.Terms = random.Next(2) == 0 ? null : new V1.EntryTerms { TimeToLiveMs = (ulong)random.Next(1000), Tags = { "x" } };
        V1.RemoveBatch remove = Batches.Remove(3, keys);
        return kind switch
        {
            PackedKind.Get => new V1.GetRequest { Table = "t", Key = Batches.Bytes("key"), WantVersion = true }.ToByteArray(),
            PackedKind.Set => new V1.SetRequest { Table = "t", Key = Batches.Bytes("key"), Value = Batches.Bytes("value"), Terms = set.Terms, When = (V1.SetWhen)random.Next(4) }.ToByteArray(),
            PackedKind.Remove => new V1.RemoveRequest { Table = "t", Key = Batches.Bytes("key") }.ToByteArray(),
            PackedKind.GetMany => get.ToByteArray(),
            PackedKind.SetMany => set.ToByteArray(),
            PackedKind.RemoveMany => remove.ToByteArray(),
            _ => random.Next(3) switch
            {
                0 => new V1.BatchRequest { Get = get }.ToByteArray(),
                1 => new V1.BatchRequest { Set = set }.ToByteArray(),
                _ => new V1.BatchRequest { Remove = remove }.ToByteArray(),
            },
        };
    }

    internal static bool AssertSame(byte[] message, PackedKind kind) => AssertSame(message, kind, out _);

    /// <summary>Asserts that both parsers refuse the bytes, or say the same of them.</summary>
    /// <returns>Whether they were read.</returns>
    internal static bool AssertSame(byte[] message, PackedKind kind, out string why)
    {
        PackedRequest? packed;
        IMessage? generated;
        why = "";
        try
        {
            packed = Read(message, kind);
        }
        catch (RpcException refused)
        {
            packed = null;
            why = refused.Status.Detail;
        }

        try
        {
            generated = Generated(message, kind);
        }
        catch (InvalidProtocolBufferException)
        {
            generated = null;
        }

        // The one difference: a list of 2 GiB and more is an empty one to the generated parser of C#, and no message to ours.
        if (packed is null && generated is not null && why.Contains("reaches beyond its end", StringComparison.Ordinal))
        {
            generated = null;
            _stricter++;
        }

        string at = $"{kind}: {Convert.ToHexString(message)}";
        Assert.True(packed is null == generated is null, $"{(packed is null ? $"not read: {why}" : "read")}, {at}");
        if (packed is null)
        {
            return false;
        }

        Assert.True(Text(generated!) == Text(packed), at);
        packed.Return();
        return true;
    }

    private static IMessage Generated(byte[] message, PackedKind kind) => kind switch
    {
        PackedKind.Get => V1.GetRequest.Parser.ParseFrom(message),
        PackedKind.Set => V1.SetRequest.Parser.ParseFrom(message),
        PackedKind.Remove => V1.RemoveRequest.Parser.ParseFrom(message),
        PackedKind.GetMany => V1.GetBatch.Parser.ParseFrom(message),
        PackedKind.SetMany => V1.SetBatch.Parser.ParseFrom(message),
        PackedKind.RemoveMany => V1.RemoveBatch.Parser.ParseFrom(message),
        _ => V1.BatchRequest.Parser.ParseFrom(message),
    };

    private static string Text(IMessage message) => message switch
    {
        V1.GetRequest get => Text(PackedKind.Get, 0, get.Table, [], get.Key, [], ByteString.Empty, null, get.WantVersion),
        V1.SetRequest set => Text(PackedKind.Set, 0, set.Table, [], set.Key, [], set.Value, set.Terms, false, set.When),
        V1.RemoveRequest remove => Text(PackedKind.Remove, 0, remove.Table, [], remove.Key, [], ByteString.Empty, null, false),
        V1.GetBatch get => Text(PackedKind.GetMany, get.Id, get.Table, get.KeyLengths, get.Keys, [], ByteString.Empty, null, false),
        V1.SetBatch set => Text(PackedKind.SetMany, set.Id, set.Table, set.KeyLengths, set.Keys, set.ValueLengths, set.Values, set.Terms, false),
        V1.RemoveBatch remove => Text(PackedKind.RemoveMany, remove.Id, remove.Table, remove.KeyLengths, remove.Keys, [], ByteString.Empty, null, false),
        V1.BatchRequest { Get: { } get } => Text(get),
        V1.BatchRequest { Set: { } set } => Text(set),
        V1.BatchRequest { Remove: { } remove } => Text(remove),
        _ => Text(PackedKind.None, 0, "", [], ByteString.Empty, [], ByteString.Empty, null, false),
    };

    private static string Text(PackedRequest request) => Text(
        request.Kind, request.Id, System.Text.Encoding.UTF8.GetString(request.Table), Items(request.KeyLengths), ByteString.CopyFrom(request.Keys),
        Items(request.ValueLengths), ByteString.CopyFrom(request.Values), request.Terms, request.WantsVersion, request.When);

    private static string Text(
        PackedKind kind, ulong id, string table, IEnumerable<uint> keyLengths, ByteString keys, IEnumerable<uint> valueLengths, ByteString values, V1.EntryTerms? terms, bool wantsVersion,
        V1.SetWhen when = default) =>
        $"{kind} {id} '{table}' {string.Join(',', keyLengths)} {keys.ToBase64()} {string.Join(',', valueLengths)} {values.ToBase64()} {(terms is null ? "-" : terms.ToByteString().ToBase64())} {wantsVersion} {when}";

    private static IEnumerable<uint> Items(LengthList list) => Enumerable.Range(0, list.Count).Select(index => list[index]);

    private static PackedRequest Read(byte[] message, PackedKind kind) => PackedRequest.Read(new ReadOnlySequence<byte>(message), kind, ItemsMax);

    private static byte[] Written(Action<CodedOutputStream> write)
    {
        using var stream = new MemoryStream();
        using (var output = new CodedOutputStream(stream, leaveOpen: true))
        {
            write(output);
        }

        return stream.ToArray();
    }
}
