// One line per thread and process: which pile the thread is inside, and which lease is its outermost. Entering is one store,
// leaving another; the fence between that store and the load of an entry is bought by the reclaimer's process-wide barrier
// (asymmetric; Dice, Huang, Yang, "Asymmetric Dekker synchronization", 2001). Every entering draws a new serial, so that a
// reclaimer knows from an unchanged serial that the thread is still inside, and readers load no shared epoch at all.
// Word, low to high: zero 4 (a lease puts its code there) | pile id 15, all ones for several | nested 1 | serial 44. 0: outside.
using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

namespace Pile.Epochs;

/// <summary>A thread's presence in piles. Written by its own thread only; read by reclaimers.</summary>
internal sealed class EpochLine
{
    internal const int IdShift = 4;
    internal const int SerialShift = 20;
    internal const long SeveralPiles = 0x7FFF;
    private const long IdMask = SeveralPiles << IdShift;
    private const long NestedBit = 1L << 19;
    private const int NameBits = 15;
    private const long AllPiles = -1;
    private const long SerialStep = 1L << SerialShift;

    [ThreadStatic]
    private static EpochLine? _current;

    /// <summary>For each lease inside another: the word to return to, and the lease's own.</summary>
    private (long Outer, long Lease)[] _nested = new (long Outer, long Lease)[4];
    private int _nestedCount;
    private Hot _hot;

    internal EpochLine(Thread thread, int writerHint)
    {
        Thread = thread;
        _hot.Writer = writerHint;
    }

    /// <summary>The calling thread's line, registered at its first use.</summary>
    internal static EpochLine Current
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _current ?? Register();
    }

    /// <summary>The thread that owns the line.</summary>
    internal Thread Thread { get; }

    /// <summary>The published word, for reclaimers.</summary>
    internal long Word => Volatile.Read(ref _hot.Word);

    /// <summary>Index of the writer that served this thread last, shared by all piles. Own thread only.</summary>
    internal int Writer
    {
        get => _hot.Writer;
        set => _hot.Writer = value;
    }

    /// <summary>Whether a word that was read from this line is of a thread inside the pile of an id.</summary>
    internal bool IsInside(long word, int pileId)
    {
        long id = (word & IdMask) >> IdShift;
        return word != 0 && (id == pileId || (id == SeveralPiles && Names(Volatile.Read(ref _hot.Several), pileId)));
    }

    /// <summary>Enters a pile and returns the word to hand to <see cref="Leave"/>; 0 unless the thread is inside one already.</summary>
    /// <param name="idWord">The pile's id, shifted by <see cref="IdShift"/>.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal long Enter(long idWord)
    {
        // Writer: this thread. Reader: a reclaimer after its process-wide barrier. Needed: this store before the load of
        // any entry, which the barrier supplies; without it a segment could be reused under a reader.
        long outer = _hot.Word;
        if (outer != 0)
        {
            EnterNested(outer, idWord);
            return outer;
        }

        Volatile.Write(ref _hot.Word, (_hot.Serial += SerialStep) | idWord);
        return 0;
    }

    /// <summary>Ends what <see cref="Enter"/> began.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Leave(long outer)
    {
        // Release: the bytes were read before the reclaimer can see the thread gone.
        Volatile.Write(ref _hot.Word, outer);
    }

    /// <summary>Enters a pile for as long as a lease lasts: until <see cref="EndLease"/>.</summary>
    /// <param name="idWord">The pile's id, shifted by <see cref="IdShift"/>.</param>
    /// <returns>The lease's word, never repeated on this thread while it matters; its lowest four bits are zero.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal long BeginLease(long idWord)
    {
        // As Enter, in one piece: what it stored is the lease's word.
        if (_hot.Word != 0)
        {
            return BeginNestedLease(idWord);
        }

        long word = (_hot.Serial += SerialStep) | idWord;
        Volatile.Write(ref _hot.Word, word);
        return word;
    }

    /// <summary>Ends a lease if it is the innermost of this thread; a copy, or one out of order, changes nothing.</summary>
    /// <param name="lease">What <see cref="BeginLease"/> returned.</param>
    /// <returns>False when it is not the innermost one.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool EndLease(long lease)
    {
        // While leases are nested the word carries the nested bit, so that it equals no lease's.
        if (_hot.Word != lease)
        {
            return EndNestedLease(lease);
        }

        Volatile.Write(ref _hot.Word, 0);
        return true;
    }

    /// <summary>Ends a lease together with any that began inside it and were left behind: for frames that call foreign code
    /// under a lease of their own.</summary>
    internal void EndScope(long lease)
    {
        while (_hot.Word != lease && _nestedCount > 0 && _nested[_nestedCount - 1].Lease != lease)
        {
            Volatile.Write(ref _hot.Word, _nested[--_nestedCount].Outer);
        }

        _ = EndLease(lease);
    }

    /// <summary>Clears the line of a thread that no longer runs. Caller: the registry, under its lock.</summary>
    internal void Abandon() => Volatile.Write(ref _hot.Word, 0);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void EnterNested(long outer, long idWord)
    {
        long outerId = (outer & IdMask) >> IdShift;
        long id = idWord >> IdShift;
        if (outerId == id)
        {
            return;
        }

        // Writer: this thread. Reader: a reclaimer, which loads the word first. Needed: the names before the word that sends it
        // to them; and a name stays until the thread has left all but one, so that none is missing while it is inside.
        if (outerId != SeveralPiles)
        {
            Volatile.Write(ref _hot.Several, outerId | (id << NameBits));
            Volatile.Write(ref _hot.Word, outer | IdMask);
        }
        else if (!Names(_hot.Several, (int)id))
        {
            Volatile.Write(ref _hot.Several, WithName(_hot.Several, id));
        }

        // The serial stays, so that a reclaimer of the outer pile still sees the thread inside.
    }

    /// <summary>Whether the id is among up to four, or they are all.</summary>
    private static bool Names(long several, int pileId)
    {
        for (long rest = several; rest != 0; rest >>>= NameBits)
        {
            if ((rest & SeveralPiles) == pileId)
            {
                return true;
            }
        }

        return several == AllPiles;
    }

    private static long WithName(long several, long id)
    {
        for (int shift = 0; shift < 4 * NameBits; shift += NameBits)
        {
            if (((several >>> shift) & SeveralPiles) == 0)
            {
                return several | (id << shift);
            }
        }

        return AllPiles;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private long BeginNestedLease(long idWord)
    {
        if (_nestedCount == _nested.Length)
        {
            Array.Resize(ref _nested, _nested.Length * 2);
        }

        long outer = _hot.Word;
        EnterNested(outer, idWord);
        long lease = (_hot.Serial += SerialStep) | NestedBit;
        _nested[_nestedCount++] = (outer, lease);
        Volatile.Write(ref _hot.Word, _hot.Word | NestedBit);
        return lease;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool EndNestedLease(long lease)
    {
        if (_nestedCount == 0 || _nested[_nestedCount - 1].Lease != lease)
        {
            return false;
        }

        Volatile.Write(ref _hot.Word, _nested[--_nestedCount].Outer);
        return true;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static EpochLine Register() => _current = EpochLines.Add(Thread.CurrentThread);

    /// <summary>The fields that the owner writes, with a cache line of distance to every neighbour.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 192)]
    private struct Hot
    {
        [FieldOffset(64)]
        internal long Word;

        [FieldOffset(72)]
        internal long Serial;

        [FieldOffset(80)]
        internal int Writer;

        /// <summary>Ids of up to four piles, 15 bits each, or all ones for any; counts while Word says several.</summary>
        [FieldOffset(88)]
        internal long Several;
    }
}
