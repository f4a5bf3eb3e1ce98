using System;
using System.Diagnostics;
using System.Globalization;
using System.Linq;

namespace Pile.ServerBench.Load;

/// <summary>Batches on one stream, with a number of them under way; requests are made beforehand, replies are checked.</summary>
internal static class LoadCommand
{
    private const int FramesKept = 8_192;

    internal static int Run(string address, string kind, string[] args)
    {
        var options = LoadOptions.Parse(address, kind, args);
        using var link = new Http2Link(options.Address);
        int stream = link.Open("/pile.v1.Entries/Batches");
        byte[]? value = kind == "get" ? null : Messages.Value(options.ValueBytes);
        if (kind == "fill")
        {
            Fill(link, stream, options, value!);
            return 0;
        }

        var random = new Random(11);
        byte[][] requests =
        [
            .. Enumerable.Range(1, FramesKept).Select(id =>
                Messages.Frames(stream, Messages.Batch((ulong)id, [.. Enumerable.Range(0, options.Batch).Select(_ => random.Next(options.Keys))], value))),
        ];
        var sink = new ReplyCheck(options);
        long sent = 0;
        Console.WriteLine("ready");
        while (Console.ReadLine() is { } seconds)
        {
            long began = Stopwatch.GetTimestamp();
            long before = sink.Replies;
            TimeSpan cpu = Environment.CpuUsage.TotalTime;
            double wanted = double.Parse(seconds, CultureInfo.InvariantCulture);
            while (Stopwatch.GetElapsedTime(began).TotalSeconds < wanted)
            {
                Send(link, requests, ref sent, sink.Replies + options.UnderWay);
                link.Receive(ref sink);
            }

            double took = Stopwatch.GetElapsedTime(began).TotalSeconds;
            double busy = (Environment.CpuUsage.TotalTime - cpu).TotalSeconds;
            Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{(sink.Replies - before) * options.Batch} {took:F6} {busy:F6}"));
        }

        return 0;
    }

    private static void Send(Http2Link link, byte[][] requests, ref long sent, long upTo)
    {
        while (sent < upTo)
        {
            byte[] frames = requests[(int)(sent % requests.Length)];
            if (!link.CanSend(frames.Length))
            {
                return;
            }

            link.Put(frames, frames.Length - Http2Link.FrameHeadBytes);
            sent++;
        }
    }

    private static void Fill(Http2Link link, int stream, LoadOptions options, byte[] value)
    {
        var sink = new ReplyCheck(options);
        int[] keys = new int[options.Batch];
        int batches = (options.Keys + options.Batch - 1) / options.Batch;
        int sent = 0;
        while (sink.Replies < batches)
        {
            while (sent < batches && sent < sink.Replies + options.UnderWay)
            {
                for (int index = 0; index < keys.Length; index++)
                {
                    // The last batch begins anew where there are no more keys.
                    keys[index] = ((sent * keys.Length) + index) % options.Keys;
                }

                byte[] frames = Messages.Frames(stream, Messages.Batch((ulong)sent + 1, keys, value));
                if (!link.CanSend(frames.Length))
                {
                    break;
                }

                link.Put(frames, frames.Length - Http2Link.FrameHeadBytes);
                sent++;
            }

            link.Receive(ref sink);
        }

        Console.WriteLine($"filled {options.Keys}");
    }
}
