// Where the line of the calling thread is. A thread static costs a call and a dozen loads, and the number of loads is what
// limits how many reads the processor overlaps; the page of the stack that the caller stands on costs two. A row of a small
// cache says which line belongs to a page: pages belong to one thread at a time, and a row dies with its thread, because
// the operating system adds one to a count in the line when the thread ends, before its stack can become another's.
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
    /// <summary>A row: stack page 36 | count of ends 14 | line 14, high to low. 0 matches no page.</summary>
    private const int RowPageShift = 28;
    private const int RowEndsShift = 14;
    private const ulong RowMask = (1 << 14) - 1;
    private const int RowsBits = 10;
    private const int LineShift = 7;
    private const int EndsOffset = 64;
    private const ulong Golden = 0x9E3779B97F4A7C15;

    private static readonly nint _lines = Reserve((long)Limits.ThreadsMax << LineShift);
    private static readonly nint _rows = Reserve(Limits.OsPageBytes * 2);

    /// <summary>The calling thread's line and one more, so that 0 says none.</summary>
    [ThreadStatic]
    private static int _own;

    /// <summary>The count of ends that the line had when the thread took it; -1 when its end can't be watched, and then the
    /// thread has no rows: they would outlive it.</summary>
    [ThreadStatic]
    private static long _ownEnds;

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
        ulong row = *(ulong*)(_rows + (nint)((page * Golden) >> (64 - RowsBits) << 3));
        address = _lines + (nint)((row & RowMask) << LineShift);
        return row >> RowPageShift == page && ((row >> RowEndsShift ^ *(uint*)(address + EndsOffset)) & RowMask) == 0;
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
        if (Ends(index) == _ownEnds && (ulong)index <= RowMask && page >> (64 - RowPageShift) == 0)
        {
            *(ulong*)(_rows + (nint)((page * Golden) >> (64 - RowsBits) << 3)) =
                (page << RowPageShift) | (((ulong)_ownEnds & RowMask) << RowEndsShift) | (uint)index;
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
    /// <returns>The count by which <see cref="HasEnded"/> tells its end, or -1 when it can't be told.</returns>
    internal static long Take(int index)
    {
        // SAFETY: see the type. Rows of the line's earlier threads are dead by their counts; they go all the same, because
        // the count comes round.
        for (nint row = _rows; row < _rows + ((nint)8 << RowsBits); row += 8)
        {
            ulong word = *(ulong*)row;
            if (word != 0 && (word & RowMask) == (uint)index)
            {
                *(ulong*)row = 0;
            }
        }

        _ownEnds = ThreadEnds.TryWatch(At(index) + EndsOffset) ? Ends(index) : -1;
        _own = index + 1;
        return _ownEnds;
    }

    /// <summary>Whether the thread that took the line at this count has ended for good.</summary>
    internal static bool HasEnded(int index, long ends) => ends >= 0 && Ends(index) != (uint)ends;

    /// <summary>The address of a line.</summary>
    internal static nint At(int index) => _lines + ((nint)index << LineShift);

    /// <summary>The index of a line.</summary>
    internal static int IndexOf(nint line) => (int)((line - _lines) >> LineShift);

    // SAFETY: see the type.
    private static uint Ends(int index) => System.Threading.Volatile.Read(ref *(uint*)(At(index) + EndsOffset));

    private static nint Reserve(long bytes) => Reservation.Take(RegionProvider.Default, bytes, bytes).Address;
}
