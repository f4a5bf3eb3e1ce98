using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using Pile.Client.Batching;
using Pile.Client.Http2;
using Pile.Client.Tests.Http2;
using Pile.Tests.Fuzz;

namespace Pile.Client.Tests.Fuzz;

/// <summary>Gives changed answers of a server to those who read them: frames of HTTP/2, blocks of headers, replies to batches.</summary>
internal sealed class FuzzAnswers : FuzzTarget
{
    private const byte End = 1;
    private const byte Whole = 4;
    private const int AllocatedMax = 16 << 20;
    private readonly byte[][] _streams;

    internal FuzzAnswers()
    {
        byte[] headers = Framed(FrameKind.Headers, Whole, 1, [0x88, 0x5f, 0x01, (byte)'x']);
        byte[] trailers = Framed(FrameKind.Headers, Whole | End, 1, [0x00, 0x0b, .. "grpc-status"u8, 0x01, (byte)'0']);
        byte[] coded = [0x41, 0x8c, .. Convert.FromHexString("f1e3c2e5f23a6ba0ab90f4ff"), 0x88];
        byte[] values = ServerDouble.Values(5, 3, 7);
        _streams =
        [
            [.. Framed(FrameKind.Settings, 0, 0, [0, 4, 0, 1, 0, 0, 0, 5, 0, 0, 0x40, 0]), .. headers, .. Framed(FrameKind.Data, 0, 1, values), .. trailers],
            [.. Framed(FrameKind.Ping, 0, 0, new byte[8]), .. Framed(FrameKind.Window, 0, 1, [0, 0, 1, 0]), .. headers, .. Framed(FrameKind.Data, 8, 1, [3, .. values, 0, 0, 0]), .. trailers],
            [.. Framed(FrameKind.Headers, 0, 1, coded[..5]), .. Framed(FrameKind.Continuation, Whole, 1, coded[5..]), .. Framed(FrameKind.GoAway, 0, 0, [0, 0, 0, 1, 0, 0, 0, 0]), .. trailers],
            [.. Framed(FrameKind.Headers, 0x20 | 0x8 | Whole, 1, [2, 0, 0, 0, 0, 0, 0x88, 0, 0]), .. Framed(FrameKind.Data, End, 1, values)],
            coded,
            values[5..],
            ServerDouble.Failed(5, Grpc.Core.StatusCode.ResourceExhausted, PileStatus.Full)[5..],
            ServerDouble.ManyValues(40, 1)[5..],
        ];
    }

    internal override int Origins => _streams.Length;

    internal override void Try(FuzzCase input, ICollection<string> shapes)
    {
        byte[] bytes = input.Seeds.Aggregate(_streams[input.Origin], (bytes, seed) => Change(bytes, new Random(seed)));
        long before = GC.GetTotalAllocatedBytes();
        Expect("frames", shapes, () => ReadFrames(bytes, input.Choices().Next(1, 64)));
        Expect("headers", shapes, () => _ = HeaderBlock.Read(bytes));
        Expect("text", shapes, () => _ = HuffmanText.Read(bytes));
        Expect("answer", shapes, () => ReadAnswer(bytes, shapes));
        long allocated = GC.GetTotalAllocatedBytes() - before;
        if (FuzzRun.IsLong && allocated > AllocatedMax)
        {
            throw new FuzzFoundException($"{allocated:N0} bytes were allocated for {bytes.Length:N0}");
        }
    }

    private byte[] Change(byte[] bytes, Random random)
    {
        byte[] changed = FuzzBytes.Change(bytes, random, _streams);
        return random.Next(3) == 0 || changed.Length <= Frame.HeadBytes ? changed : Mended(changed);
    }

    /// <summary>Gives the last frame the length that it has, so that what is in it is read.</summary>
    private static byte[] Mended(byte[] bytes)
    {
        int at = 0;
        while (bytes.Length - at >= Frame.HeadBytes)
        {
            var frame = Frame.Read(bytes.AsSpan(at));
            int left = bytes.Length - at - Frame.HeadBytes;
            if (frame.Length > left)
            {
                (frame with { Length = left }).Write(bytes.AsSpan(at));
                break;
            }

            at += Frame.HeadBytes + frame.Length;
        }

        return bytes;
    }

    private static void ReadFrames(byte[] bytes, int piece)
    {
        using var transport = new ScriptedTransport();
        using var call = new Http2Call(transport, TimeProvider.System, Timeout.InfiniteTimeSpan);
        foreach (byte[] part in bytes.Chunk(int.Max(piece, bytes.Length / 8 + 1)))
        {
            transport.Say(part);
        }

        transport.EndInput();
        var answer = new BatchAnswer();
        call.ReadAsync(data =>
        {
            if (data.Length > 5)
            {
                answer.Read(data[5..]);
            }
        }).GetAwaiter().GetResult();
    }

    private static void ReadAnswer(byte[] bytes, ICollection<string> shapes)
    {
        var answer = new BatchAnswer();
        answer.Read(bytes);
        shapes.Add($"answer: {answer.HasOutcomes}, {answer.Count > 0}, {answer.Failure is not null}");
    }

    private static void Expect(string name, ICollection<string> shapes, Action action)
    {
        try
        {
            action();
        }
        catch (Exception failure) when (failure is InvalidDataException or IOException)
        {
            shapes.Add($"{name}: {FuzzShape.Of(failure)}");
        }
        catch (Exception failure)
        {
            throw new FuzzFoundException($"{name}: {FuzzShape.Of(failure)}\n{failure}", failure);
        }
    }

    private static byte[] Framed(FrameKind kind, byte flags, int stream, byte[] payload)
    {
        byte[] frame = new byte[Frame.HeadBytes + payload.Length];
        new Frame(kind, flags, stream, payload.Length).Write(frame);
        payload.CopyTo(frame, Frame.HeadBytes);
        return frame;
    }
}
