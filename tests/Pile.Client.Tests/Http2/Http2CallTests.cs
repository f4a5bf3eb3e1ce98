using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Pile.Client.Http2;
using Xunit;

namespace Pile.Client.Tests.Http2;

/// <summary>A call against another side that is the test: frames cut anywhere, windows, answers that are owed, and frames that can't be.</summary>
public sealed class Http2CallTests : IDisposable
{
    private const byte End = 1;
    private const byte Whole = 4;
    private static readonly byte[] _headers = Framed(FrameKind.Headers, Whole, 1, [0x88]);
    private static readonly byte[] _trailers = Framed(FrameKind.Headers, Whole | End, 1, [0x00, 0x0b, .. "grpc-status"u8, 0x01, (byte)'0']);

    private readonly ScriptedTransport _transport = new();
    private readonly Http2Call _call;
    private readonly MemoryStream _given = new();

    public Http2CallTests() => _call = new Http2Call(_transport, TimeProvider.System, Timeout.InfiniteTimeSpan);

    public void Dispose()
    {
        _call.Dispose();
        _transport.Dispose();
        _given.Dispose();
    }

    [Theory]
    [InlineData(1)]
    [InlineData(7)]
    [InlineData(100_000)]
    public async Task FramesOfAllKindsCutAnywhereAreRead(int piece)
    {
        byte[] data = [.. Enumerable.Range(0, 20_000).Select(static number => (byte)number)];
        byte[] all =
        [
            .. Framed(FrameKind.Settings, 0, 0, [0, 4, 0, 1, 0, 0]), .. Framed(FrameKind.Settings, 1, 0, []), .. Framed((FrameKind)2, 0, 1, new byte[5]), .. Framed((FrameKind)77, 0xFF, 9, new byte[50]),
            .. Framed(FrameKind.Headers, Whole, 1, [0x08, 0x03, .. "103"u8]),
            .. Framed(FrameKind.Headers, 0x20 | 0x8, 1, [2, 0, 0, 0, 0, 0, 0x88, 0, 0]), .. Framed(FrameKind.Continuation, 0, 1, []), .. Framed(FrameKind.Continuation, Whole, 1, [0x5f, 0x01, (byte)'x']),
            .. Framed(FrameKind.Data, 0, 1, data[..16_384]), .. Framed(FrameKind.Ping, 0, 0, [1, 2, 3, 4, 5, 6, 7, 8]), .. Framed(FrameKind.Data, 8, 1, [200, .. data[16_384..], .. new byte[200]]),
            .. Framed(FrameKind.GoAway, 0, 0, [0, 0, 0, 1, 0, 0, 0, 0]), .. Framed(FrameKind.Window, 0, 3, [0, 0, 0, 9]), .. _trailers,
        ];
        foreach (byte[] part in all.Chunk(piece))
        {
            _transport.Say(part);
        }

        await ReadAsync();

        Assert.Equal(data, _given.ToArray());
        Assert.Equal(new Dictionary<string, string> { [":status"] = "200", ["content-type"] = "x" }, _call.Headers);
        Assert.Equal(new Dictionary<string, string> { ["grpc-status"] = "0" }, _call.Trailers);
        Assert.Equal([.. Framed(FrameKind.Settings, 1, 0, []), .. Framed(FrameKind.Ping, 1, 0, [1, 2, 3, 4, 5, 6, 7, 8])], _transport.Written);
    }

    [Fact]
    public async Task AConnectionGivenUpWhileItsReaderIsInACallbackIsBrokenOff()
    {
        _transport.Say([.. _headers, .. Framed(FrameKind.Data, 0, 1, [1])]);

        _ = await Assert.ThrowsAsync<IOException>(() => Within.AMinuteAsync(_call.ReadAsync(_ => _call.Dispose()), "the end of the call"));
    }

