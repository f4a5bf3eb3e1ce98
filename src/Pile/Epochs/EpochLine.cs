// One line per thread and process: which pile's epoch the thread is inside, and which lease is its innermost.
// Entering is one store, leaving another; the fence between the store and the load of an entry is bought by the
// reclaimer's process-wide barrier (asymmetric; Dice, Huang, Yang, "Asymmetric Dekker synchronization", 2001).
// Word: 0 outside, else epoch 48 | pile id 16; pile id all ones means several piles at once.
using System;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

namespace Pile.Epochs;

/// <summary>A thread's presence in the epochs. Written by its own thread only; read by reclaimers.</summary>
internal sealed class EpochLine
{
    internal const int PileIdBits = 16;
    internal const long SeveralPiles = (1L << PileIdBits) - 1;

    [ThreadStatic]
    private static EpochLine? _current;

    /// <summary>Serials of the leases around the innermost one; as many as _hot.Outers.</summary>
    private long[] _outers = new long[4];
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

    /// <summary>When a reclaimer first saw the present word, and which word that was: the lower bound of a pin's age.</summary>
    internal long SeenWord { get; set; }

    /// <inheritdoc cref="SeenWord"/>
    internal long SeenTimestamp { get; set; }

    /// <summary>Enters the pile's epoch and returns the word to hand to <see cref="Leave"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal long Enter(EpochDomain domain)
    {
        // Writer: this thread. Reader: a reclaimer after its process-wide barrier. Needed: this store before the load of
        // any entry, which the barrier supplies; without it a segment could be reused under a reader.
        long outer = _hot.Word;
        long word = domain.Word;
        if (outer != 0)
        {
            word = Nested(outer, word);
        }

        Volatile.Write(ref _hot.Word, word);
        return outer;
    }

    /// <summary>Ends what <see cref="Enter"/> began.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Leave(long outer)
    {
        // Release: the bytes were read before the reclaimer can see the thread gone.
        Volatile.Write(ref _hot.Word, outer);
    }

    /// <summary>Makes the present pin a lease: it lasts until <see cref="EndLease"/> with the same serial.</summary>
    /// <returns>The lease's serial, never 0 and never repeated on this thread.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal long BeginLease()
    {
        if (_hot.Innermost != 0)
        {
            PushOuter();
        }

        long serial = ++_hot.LastSerial;
        _hot.Innermost = serial;
        return serial;
    }

    /// <summary>Ends a lease if it is the innermost of this thread; a copy, or one out of order, changes nothing.</summary>
    /// <returns>False when the serial is not the innermost one.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool EndLease(long serial)
    {
        if (_hot.Innermost != serial)
        {
            return false;
        }

        if (_hot.Outers != 0)
        {
            PopOuter();
            return true;
        }

        _hot.Innermost = 0;
        Volatile.Write(ref _hot.Word, 0);
        return true;
    }

    /// <summary>Ends a lease together with any that began inside it and were left behind: for frames that call foreign code
    /// under a lease of their own.</summary>
    internal void EndScope(long serial)
    {
        while (_hot.Innermost != serial && _hot.Outers > 0)
        {
            PopOuter();
        }

        _ = EndLease(serial);
    }

    /// <summary>Clears the line of a thread that no longer runs. Caller: the registry, under its lock.</summary>
    internal void Abandon() => Volatile.Write(ref _hot.Word, 0);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static long Nested(long outer, long word)
    {
        bool samePile = ((outer ^ word) & SeveralPiles) == 0;
        return samePile ? outer : SeveralPiles;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void PushOuter()
    {
        if (_hot.Outers == _outers.Length)
        {
            Array.Resize(ref _outers, _outers.Length * 2);
        }

        _outers[_hot.Outers++] = _hot.Innermost;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void PopOuter() => _hot.Innermost = _outers[--_hot.Outers];

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static EpochLine Register() => _current = EpochLines.Add(Thread.CurrentThread);

    /// <summary>The fields that the owner writes, with a cache line of distance to every neighbour.</summary>
    [StructLayout(LayoutKind.Explicit, Size = 192)]
    private struct Hot
    {
        [FieldOffset(64)]
        internal long Word;

        [FieldOffset(72)]
        internal long LastSerial;

        [FieldOffset(80)]
        internal long Innermost;

        [FieldOffset(88)]
        internal int Outers;

        [FieldOffset(92)]
        internal int Writer;
    }
}
