using System;
using System.IO;
using System.Linq;
using Google.Protobuf;
using Pile.Server.Packed;
using Xunit;

namespace Pile.Server.Tests.Packed;

/// <summary>Messages that are well-formed and that no client writes: the parsers by hand must say of them what the generated ones say.</summary>
public sealed class PackedWireTests
{
    // A little beyond what generated parsers go into.
    private const int DepthMost = 110;

    [Fact]
    public void AnyOrderOfAnyFieldsIsReadAsTheGeneratedParsersReadIt()
    {
        const int Seed = 20261125;
        var random = new Random(Seed);
        int read = 0;
        for (int round = 0; round < 40_000; round++)
        {
            var kind = (PackedKind)random.Next(5);
            byte[] message = kind == PackedKind.None
                ? [.. Enumerable.Range(0, random.Next(4)).SelectMany(_ => Field(random.Next(1, 5), Fields(random, random.Next(8))))]
                : Fields(random, random.Next(12));
            read += PackedRequestTests.AssertSame(message, kind) ? 1 : 0;
        }

        Assert.InRange(read, 20_000, 40_000);
    }

    [Fact]
    public void GroupsInEachOtherAreReadAsDeepAsTheGeneratedParsersReadThem()
    {
        for (int depth = 1; depth <= DepthMost; depth++)
        {
            byte[] groups = [.. Enumerable.Repeat((byte)0x7B, depth), .. Enumerable.Repeat((byte)0x7C, depth)];
            _ = PackedRequestTests.AssertSame(groups, PackedKind.Get);
            _ = PackedRequestTests.AssertSame(groups, PackedKind.SetMany);
        }
    }

    // Fields that the messages have, in forms that they have and others, again and again; and fields that they don't have.
    private static byte[] Fields(Random random, int count) => [.. Enumerable.Range(0, count).SelectMany(_ => AnyField(random))];

    private static byte[] AnyField(Random random)
    {
        int number = random.Next(5) == 0 ? random.Next(1, 2_000) : random.Next(1, 8);
        return random.Next(8) switch
        {
            0 => [.. Tag(number, WireFormat.WireType.Fixed32), .. Written(output => output.WriteFixed32((uint)random.Next()))],
            1 => [.. Tag(number, WireFormat.WireType.Fixed64), .. Written(output => output.WriteFixed64((ulong)random.NextInt64()))],
            2 => [.. Tag(number, WireFormat.WireType.StartGroup), .. Fields(random, random.Next(3)), .. Tag(random.Next(20) == 0 ? number + 1 : number, WireFormat.WireType.EndGroup)],
            3 or 4 => [.. Tag(number, WireFormat.WireType.Varint), .. Written(output => output.WriteUInt64(random.Next(3) == 0 ? (ulong)random.NextInt64() : (ulong)random.Next(300)))],
            _ => Field(number, [.. Enumerable.Range(0, random.Next(8)).Select(_ => (byte)random.Next(random.Next(8) == 0 ? 256 : 128))]),
        };
    }

    private static byte[] Field(int number, byte[] bytes) => [.. Tag(number, WireFormat.WireType.LengthDelimited), .. Written(output => output.WriteBytes(ByteString.CopyFrom(bytes)))];

    private static byte[] Tag(int number, WireFormat.WireType form) => Written(output => output.WriteTag(number, form));

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
