using System;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;

namespace Pile.ServerBench.Load;

/// <summary>Single calls, or batches on one stream, with a number of them under way; requests are made beforehand, replies are checked.</summary>
internal static class LoadCommand
{
    private const int FramesKept = 8_192;

    internal static int Run(string address, string kind, string[] args)
    {
        var options = LoadOptions.Parse(address, kind, args);
        using var link = new Http2Link(options.Address);
        if (kind == "one")
        {
            return RunOnes(link, options);
        }

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
        int group = int.Max(1, options.UnderWay / 4);
        return Answer(wanted =>
        {
            long before = sink.Replies;
            for (long began = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(began) < wanted;)
            {
                Send(link, requests, ref sent, sink.Replies + options.UnderWay);

                // By TLS a read brings a record at a time: sent after each, the same load would be more and smaller pieces than in the clear.
                long enough = long.Min(sent, sink.Replies + group);
                do
                {
                    link.Receive(ref sink);
                }
                while (sink.Replies < enough);
            }

            return (sink.Replies - before) * options.Batch;
        });
    }

    // Unary Gets, one after the other.
    private static int RunOnes(Http2Link link, LoadOptions options)
    {
        byte[] call = link.Call("/pile.v1.Entries/Get");
        byte[][] requests = [.. Enumerable.Range(0, int.Min(FramesKept, options.Keys)).Select(static key => Messages.WithHead(Messages.Get(key)))];
        var sink = new OneReply();
        return Answer(wanted =>
        {
            long calls = 0;
            for (long began = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(began) < wanted; calls++)
            {
                link.Whole(link.Open(call), requests[calls % requests.Length]);
                sink = default;
                while (!sink.IsEnded)
                {
                    link.Receive(ref sink);
                }

                if (!sink.IsHit)
                {
                    throw new InvalidDataException("A Get has not found its entry.");
                }
            }

            return calls;
        });
    }

    /// <summary>Answers each line, which is a number of seconds, with what was done in them: items, seconds, and those of the processor.</summary>
    private static int Answer(Func<TimeSpan, long> run)
    {
        Console.WriteLine("ready");
        while (Console.ReadLine() is { } seconds)
        {
            long began = Stopwatch.GetTimestamp();
            TimeSpan cpu = Environment.CpuUsage.TotalTime;
            long items = run(TimeSpan.FromSeconds(double.Parse(seconds, CultureInfo.InvariantCulture)));
            double took = Stopwatch.GetElapsedTime(began).TotalSeconds;
            double busy = (Environment.CpuUsage.TotalTime - cpu).TotalSeconds;
            Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{items} {took:F6} {busy:F6}"));
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