    [Fact]
    public async Task WritersKeepToBothWindowsAndToFramesOfTheRightLength()
    {
        byte[] data = [.. Enumerable.Range(0, 200_000).Select(static number => (byte)(number * 7))];
        Task reading = ReadAsync();
        Task writing = _call.Output.WriteAsync(data).AsTask();
        await WrittenAsync(65_535);
        Assert.False(writing.IsCompleted);

        // The connection's window alone is not enough, and a smaller first window takes away what the stream's was widened by.
        _transport.Say(Framed(FrameKind.Window, 0, 0, Number(1_000_000)));
        _transport.Say(Framed(FrameKind.Window, 0, 1, Number(10_000)));
        await WrittenAsync(75_535);
        _transport.Say(Framed(FrameKind.Settings, 0, 0, [0, 4, .. Number(60_000)]));
        _transport.Say(Framed(FrameKind.Window, 0, 1, Number(5_535)));
        await AnsweredAsync();
        Assert.Equal(75_535, Frames().Sum(static frame => frame.Data.Length));
        _transport.Say(Framed(FrameKind.Window, 0, 1, Number(1_000_000)));
        await Within.AMinuteAsync(writing, "the write");
        await WrittenAsync(data.Length);
        Assert.Equal(data, Frames().SelectMany(static frame => frame.Data));
        Assert.All(Frames(), static frame => Assert.InRange(frame.Frame.Length, 0, 16_384));

        _transport.Say([.. _headers, .. _trailers]);
        await Within.AMinuteAsync(reading, "the end");
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    public async Task OneWindowAloneIsNotEnough(int stream)
    {
        Task reading = ReadAsync();
        Task writing = _call.Output.WriteAsync(new byte[200_000]).AsTask();
        await WrittenAsync(65_535);
        _transport.Say(Framed(FrameKind.Window, 0, stream, Number(1_000_000)));
        await AnsweredAsync();
        Assert.Equal(65_535, Frames().Sum(static frame => frame.Data.Length));
        _transport.Say(Framed(FrameKind.Window, 0, 1 - stream, Number(1_000_000)));
        await Within.AMinuteAsync(writing, "the write");
        _transport.Say([.. _headers, .. _trailers]);
        await Within.AMinuteAsync(reading, "the end");
    }

    [Fact]
    public async Task WhatTheFirstWindowIsCountsFromTheLastThatWasSaidAndFramesAreAsLongAsTheOtherSideTakes()
    {
        Task reading = ReadAsync();
        Task writing = _call.Output.WriteAsync(new byte[200_000]).AsTask();
        await WrittenAsync(65_535);
        _transport.Say(Framed(FrameKind.Window, 0, 0, Number(1_000_000)));
        _transport.Say(Framed(FrameKind.Settings, 0, 0, [0, 4, .. Number(70_000), 0, 5, .. Number(40_000)]));
        await WrittenAsync(70_000);
        _transport.Say(Framed(FrameKind.Settings, 0, 0, [0, 4, .. Number(70_000)]));
        _transport.Say(Framed(FrameKind.Settings, 0, 0, [0, 4, .. Number(110_000)]));
        await WrittenAsync(110_000);
        await AnsweredAsync();
        Assert.Equal(110_000, Frames().Sum(static frame => frame.Data.Length));
        Assert.Equal(40_000, Frames().Max(static frame => frame.Data.Length));
        _transport.Say([.. Framed(FrameKind.Window, 0, 1, Number(1_000_000)), .. _headers, .. _trailers]);
        await Within.AMinuteAsync(writing, "the write");
        await Within.AMinuteAsync(reading, "the end");
    }

    [Fact]
    public async Task WhoWritesWaitsForASocketThatTakesNothingHoweverWideTheWindows()
    {
        _transport.IsStuck = true;
        Task reading = ReadAsync();
        _transport.Say([.. Framed(FrameKind.Window, 0, 0, Number(1 << 30)), .. Framed(FrameKind.Window, 0, 1, Number(1 << 30)), .. _headers, .. Framed(FrameKind.Data, 0, 1, [1])]);
        await Within.UntilAsync(() => Task.FromResult(_given.Length == 1), "the windows were read");
        Task writing = _call.Output.WriteAsync(new byte[4 << 20]).AsTask();
        Assert.False(writing.IsCompleted, "4 MiB were taken for a socket that takes nothing.");
        _call.Dispose();
        _ = await Assert.ThrowsAsync<IOException>(() => Within.AMinuteAsync(writing, "the writer's failure"));
        _ = await Assert.ThrowsAsync<IOException>(() => reading);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(8)]
    public async Task TheOtherSideIsToldOfWhatWasRead(byte padded)
    {
        // What is padded counts as it came.
        _transport.Say(_headers);
        byte[] frame = Framed(FrameKind.Data, padded, 1, [.. padded == 0 ? (byte[])[0] : [255], .. new byte[16_383]]);
        for (int sent = 0; sent < 5 << 20; sent += 16_384)
        {
            _transport.Say(frame);
        }

        _transport.Say(_trailers);
        await ReadAsync();

        (Frame Frame, byte[] Payload)[] told = [.. FramesOf(_transport.Written).Where(static frame => frame.Frame.Kind == FrameKind.Window)];
        Assert.Equal([0, 1, 0, 1], told.Select(static frame => frame.Frame.Stream));
        Assert.All(told, static frame => Assert.Equal(2 << 20, BinaryPrimitives.ReadInt32BigEndian(frame.Payload)));
    }

    [Theory]
    [InlineData(nameof(FrameKind.Data), 0, 3, 10)]
    [InlineData(nameof(FrameKind.Data), 8, 1, 0)]
    [InlineData(nameof(FrameKind.Data), 0, 1, 16_385)]
    [InlineData(nameof(FrameKind.Headers), 4, 3, 1)]
    [InlineData(nameof(FrameKind.Headers), 4, 1, 1)]
    [InlineData(nameof(FrameKind.Headers), 0x24, 1, 4)]
    [InlineData(nameof(FrameKind.Continuation), 4, 1, 1)]
    [InlineData(nameof(FrameKind.Push), 4, 1, 8)]
    [InlineData(nameof(FrameKind.Reset), 0, 1, 3)]
    [InlineData(nameof(FrameKind.Settings), 0, 0, 5)]
    [InlineData(nameof(FrameKind.Settings), 0, 1, 6)]
    [InlineData(nameof(FrameKind.Ping), 0, 0, 7)]
    [InlineData(nameof(FrameKind.Ping), 0, 1, 8)]
    [InlineData(nameof(FrameKind.GoAway), 0, 0, 7)]
    [InlineData(nameof(FrameKind.Window), 0, 0, 3)]
    [InlineData(nameof(FrameKind.Window), 0, 0, 4)]
    public async Task AFrameThatCantBeIsRefused(string kind, byte flags, int stream, int length)
    {
        _transport.Say([.. _headers, .. Framed(Enum.Parse<FrameKind>(kind), flags, stream, new byte[length])]);
        _ = await Assert.ThrowsAsync<InvalidDataException>(ReadAsync);
    }

    [Theory]
    [InlineData(nameof(FrameKind.Ping), 0, 8)]
    [InlineData(nameof(FrameKind.Settings), 0, 0)]
    [InlineData(nameof(FrameKind.Window), 1, 4)]
    [InlineData(nameof(FrameKind.Continuation), 3, 1)]
    [InlineData("77", 1, 0)]
    public async Task NothingComesBetweenThePartsOfHeaders(string kind, int stream, int length)
    {
        _transport.Say([.. Framed(FrameKind.Headers, 0, 1, [0x88]), .. Framed(Enum.Parse<FrameKind>(kind), 0, stream, [.. new byte[length].Select(static _ => (byte)0x88)])]);
        _ = await Assert.ThrowsAsync<InvalidDataException>(ReadAsync);
    }

    [Fact]
    public async Task DataBeforeTheHeadersIsRefused()
    {
        _transport.Say(Framed(FrameKind.Data, 0, 1, new byte[10]));
        _ = await Assert.ThrowsAsync<InvalidDataException>(ReadAsync);
        Assert.Empty(_given.ToArray());
    }

    [Fact]
    public async Task HeadersWithinTheDataAreRefused()
    {
        _transport.Say([.. _headers, .. Framed(FrameKind.Data, 0, 1, new byte[10]), .. _headers]);
        _ = await Assert.ThrowsAsync<InvalidDataException>(ReadAsync);
    }

    [Fact]
    public async Task AResponseThatEndsWithItsFirstHeadersHasThemWhateverItsStatus()
    {
        _transport.Say(Framed(FrameKind.Headers, Whole | End, 1, [0x08, 0x03, .. "103"u8]));
        await ReadAsync();
        Assert.Equal("103", _call.Headers![":status"]);
        Assert.Null(_call.Trailers);
    }

    [Fact]
    public async Task AnAnswerToAQuestionIsNotAnswered()
    {
        _transport.Say([.. Framed(FrameKind.Ping, 1, 0, new byte[8]), .. Framed(FrameKind.Settings, 1, 0, []), .. _headers, .. _trailers]);
        await ReadAsync();
        Assert.Empty(_transport.Written);
    }

    /// <summary>A process that slept, or was stopped, finds all connections silent for long: who is there has as long to answer as ever.</summary>
    [Fact]
    public async Task WhoWasSilentForLongHasItsTimeToAnswerAndIsGivenUpAfterIt()
    {
        var clock = new FiredClock();
        using var transport = new ScriptedTransport();
        using var call = new Http2Call(transport, clock, TimeSpan.FromSeconds(10));
        clock.Move(TimeSpan.FromHours(1));
        clock.Fire();
        await Within.UntilAsync(() => Task.FromResult(transport.Written.Length > 0), "the question");
        Assert.Equal(Framed(FrameKind.Ping, 0, 0, new byte[8]), transport.Written);

        clock.Fire();
        clock.Move(TimeSpan.FromSeconds(9));
        clock.Fire();
        await call.Output.WriteAsync(new byte[1]);
        transport.Say([.. Framed(FrameKind.Ping, 1, 0, new byte[8]), .. _headers, .. _trailers]);
        await Within.AMinuteAsync(call.ReadAsync(static _ => { }), "the end of the response");

        using var other = new ScriptedTransport();
        using var silent = new Http2Call(other, clock, TimeSpan.FromSeconds(10));
        clock.Move(TimeSpan.FromSeconds(10));
        clock.Fire();
        clock.Move(TimeSpan.FromSeconds(10));
        clock.Fire();
        _ = await Assert.ThrowsAsync<IOException>(() => silent.Output.WriteAsync(new byte[1]).AsTask());
    }

    [Fact]
    public async Task AFirstWindowThatMakesTheStreamsTooLargeIsRefused()
    {
        _transport.Say([.. Framed(FrameKind.Window, 0, 1, Number(int.MaxValue - 65_535)), .. Framed(FrameKind.Settings, 0, 0, [0, 4, .. Number(65_536)])]);
        _ = await Assert.ThrowsAsync<InvalidDataException>(ReadAsync);
    }

    [Fact]
    public async Task WhatIsSaidOfWindowsAndFramesIsChecked()
    {
        byte[][] wrong = [[0, 4, 0x80, 0, 0, 0], [0, 5, 0, 0, 0x3F, 0xFF], [0, 5, 1, 0, 0, 0]];
        foreach (byte[] setting in wrong)
        {
            using var transport = new ScriptedTransport();
            using var call = new Http2Call(transport, TimeProvider.System, Timeout.InfiniteTimeSpan);
            transport.Say(Framed(FrameKind.Settings, 0, 0, setting));
            _ = await Assert.ThrowsAsync<InvalidDataException>(() => Within.AMinuteAsync(call.ReadAsync(static _ => { }), "the refusal"));
        }

        _transport.Say(Framed(FrameKind.Window, 0, 1, Number(int.MaxValue)));
        _ = await Assert.ThrowsAsync<InvalidDataException>(ReadAsync);
    }

    [Fact]
    public async Task HeadersWithoutAnEndAreRefused()
    {
        _transport.Say(Framed(FrameKind.Headers, 0, 1, new byte[16_384]));
        for (int sent = 0; sent < 5; sent++)
        {
            _transport.Say(Framed(FrameKind.Continuation, 0, 1, new byte[16_384]));
        }

        _ = await Assert.ThrowsAsync<InvalidDataException>(ReadAsync);
    }

    [Fact]
    public async Task WhoAsksWithoutReadingIsRefused()
    {
        _transport.IsStuck = true;
        byte[] pings = [.. Enumerable.Repeat(Framed(FrameKind.Ping, 0, 0, new byte[8]), 1_000).SelectMany(static frame => frame)];
        for (int round = 0; round < 100; round++)
        {
            _transport.Say(pings);
        }

        _ = await Assert.ThrowsAsync<InvalidDataException>(ReadAsync);
    }

    [Fact]
    public async Task TheEndOfTheConnectionIsAFailureOfReaderAndWriter()
    {
        _transport.Say(_headers);
        Task writing = _call.Output.WriteAsync(new byte[100_000]).AsTask();
        _transport.EndInput();
        _ = await Assert.ThrowsAsync<IOException>(ReadAsync);
        _call.Dispose();
        _ = await Assert.ThrowsAsync<IOException>(() => Within.AMinuteAsync(writing, "the writer's failure"));
        _ = await Assert.ThrowsAsync<IOException>(async () => await _call.Output.WriteAsync(new byte[1]));
    }

    [Theory]
    [InlineData(nameof(FrameKind.Reset), 1)]
    [InlineData(nameof(FrameKind.GoAway), 0)]
    public async Task AResetAndAFarewellAreFailures(string kind, int stream)
    {
        _transport.Say(Framed(Enum.Parse<FrameKind>(kind), 0, stream, kind == nameof(FrameKind.Reset) ? Number(7) : new byte[8]));
        _ = await Assert.ThrowsAsync<IOException>(ReadAsync);
    }

    [Fact]
    public async Task AnyFramesAreReadOrRefused()
    {
        var random = new Random(46);
        for (int round = 0; round < 3_000; round++)
        {
            using var transport = new ScriptedTransport();
            using var call = new Http2Call(transport, TimeProvider.System, Timeout.InfiniteTimeSpan);
            if (random.Next(2) == 0)
            {
                transport.Say(_headers);
            }

            for (int frame = 0; frame < 20; frame++)
            {
                byte[] payload = new byte[random.Next(3) == 0 ? random.Next(100) : new[] { 0, 4, 6, 8 }[random.Next(4)]];
                random.NextBytes(payload);
                transport.Say(Framed((FrameKind)random.Next(12), (byte)random.Next(64), random.Next(3), payload));
            }

            transport.EndInput();
            Exception? failure = await Record.ExceptionAsync(() => Within.AMinuteAsync(call.ReadAsync(static _ => { }), "the end of any frames"));
            Assert.True(failure is null or InvalidDataException or IOException, failure?.ToString());
        }
    }

    private Task ReadAsync() => Within.AMinuteAsync(_call.ReadAsync(bytes => _given.Write(bytes)), "the end of the response");

    // Whatever was said before has been read.
    private async Task AnsweredAsync()
    {
        _transport.Say(Framed(FrameKind.Ping, 0, 0, new byte[8]));
        await Within.UntilAsync(() => Task.FromResult(Frames().Any(static frame => frame.Frame.Kind == FrameKind.Ping)), "the ping's answer");
    }

    private Task WrittenAsync(int bytes) => Within.UntilAsync(() => Task.FromResult(Frames().Sum(static frame => frame.Data.Length) == bytes), $"{bytes} bytes of data went out");

    private (Frame Frame, byte[] Data)[] Frames() => [.. FramesOf(_transport.Written).Select(static frame => (frame.Frame, frame.Frame.Kind == FrameKind.Data ? frame.Payload : []))];

    private static List<(Frame Frame, byte[] Payload)> FramesOf(byte[] bytes)
    {
        List<(Frame, byte[])> frames = [];
        for (int at = 0; at < bytes.Length;)
        {
            var frame = Frame.Read(bytes.AsSpan(at));
            frames.Add((frame, bytes.AsSpan(at + Frame.HeadBytes, frame.Length).ToArray()));
            at += Frame.HeadBytes + frame.Length;
        }

        return frames;
    }

    private static byte[] Framed(FrameKind kind, byte flags, int stream, byte[] payload)
    {
        byte[] frame = new byte[Frame.HeadBytes + payload.Length];
        new Frame(kind, flags, stream, payload.Length).Write(frame);
        payload.CopyTo(frame, Frame.HeadBytes);
        return frame;
    }

    private static byte[] Number(int value)
    {
        byte[] bytes = new byte[4];
        BinaryPrimitives.WriteInt32BigEndian(bytes, value);
        return bytes;
    }
}
