// Short locks over slots, for piles in files: an update or a delete there draws the version that follows that of what it replaces, so that
// no two may be between that and their swing (W2). Taken before epoch and writer, given back after both; held for no system call. A stripe
// also knows the newest version of its slots' records, so that whoever draws the next need not wait for a record that is in no cache.
using System;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using Pile.Epochs;
using Pile.Primitives;

namespace Pile.Heap;

/// <summary>Striped spin locks. Thread-safe; not reentrant.</summary>
internal sealed class SlotStripes
{
    /// <summary>Bytes of a stripe: a cache line.</summary>
    private const int StripeBytes = 64;
    private const uint Golden = 2654435769;

    private static readonly int _shift = 32 - BitOperations.Log2(FileLimits.SlotStripes);

    private readonly Stripe[] _stripes = new Stripe[FileLimits.SlotStripes];

    /// <summary>Stripes of slots whose records have the first version, if they have any.</summary>
    internal SlotStripes()
    {
        foreach (ref Stripe stripe in _stripes.AsSpan())
        {
            stripe.NewestVersion = 1;
        }
    }

    /// <summary>At least the version of each record of the stripe's slots that the open has counted, or that was written since. Under the stripe.</summary>
    internal ref ulong NewestVersionOf(uint slot) => ref _stripes[StripeOf(slot)].NewestVersion;

    /// <summary>Takes the stripe of a slot.</summary>
    internal void Enter(uint slot) => EnterStripe(StripeOf(slot));

    /// <summary>Takes the stripe of a slot, then enters the epoch; where that throws, the stripe is given back.</summary>
    /// <param name="slot">The slot.</param>
    /// <param name="line">The calling thread's line.</param>
    /// <param name="writeWord">As for <see cref="EpochLine.Enter"/>.</param>
    internal long Enter(uint slot, EpochLine line, long writeWord)
    {
        Enter(slot);
        return line.TryEnter(writeWord, out long held) ? held : EnterNested(slot, line, writeWord);
    }

    /// <summary>The same with several stripes, in rising order.</summary>
    internal long Enter(int[] stripes, EpochLine line, long writeWord)
    {
        foreach (int stripe in stripes)
        {
            EnterStripe(stripe);
        }

        try
        {
            return line.Enter(writeWord);
        }
        catch
        {
            Exit(stripes);
            throw;
        }
    }

    /// <summary>Gives several stripes back.</summary>
    internal void Exit(int[] stripes)
    {
        for (int index = stripes.Length - 1; index >= 0; index--)
        {
            ExitStripe(stripes[index]);
        }
    }

    /// <summary>Gives the stripe of a slot back.</summary>
    internal void Exit(uint slot) => ExitStripe(StripeOf(slot));

    /// <summary>The stripe of a slot, for callers that take several in rising order.</summary>
    internal static int StripeOf(uint slot) => (int)((slot * Golden) >> _shift);

    /// <summary>Takes a stripe.</summary>
    internal void EnterStripe(int stripe)
    {
        LockOrder.Enter(LockRank.Stripe);
        ref int held = ref _stripes[stripe].Held;
        if (Interlocked.CompareExchange(ref held, 1, 0) != 0)
        {
            Wait(ref held);
        }
    }

    /// <summary>Gives a stripe back.</summary>
    internal void ExitStripe(int stripe)
    {
        LockOrder.Exit(LockRank.Stripe);
        Volatile.Write(ref _stripes[stripe].Held, 0);
    }

    /// <summary>Inside a lease of its own the thread needs memory for one more stay now and then.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private long EnterNested(uint slot, EpochLine line, long writeWord)
    {
        try
        {
            return line.Enter(writeWord);
        }
        catch
        {
            Exit(slot);
            throw;
        }
    }

    private static void Wait(ref int held)
    {
        var spin = default(SpinWait);
        while (Volatile.Read(ref held) != 0 || Interlocked.CompareExchange(ref held, 1, 0) != 0)
        {
            spin.SpinAnyhow();
        }
    }

    [StructLayout(LayoutKind.Sequential, Size = StripeBytes)]
    private struct Stripe
    {
        internal int Held;
        internal ulong NewestVersion;
    }
}
