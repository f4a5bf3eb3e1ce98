// Where the line of the calling thread is. A thread static costs a call and a dozen loads, and the number of loads is what
// limits how many reads the processor overlaps; the page of the stack that the caller stands on costs two. A row of a small
// cache says which line belongs to a page: pages belong to one thread at a time, and a row dies with its thread, because
// the operating system adds one to a count in the line when the thread ends, before its stack can become another's.
// Row and line hold index and count in the same bits, so that one comparison says that page, line and life agree.
// Where that count can't be had, there are no rows, and the thread static finds the line each time.
using System;
using System.Runtime.CompilerServices;
using Pile.Primitives;

namespace Pile.Memory;

/// <summary>Native lines, one per live thread that ever used a pile, and the cache from stack page to line.</summary>
/// <remarks>Which thread has which line is the caller's business (Epochs); this class finds it again.</remarks>
// SAFETY: lines and rows are reserved once for the life of the process and never freed. A line's index comes from
// EpochLines, which stays below ThreadsMax; a row's index is ten bits, the number of rows; a row is only ever written from a
// line's own index.
internal static unsafe class ThreadLines
{
    /// <summary>A row: stack page 36 | line 16 | count of ends 12, high to low. 0 matches no page.</summary>
    private const int RowPageShift = 28;

    /// <summary>What a line holds beside its words, as the low half of a row does: line 16 | count of ends 12. The system adds
    /// to it at the bottom; what comes to be carried is mended when the line is taken again.</summary>
    private const int LifeIndexShift = 12;
    private const int LifeOffset = 64;
    private const int RowsBits = 10;
    private const int LineShift = 7;
    private const uint Golden = 0x9E3779B9;

    private static readonly nint _lines = Reserve((long)Limits.ThreadsMax << LineShift);
    private static readonly nint _rows = Reserve(Limits.OsPageBytes * 2);

    /// <summary>The calling thread's line and one more, so that 0 says none.</summary>
    [ThreadStatic]
    private static int _own;

    /// <summary>The life that the line had when the thread took it; -1 when its end can't be watched, and then the
    /// thread has no rows: they would outlive it.</summary>
    [ThreadStatic]
    private static long _ownLife;

    /// <summary>Finds the line of the stack page that the caller stands on.</summary>
    /// <param name="address">The address of a line.</param>
    /// <returns>Whether it is the calling thread's.</returns>
    [SkipLocalsInit]
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool TryFind(out nint address)
    {
        // SAFETY: the address of the local is not dereferenced; see the type for the rest.
        Unsafe.SkipInit(out byte here);
        ulong page = (ulong)(&here) >> 12;
        ulong row = *Row(page);
        address = _lines + (nint)((row >> (LifeIndexShift - LineShift)) & ((Limits.ThreadsMax - 1UL) << LineShift));
        return ((page << RowPageShift) | *(uint*)(address + LifeOffset)) == row;
    }

    /// <summary>Finds the calling thread's line by its thread static, and notes the page it stands on.</summary>
    /// <returns>Its address, or 0 when the thread has none yet.</returns>
    internal static nint FindSlowly()
    {
        // SAFETY: see the type.
        int index = _own - 1;
        if (index < 0)
        {
            return 0;
        }

        Unsafe.SkipInit(out byte here);
        ulong page = (ulong)(&here) >> 12;
        if (Life(index) == _ownLife && page >> (64 - RowPageShift) == 0)
        {
            *Row(page) = (page << RowPageShift) | (uint)_ownLife;
        }

        return At(index);
    }

    /// <summary>The word at the head of a line.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ref long Word(nint line) => ref *(long*)line; // SAFETY: see the type.

    /// <summary>The second word of a line.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ref long Note(nint line) => ref *(long*)(line + 8); // SAFETY: see the type.

    /// <summary>Gives the calling thread a line that belongs to no other.</summary>
    /// <returns>The life by which <see cref="HasEnded"/> tells its end, or -1 when it can't be told.</returns>
    internal static long Take(int index)
    {
        // SAFETY: see the type. Rows of the line's earlier threads are dead by their counts; they go all the same, because
        // the count comes round.
        for (nint row = _rows; row < _rows + ((nint)8 << RowsBits); row += 8)
        {
            ulong word = *(ulong*)row;
            if (word != 0 && (uint)(word << (64 - RowPageShift) >> (64 - RowPageShift + LifeIndexShift)) == (uint)index)
            {
                *(ulong*)row = 0;
            }
        }

        // Nobody adds to it now: the line has no thread. Its index stands there from the first time on, and again when the count has come round.
        if (Life(index) >> LifeIndexShift != (uint)index)
        {
            System.Threading.Volatile.Write(ref *(uint*)(At(index) + LifeOffset), (uint)index << LifeIndexShift);
        }

        _ownLife = ThreadEnds.TryWatch(At(index) + LifeOffset) ? Life(index) : -1;
        _own = index + 1;
        return _ownLife;
    }

    /// <summary>Whether the thread that took the line at this life has ended for good.</summary>
    internal static bool HasEnded(int index, long life) => life >= 0 && Life(index) != (uint)life;

    /// <summary>The address of a line.</summary>
    internal static nint At(int index) => _lines + ((nint)index << LineShift);

    /// <summary>The index of a line.</summary>
    internal static int IndexOf(nint line) => (int)((line - _lines) >> LineShift);

    // SAFETY: see the type.
    private static uint Life(int index) => System.Threading.Volatile.Read(ref *(uint*)(At(index) + LifeOffset));

    /// <summary>The row that a page may have.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong* Row(ulong page) => (ulong*)_rows + (((uint)page * Golden) >> (32 - RowsBits)); // SAFETY: see the type.

    private static nint Reserve(long bytes) => Reservation.Take(RegionProvider.Default, bytes, bytes).Address;
}
