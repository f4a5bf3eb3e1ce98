using System.Linq;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Server.Tests.Hostile;

/// <summary>Headers that are none, too many, or too large.</summary>
[Collection(Attacks.Name)]
public sealed class HeaderTests(AttackedServer server)
{
    private static readonly (string, string)[] _good = [(":method", "POST"), (":scheme", "http"), (":path", "/pile.v1.Entries/Get"), (":authority", "a"), ("content-type", "application/grpc"), ("te", "trailers")];

    /// <summary>Header blocks that can't be, each as a whole.</summary>
    public static TheoryData<string, byte[]> Blocks => new()
    {
        { "no headers", [] },
        { "no path", RawHeaders.Block(_good.Where(static header => header.Item1 != ":path")) },
        { "two paths", RawHeaders.Block([.. _good.Take(4), (":path", "/")]) },
        { "an empty path", RawHeaders.Block([.. _good.Select(static header => header.Item1 == ":path" ? (":path", "") : header)]) },
        { "a path that is none", RawHeaders.Block([.. _good.Select(static header => header.Item1 == ":path" ? (":path", "%00\u0001/../..") : header)]) },
        { "a scheme that is none", RawHeaders.Block([.. _good.Select(static header => header.Item1 == ":scheme" ? (":scheme", "\0") : header)]) },
        { "a method that is none", RawHeaders.Block([.. _good.Select(static header => header.Item1 == ":method" ? (":method", "P OST") : header)]) },
        { "a header of the first kind after one of the second", RawHeaders.Block([.. _good.Skip(1), _good[0]]) },
        { "a header of the first kind that there is not", RawHeaders.Block([.. _good.Take(4), (":status", "200")]) },
        { "capital letters", RawHeaders.Block([.. _good, ("X-Upper", "a")]) },
        { "a header of connections", RawHeaders.Block([.. _good, ("connection", "keep-alive")]) },
        { "a header of no name", RawHeaders.Block([.. _good, ("", "a")]) },
        { "a value with a line in it", RawHeaders.Block([.. _good, ("x-a", "a\r\nb: c")]) },
        { "a content length that is none", RawHeaders.Block([.. _good, ("content-length", "-7")]) },
        { "a place of the table where nothing is", [.. RawHeaders.Block(_good), 0xFF, 0x80, 0x08] },
        { "the place 0", [.. RawHeaders.Block(_good), 0x80] },
        { "a number without an end", [.. RawHeaders.Block(_good), 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF] },
        { "a table of 2 GiB", [0x3F, 0xE0, 0xFF, 0xFF, 0xFF, 0x07, .. RawHeaders.Block(_good)] },
        { "a literal that ends too early", [.. RawHeaders.Block(_good), 0, 0x7F, 0xFF, 0x01, (byte)'a'] },
        { "a literal of 2 GiB", [.. RawHeaders.Block(_good), 0, 0x7F, 0x80, 0xFF, 0xFF, 0xFF, 0x07, (byte)'a'] },
        { "packed text of ones alone", [.. RawHeaders.Block(_good), 0, 1, (byte)'a', 0x84, 0xFF, 0xFF, 0xFF, 0xFF] },
        { "packed text with wrong padding", [.. RawHeaders.Block(_good), 0, 1, (byte)'a', 0x81, 0x00] },
        { "more headers than may be", RawHeaders.Block([.. _good, .. Enumerable.Range(0, 150).Select(static number => ($"x-{number}", "a"))]) },
    };

    [Theory]
    [MemberData(nameof(Blocks), DisableDiscoveryEnumeration = true)]
    public async Task AWrongBlockIsNotServed(string what, byte[] block)
    {
        await using RawConnection connection = await RawConnection.OpenAsync(server.Address);
        _ = await connection.SendAsync(RawFrame.Of(FrameKind.Headers, 1, RawFrame.EndHeaders | RawFrame.EndStream, block));
        string status = await connection.StatusAsync(1);
        Assert.True(status is "closed" or "none" || status.StartsWith("reset", System.StringComparison.Ordinal) || what.StartsWith("a path", System.StringComparison.Ordinal), $"{what}: {status}");
        await server.CheckAsync();
    }

    [Fact]
    public async Task AHeaderThatIsRepeatedByOneByteEachGrowsNoMemory()
    {
        byte[] block = [.. RawHeaders.Block(_good), .. RawHeaders.Kept("x-bomb", new string('a', 3_900)), .. Enumerable.Repeat((byte)0xBE, 12_000)];
        for (int connections = 0; connections < 20; connections++)
        {
            await using RawConnection connection = await RawConnection.OpenAsync(server.Address);
            _ = await connection.SendAsync(RawFrame.Of(FrameKind.Headers, 1, RawFrame.EndHeaders | RawFrame.EndStream, block));
            string status = await connection.StatusAsync(1);
            Assert.True(status is "closed" or "none" || status.StartsWith("reset", System.StringComparison.Ordinal), status);
        }

        await server.CheckAsync();
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(16_000)]
    public async Task HeadersWithoutEndAreBounded(int bytes)
    {
        byte[] more = bytes == 1 ? [0x84] : bytes == 0 ? [] : RawHeaders.Literal("x-more", new string('a', bytes));
        byte[] part = RawFrame.Of(FrameKind.Continuation, 1, 0, more);
        byte[] parts = RawConnection.Joined([.. Enumerable.Repeat(part, int.Max(1, 64_000 / part.Length))]);
        await using RawConnection connection = await RawConnection.OpenAsync(server.Address);
        _ = await connection.SendAsync(RawFrame.Of(FrameKind.Headers, 1, 0, RawHeaders.Call("pile.v1.Entries/Get")));
        await server.FloodAsync(connection, 500, _ => parts);
        await server.CheckAsync();
    }
}
