// One line per thread and process: which pile the thread is inside, and which lease is its outermost. Entering is one store,
// leaving another; the fence between that store and the load of an entry is bought by the reclaimer's process-wide barrier
// (asymmetric; Dice, Huang, Yang, "Asymmetric Dekker synchronization", 2001). Every entering draws a new serial, so that a
// reclaimer knows from an unchanged serial that the thread is still inside, and readers load no shared epoch at all.
// Word, low to high: ended 1 | zero 1 | abandoned 1 | writing 1 | pile id 15, all ones for several | nested 1 | serial 44. While its thread
// lives and is outside every pile, all below the serial is zero: that one look says whose the line is and whether it may enter.
using System.Runtime.CompilerServices;
using System.Threading;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Epochs;

/// <summary>A thread's presence in piles. Written by its own thread only; read by reclaimers. A view: copying it is free.</summary>
internal readonly record struct EpochLine(nint Place)
{
    internal const int IdShift = 4;
    internal const int SerialShift = 20;
    internal const long SeveralPiles = 0x7FFF;
    internal const long WritingBit = 1L << 3;
    internal const long SerialStep = 1L << SerialShift;
    private const long IdMask = SeveralPiles << IdShift;
    private const long NestedBit = 1L << 19;
    private const long InsideMask = SerialStep - 1;

    /// <summary>The calling thread's line, registered at its first use.</summary>
    internal static EpochLine Current
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get
        {
            // A page leads to the line of a thread that stood on it before, until its present one has looked from there.
            nint place = ThreadLines.Find();
            if ((ThreadLines.Word(place) & ThreadLines.NoThreadMask) != 0)
            {
                place = EpochLines.FindOwn();
            }

            return new EpochLine(place);
        }
    }

    /// <summary>The calling thread's line, if the page of its stack says so at once; or one that <see cref="TryEnter"/> does not let anyone enter.</summary>
    internal static EpochLine CurrentAtOnce
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => new(ThreadLines.Find());
    }

    /// <summary>The published word, for reclaimers.</summary>
    internal long Word => Volatile.Read(ref ThreadLines.Word(Place));

    /// <summary>Index of the writer that served this thread last, shared by all piles. Own thread only.</summary>
    internal int Writer
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => (int)ThreadLines.Note(Place);
        set => ThreadLines.Note(Place) = value;
    }

    /// <summary>Whether a word that was read from this line is of a thread inside the pile of an id.</summary>
    internal bool IsInside(long word, int pileId)
    {
        long id = (word & IdMask) >> IdShift;
        return id == pileId || (id == SeveralPiles && EpochLines.IsNamed(this, pileId));
    }

    /// <summary>Whether a word is of a thread inside a write that needs no lock of its writer.</summary>
    internal static bool IsWriting(long word) => (word & WritingBit) != 0;

    /// <summary>Whether a word is of a living thread inside the write that another word is of. A lease within it, of a comparer that reads a pile, changes the word and not its serial.</summary>
    internal static bool IsInWrite(long word, long write) =>
        IsWriting(word) && (word ^ write) >> SerialShift == 0 && (word & ThreadLines.NoThreadMask) == 0;

    /// <summary>Whether a word is of a thread inside any pile.</summary>
    internal static bool IsInside(long word) => (word & IdMask) != 0;

    /// <summary>Enters a pile for one call.</summary>
    /// <param name="idWord">The pile's id, shifted by <see cref="IdShift"/>, one <see cref="SerialStep"/>, and <see cref="WritingBit"/> for a write.</param>
    /// <returns>What to hand to <see cref="Leave"/>; 0 when the thread is inside a lease of its own.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal long Enter(long idWord)
    {
        if (TryEnter(idWord, out long held))
        {
            return held;
        }

        EnterNested(this, idWord);
        return 0;
    }

    /// <summary>Enters a pile for one call, unless the thread is inside a lease of its own.</summary>
    /// <param name="idWord">As for <see cref="Enter"/>.</param>
    /// <param name="held">What to hand to <see cref="Leave"/>.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryEnter(long idWord, out long held)
    {
        bool isOutside = IsOutside(out long word);
        held = word + idWord;
        if (isOutside)
        {
            EnterAs(held);
        }

        return isOutside;
    }

    /// <summary>Whether the line is of a living thread that is outside every pile.</summary>
    /// <param name="word">Its word: what is added to the word of a pile for <see cref="EnterAs"/>.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool IsOutside(out long word)
    {
        word = ThreadLines.Word(Place);
        return (word & InsideMask) == 0;
    }

    /// <summary>Enters a pile from outside every pile.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void EnterAs(long held)
    {
        // Writer: this thread. Reader: a reclaimer after its process-wide barrier. Needed: this store before the load of
        // any entry, which the barrier supplies; without it a segment could be reused under a reader.
        Volatile.Write(ref ThreadLines.Word(Place), held);
    }

    /// <summary>Ends what <see cref="TryEnter"/> began.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void LeaveOutermost(long held)
    {
        // Release: the bytes were read before the reclaimer can see the thread gone.
        Volatile.Write(ref ThreadLines.Word(Place), held & ~InsideMask);
    }

    /// <summary>The same, of a write that has begun no lease and kept no word.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void LeaveWrite() => LeaveOutermost(ThreadLines.Word(Place));

    /// <summary>Says that the thread, still inside, goes on with a lock: who wants its writer need not wait for it.</summary>
    internal void StopWriting()
    {
        long word = ThreadLines.Word(Place);
        if (IsWriting(word))
        {
            Volatile.Write(ref ThreadLines.Word(Place), word & ~WritingBit);
        }
    }

    /// <summary>Ends what <see cref="Enter"/> began.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Leave(long held)
    {
        if (held == 0)
        {
            LeaveNested(this);
        }
        else
        {
            LeaveOutermost(held);
        }
    }

    /// <summary>Enters a pile for as long as a lease lasts: until <see cref="EndLease"/>.</summary>
    /// <param name="idWord">As for <see cref="Enter"/>, without the bit of a write.</param>
    /// <returns>The lease's word, never repeated on this thread while it matters.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal long BeginLease(long idWord) => TryEnter(idWord, out long held) ? held : BeginNestedLease(this, idWord);

    /// <summary>Ends a lease if it is the innermost of the thread.</summary>
    /// <param name="line">The thread's line, or <see cref="ThreadLines.Nobodys"/> for a lease that was never granted. Its place and no struct, so
    /// that the caller's finally block stays small enough for the compiler to copy.</param>
    /// <param name="lease">What <see cref="BeginLease"/> returned.</param>
    /// <exception cref="System.InvalidOperationException">It is a copy of one that ended, or out of order: nothing changed.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void EndLease(nint line, long lease)
    {
        // While leases are nested the word carries the nested bit, so that it equals no lease's; nor does that of the line that is nobody's.
        // The word second: a comparison of a register with memory is one operation with its branch, of memory with a register two.
        if (lease == ThreadLines.Word(line))
        {
            Volatile.Write(ref ThreadLines.Word(line), lease & ~InsideMask);
        }
        else
        {
            EndNestedLease(line, lease);
        }
    }

    /// <summary>Ends a lease together with any that began inside it and were left behind: for frames that call foreign code
    /// under a lease of their own.</summary>
    internal void EndScope(long lease)
    {
        if (ThreadLines.Word(Place) != lease)
        {
            EpochStays stays = EpochLines.StaysOf(this);
            while (stays.Count > 0 && stays.Last.Lease != lease)
            {
                Volatile.Write(ref ThreadLines.Word(Place), stays.Pop().Outer);
            }
        }

        EndLease(Place, lease);
    }

    /// <summary>Ends the stays of a thread that no longer runs; nobody enters by the line until it is taken again. Caller: the registry, under its lock.</summary>
    internal void Abandon()
    {
        // The system marks the end of the thread meanwhile, or later: neither mark may be lost.
        ref long word = ref ThreadLines.Word(Place);
        long seen = Volatile.Read(ref word);
        while (Interlocked.CompareExchange(ref word, (seen & (~InsideMask | ThreadLines.NoThreadMask)) | ThreadLines.AbandonedBit, seen) is var found && found != seen)
        {
            seen = found;
        }
    }

    /// <summary>The word with which the line's next thread begins.</summary>
    internal long NextThreadsWord => (Word & ~InsideMask) + SerialStep;

    // The rare paths are static, so that the line of a caller stays in a register.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void EnterNested(EpochLine line, long idWord)
    {
        // The serial stays, so that a reclaimer of the outer pile still sees the thread inside.
        EpochStays stays = EpochLines.StaysOf(line);
        long outer = ThreadLines.Word(line.Place);
        stays.Push(outer, lease: 0);
        Volatile.Write(ref ThreadLines.Word(line.Place), outer | NameBoth(stays, outer, idWord));
    }

    /// <summary>Names the piles of a thread that goes from inside one, or several, into another.</summary>
    /// <returns>The mark that sends reclaimers to the names, or 0 when it is the same pile.</returns>
    private static long NameBoth(EpochStays stays, long outer, long idWord)
    {
        long outerId = (outer & IdMask) >> IdShift;
        long id = (idWord & IdMask) >> IdShift;
        if (outerId == id)
        {
            return 0;
        }

        stays.Name(outerId == SeveralPiles ? 0 : outerId, id);
        return IdMask;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void LeaveNested(EpochLine line) => Volatile.Write(ref ThreadLines.Word(line.Place), EpochLines.StaysOf(line).Pop().Outer);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long BeginNestedLease(EpochLine line, long idWord)
    {
        EpochStays stays = EpochLines.StaysOf(line);
        long outer = ThreadLines.Word(line.Place);
        long lease = stays.NextSerial() << SerialShift | NestedBit;
        stays.Push(outer, lease);
        Volatile.Write(ref ThreadLines.Word(line.Place), outer | NestedBit | NameBoth(stays, outer, idWord));
        return lease;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void EndNestedLease(nint line, long lease)
    {
        if (line == ThreadLines.Nobodys)
        {
            return;
        }

        EpochStays stays = EpochLines.StaysOf(new EpochLine(line));
        if (stays.Count == 0 || stays.Last.Lease != lease)
        {
            Throw.LeaseNotInnermost();
        }

        Volatile.Write(ref ThreadLines.Word(line), stays.Pop().Outer);
    }
}
