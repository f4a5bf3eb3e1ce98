using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Xunit;

namespace Pile.Server.Tests.Hostile;

/// <summary>Many small frames: each is legal, and costs the client less than the server.</summary>
[Collection(Attacks.Name)]
public sealed class FloodTests(AttackedServer server)
{
    private const int Parts = 100;
    private const int FramesOfAPart = 100;

    private static readonly byte[] _call = RawHeaders.Call("pile.v1.Entries/Batches");
    private static readonly byte[] _refused = RawHeaders.Call("pile.v1.Admin/Verify");
    private static readonly byte[] _unknown = RawHeaders.Call("pile.v1.Nothing/Nothing");

    /// <summary>The frames of each flood, by the number of the frame.</summary>
    public static TheoryData<string, Func<uint, byte[]>> Floods => new()
    {
        { "pings", static _ => RawFrame.Of(FrameKind.Ping, 0, 0, new byte[8]) },
        { "settings", static _ => RawFrame.Setting(3, 100) },
        { "tables of headers", static number => RawFrame.Setting(1, number % 2 * 4096) },
        { "windows of streams", static number => RawFrame.Setting(4, 65_535 + (number % 2)) },
        { "priorities", static number => RawFrame.Of(FrameKind.Priority, (number * 2) + 1, 0, 0, 0, 0, 0, 1) },
        { "window updates", static _ => RawFrame.Number(FrameKind.WindowUpdate, 0, 1) },
        { "frames of a kind that there is not", static _ => RawFrame.Of((FrameKind)99, 0, 0, 1, 2, 3) },
        { "streams that are reset", static number => [.. Begin(number, _call), .. RawFrame.Number(FrameKind.Reset, Id(number), 8)] },
        { "streams that the server must reset", static number => [.. Begin(number, _call), .. RawFrame.Number(FrameKind.WindowUpdate, Id(number), 0)] },
        { "streams with too much data", static number => [.. Begin(number, _call), .. RawFrame.Of(FrameKind.Data, Id(number), RawFrame.EndStream, 9, 0, 0, 0, 1)] },
        { "streams that are left alone", static number => Begin(number, _call) },
        { "calls that are refused", static number => RawFrame.Of(FrameKind.Headers, Id(number), RawFrame.EndHeaders | RawFrame.EndStream, _refused) },
        { "calls that there are not", static number => RawFrame.Of(FrameKind.Headers, Id(number), RawFrame.EndHeaders | RawFrame.EndStream, _unknown) },
        { "data without bytes", static number => number == 0 ? Begin(0, _call) : RawFrame.Of(FrameKind.Data, 1) },
        { "padding alone", static number => number == 0 ? Begin(0, _call) : RawFrame.Of(FrameKind.Data, 1, RawFrame.Padded, [200, .. new byte[200]]) },
    };

    [Theory]
    [MemberData(nameof(Floods), DisableDiscoveryEnumeration = true)]
    public async Task AFloodIsServedHeldBackOrEnded(string _, Func<uint, byte[]> frameOf)
    {
        byte[] PartOf(int part) => RawConnection.Joined([.. Enumerable.Range(part * FramesOfAPart, FramesOfAPart).Select(number => frameOf((uint)number))]);
        using var end = new CancellationTokenSource();
        await using RawConnection reads = await RawConnection.OpenAsync(server.Address);
        await using RawConnection neverReads = await RawConnection.OpenAsync(server.Address);
        Task drained = reads.DrainAsync(end.Token);
        await Task.WhenAll(server.FloodAsync(reads, Parts, PartOf), server.FloodAsync(neverReads, Parts, PartOf));
        await server.CheckAsync();
        await end.CancelAsync();
        await drained;
    }

    private static uint Id(uint number) => (number * 2) + 1;

    private static byte[] Begin(uint number, byte[] headers) => RawFrame.Of(FrameKind.Headers, Id(number), RawFrame.EndHeaders, headers);
}
