using System;
using Pile.Bench.Running;

namespace Pile.Bench.Workloads;

/// <summary>Payloads, orders and filled piles, the same in every run.</summary>
internal static class Data
{
    internal const int PayloadBytes = 100;
    internal const int LastByte = PayloadBytes - 1;
    private const int PayloadSeed = 1;
    private const int OrderSeed = 2;

    internal static byte[] Payload(int bytes = PayloadBytes)
    {
        byte[] payload = new byte[bytes];
        new Random(PayloadSeed).NextBytes(payload);
        return payload;
    }

    /// <summary>Bytes of segments that so many payloads take, and a tenth and 8 MiB for those that writers and the cleaner have besides: less than the pile may have anyway.</summary>
    internal static long SegmentBytesFor(int objects, bool isInFiles) => ((long)objects * (PayloadBytes + (isInFiles ? 28 : 12)) * 11 / 10) + (8 << 20);

    /// <summary>The numbers below <paramref name="count"/> in random order.</summary>
    internal static int[] Order(int count, int seed = OrderSeed)
    {
        int[] order = new int[count];
        for (int index = 0; index < count; index++)
        {
            order[index] = index;
        }

        new Random(seed).Shuffle(order);
        return order;
    }

    /// <summary>Puts <paramref name="count"/> objects; the pointers in the order of their birth.</summary>
    internal static PilePointer[] Fill(ObjectPile pile, int count, int bytes = PayloadBytes)
    {
        byte[] payload = Payload(bytes);
        var pointers = new PilePointer[count];
        _ = Passes.Time(count, (first, part) => Loops.Put(pile, payload, pointers.AsSpan(first, part)));
        return pointers;
    }

    /// <summary>The pointers in the order of <paramref name="order"/>.</summary>
    internal static PilePointer[] Shuffled(PilePointer[] pointers, int[] order)
    {
        var shuffled = new PilePointer[pointers.Length];
        for (int index = 0; index < shuffled.Length; index++)
        {
            shuffled[index] = pointers[order[index]];
        }

        return shuffled;
    }
}
