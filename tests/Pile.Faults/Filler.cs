using System;
using System.Collections.Generic;
using System.IO;

namespace Pile.Faults;

/// <summary>A pile on a small device that another file fills too: now and then it takes some of what is free, or goes. The pile is filled, updated, and some of it deleted.</summary>
internal static class Filler
{
    private static readonly int[] _largest = [100, 1000, 5000, 20_000, 300_000];

    /// <summary>Goes on for some seconds; a device that is full is an answer, and no more.</summary>
    /// <returns>0; 1 where something was lost or wrong, which is said.</returns>
    internal static int Run(string directory, int seed, int seconds, PilePromise promise)
    {
        var random = new Random(seed);
        List<(PilePointer Pointer, int Seed, int Bytes)> live = [];
        var time = new Time(seconds);
        int next = 0;
        var options = new PileOptions { Promise = promise, DiskReserveBytes = 0, DiskLimitBytes = 8L << 30, FlushInterval = TimeSpan.FromMilliseconds(50), WritersMax = 1 + random.Next(3) };
        while (!time.IsOver)
        {
            using ObjectPile pile = ObjectPile.Open(directory, options);
            for (int round = 0; round < 6 && !time.IsOver; round++)
            {
                TakeOther(directory + ".other", random);
                Fill(pile, live, ref next, _largest[random.Next(_largest.Length)], random);
                Delete(pile, live, random);
                if (random.Next(3) == 0)
                {
                    _ = Try(() => _ = pile.Compact());
                }
            }

            foreach ((PilePointer pointer, int payload, int bytes) in live)
            {
                if (!pile.Get<byte[]>(pointer).AsSpan().SequenceEqual(Payload(payload, bytes)))
                {
                    Console.WriteLine($"{pointer} is not what was stored");
                    return 1;
                }
            }

            if (!pile.Verify().IsGood)
            {
                Console.WriteLine("Verify finds damage");
                return 1;
            }
        }

        return 0;
    }

    private static void Fill(ObjectPile pile, List<(PilePointer Pointer, int Seed, int Bytes)> live, ref int next, int largest, Random random)
    {
        var time = new Time(seconds: 4);
        for (int refused = 0; refused < 50 && !time.IsOver; next += 2)
        {
            int bytes = 1 + random.Next(largest);
            PileStatus status = pile.TryPutBytes(Payload(next, bytes), out PilePointer pointer);
            Require(status);
            if (status == PileStatus.Ok)
            {
                live.Add((pointer, next, bytes));
            }
            else
            {
                refused++;
            }

            if (live.Count > 0 && random.Next(4) == 0)
            {
                int index = random.Next(live.Count);
                bytes = 1 + random.Next(largest);
                status = pile.TryUpdateBytes(live[index].Pointer, Payload(next + 1, bytes));
                Require(status);
                live[index] = status == PileStatus.Ok ? (live[index].Pointer, next + 1, bytes) : live[index];
            }
        }
    }

    private static void Delete(ObjectPile pile, List<(PilePointer Pointer, int Seed, int Bytes)> live, Random random)
    {
        for (int count = random.Next(live.Count + 1); count > 0; count--)
        {
            int index = random.Next(live.Count);
            if (Try(() => _ = pile.Delete(live[index].Pointer)))
            {
                live[index] = live[^1];
                live.RemoveAt(live.Count - 1);
            }
        }
    }

    private static void TakeOther(string path, Random random)
    {
        if (random.Next(2) == 0)
        {
            File.Delete(path);
            return;
        }

        long wanted = (long)(new DriveInfo(Path.GetDirectoryName(path)!).AvailableFreeSpace * random.NextDouble());
        byte[] piece = new byte[1000];
        try
        {
            using FileStream file = File.Open(path, FileMode.Append);
            for (long written = 0; written < wanted; written += piece.Length)
            {
                file.Write(piece);
            }

            file.Flush(flushToDisk: true);
        }
        catch (IOException)
        {
            // The device is full; the file has taken what there was.
        }
    }

    private static byte[] Payload(int seed, int bytes)
    {
        byte[] payload = new byte[bytes];
        new Random(seed).NextBytes(payload);
        return payload;
    }

    private static bool Try(Action call)
    {
        try
        {
            call();
            return true;
        }
        catch (PileFullException)
        {
            return false;
        }
    }

    private static void Require(PileStatus status)
    {
        if (status is not (PileStatus.Ok or PileStatus.Full))
        {
            throw new InvalidOperationException($"a full device was answered {status}");
        }
    }
    private readonly struct Time(int seconds)
    {
        private readonly long _begin = TimeProvider.System.GetTimestamp();

        internal bool IsOver => TimeProvider.System.GetElapsedTime(_begin).TotalSeconds > seconds;
    }
}
