using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;

namespace Pile.Server.Tests.Hostile;

/// <summary>Header blocks by hand: each a literal that is neither indexed nor packed (RFC 7541, section 6.2.2).</summary>
internal static class RawHeaders
{
    /// <summary>The headers of a gRPC call, and more of them.</summary>
    internal static byte[] Call(string method, params (string Name, string Value)[] more) => Block(
        [(":method", "POST"), (":scheme", "http"), (":path", "/" + method), (":authority", "localhost"), ("content-type", "application/grpc"), ("te", "trailers"), .. more]);

    internal static byte[] Block(params IEnumerable<(string Name, string Value)> headers) => [.. headers.SelectMany(static header => Literal(header.Name, header.Value))];

    internal static byte[] Literal(string name, string value) => [0, .. Text(name), .. Text(value)];

    /// <summary>A literal that the other side keeps in its table, from where one byte repeats it.</summary>
    internal static byte[] Kept(string name, string value) => [0x40, .. Text(name), .. Text(value)];

    /// <summary>A number whose first byte has some bits of its own.</summary>
    internal static IEnumerable<byte> Number(byte first, int bits, long value)
    {
        int most = (1 << bits) - 1;
        if (value < most)
        {
            yield return (byte)(first | (byte)value);
            yield break;
        }

        yield return (byte)(first | most);
        for (value -= most; value >= 0x80; value >>= 7)
        {
            yield return (byte)(value | 0x80);
        }

        yield return (byte)value;
    }

    /// <summary>The status of a gRPC call in a block that the server sent; null where there is none. The server was told to keep no table.</summary>
    internal static string? StatusOf(ReadOnlySpan<byte> block)
    {
        ReadOnlySpan<byte> name = "grpc-status"u8;
        int at = block.IndexOf(name);
        return at < 0 ? null : Encoding.ASCII.GetString(block.Slice(at + name.Length + 1, block[at + name.Length]));
    }

    private static IEnumerable<byte> Text(string text) => Number(0, 7, text.Length).Concat(Encoding.Latin1.GetBytes(text));
}
