using System;
using System.Buffers;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using Pile.Client.Http2;
using Xunit;

namespace Pile.Client.Tests.Http2;

/// <summary>Headers: the examples of RFC 7541, what is written read again, and bytes that are none.</summary>
public sealed class HeaderBlockTests
{
    [Theory]
    [InlineData("f1e3c2e5f23a6ba0ab90f4ff", "www.example.com")]
    [InlineData("a8eb10649cbf", "no-cache")]
    [InlineData("25a849e95ba97d7f", "custom-key")]
    [InlineData("25a849e95bb8e8b4bf", "custom-value")]
    [InlineData("6402", "302")]
    [InlineData("aec3771a4b", "private")]
    [InlineData("d07abe941054d444a8200595040b8166e082a62d1bff", "Mon, 21 Oct 2013 20:13:21 GMT")]
    [InlineData("9d29ad171863c78f0b97c8e9ae82ae43d3", "https://www.example.com")]
    [InlineData("", "")]
    public void CodedTextIsRead(string coded, string text) => Assert.Equal(text, HuffmanText.Read(Convert.FromHexString(coded)));

    [Theory]
    [InlineData("ff")]
    [InlineData("ffff")]
    [InlineData("ffffffff")]
    [InlineData("f1e3c2e5f23a6ba0ab90f4fe")]
    [InlineData("00")]
    public void TextThatIsNotCodedSoIsRefused(string coded) => Assert.Throws<InvalidDataException>(() => HuffmanText.Read(Convert.FromHexString(coded)));

    [Fact]
    public void WhatIsWrittenIsRead()
    {
        (string Name, string Value)[] headers = [(":path", "/a"), ("empty", ""), ("long", new string('x', 127)), ("longer", new string('y', 100_000)), ("authorization", "Bearer ~ !")];
        var block = new ArrayBufferWriter<byte>();
        foreach ((string name, string value) in headers)
        {
            HeaderBlock.Write(block, name, value, isSecret: name == "authorization");
        }

        Dictionary<string, string> read = HeaderBlock.Read(block.WrittenSpan);
        Assert.Equal(headers.ToDictionary(static header => header.Name, static header => header.Value), read);
    }

    [Fact]
    public void WhatIsSecretIsMarkedSoThatNobodyKeepsIt()
    {
        var block = new ArrayBufferWriter<byte>();
        HeaderBlock.Write(block, "a", "1");
        HeaderBlock.Write(block, "b", "2", isSecret: true);
        Assert.Equal([0x00, 1, (byte)'a', 1, (byte)'1', 0x10, 1, (byte)'b', 1, (byte)'2'], block.WrittenSpan.ToArray());
    }

    [Fact]
    public void OfANameThatComesTwiceTheFirstCounts()
    {
        Dictionary<string, string> read = HeaderBlock.Read([0x88, 0x8d, 0x00, 1, (byte)'a', 1, (byte)'1', 0x10, 1, (byte)'a', 1, (byte)'2']);
        Assert.Equal(new Dictionary<string, string> { [":status"] = "200", ["a"] = "1" }, read);
    }

    [Fact]
    public void EntriesOfTheTableAndNamesOfItAndASizeOfNothingAreRead()
    {
        // A size of 0, ":status 200", "content-type" of the table with a value to be kept, "grpc-status" as it is.
        byte[] block = [0x20, 0x88, 0x5f, 0x01, (byte)'x', 0x00, 0x0b, .. "grpc-status"u8, 0x01, (byte)'7'];
        Dictionary<string, string> read = HeaderBlock.Read(block);
        Assert.Equal(new Dictionary<string, string> { [":status"] = "200", ["content-type"] = "x", ["grpc-status"] = "7" }, read);
    }

    [Theory]
    [InlineData("80")]
    [InlineData("be")]
    [InlineData("3f21")]
    [InlineData("ffffffffff7f")]
    [InlineData("ffffffffffffffff01")]
    [InlineData("00")]
    [InlineData("0005")]
    [InlineData("5f7f")]
    [InlineData("5fff")]
    public void WhatIsNoBlockIsRefused(string block) => Assert.Throws<InvalidDataException>(() => HeaderBlock.Read(Convert.FromHexString(block)));

    [Theory]
    [InlineData("a\r\nb: c")]
    [InlineData("\u00e4")]
    [InlineData("\0")]
    public void WhatAHeaderCantHaveIsNotSent(string value)
    {
        InvalidDataException refused = Assert.Throws<InvalidDataException>(() => HeaderBlock.Write(new ArrayBufferWriter<byte>(), "authorization", value));
        Assert.Contains("authorization", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void AnyBytesAreReadOrRefused()
    {
        var random = new Random(46);
        byte[] bytes = new byte[64];
        for (int round = 0; round < 100_000; round++)
        {
            Span<byte> block = bytes.AsSpan(0, random.Next(bytes.Length));
            random.NextBytes(block);
            try
            {
                _ = HeaderBlock.Read(block);
            }
            catch (InvalidDataException)
            {
                // That is how it is refused.
            }
        }
    }
}
