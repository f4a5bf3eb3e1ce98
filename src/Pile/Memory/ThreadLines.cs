// Where the line of the calling thread is: a thread static costs a call and a dozen loads, the page of the stack that the caller stands on one load. There
// is a row for every page that a stack can have, touched only where stacks are: it says which line belongs to the page's thread. A row outlives its thread, and
// the line with it: the operating system marks the line when the thread ends, before its stack can become another's, so that it lets nobody enter. Where that
// mark can't be had, there are no rows, and the thread static finds the line. A line goes by its distance from where lines begin, and the first is nobody's: rows
// never stored into lead there, and leases never granted, so that neither is asked for. Lines and rows are one reservation that begins below 2 GiB where
// there is room: so low an address is a part of the instruction that loads from it.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using Pile.Primitives;

namespace Pile.Memory;

/// <summary>Native lines, one per live thread that ever used a pile, and the rows that lead from a stack's pages to them.</summary>
/// <remarks>Which thread has which line is the caller's business (Epochs); this class finds it again.</remarks>
// SAFETY: lines and rows are reserved once for the life of the process and never freed. A line's index comes from EpochLines, which stays
// below ThreadsMax; the rows cover every address below 2^48, and no system gives a stack a higher one that did not ask for it; a row is
// the place of a line, 0 of the first.
internal static unsafe class ThreadLines
{
    /// <summary>The line that no thread has, and none may enter by.</summary>
    internal const nint Nobodys = 0;

    /// <summary>What the system adds to the word of a line when its thread ends: the word's other parts leave this bit zero.</summary>
    internal const long EndedBit = 1;

    /// <summary>What the registry adds when the runtime has let go of the thread, and the system perhaps not yet.</summary>
    internal const long AbandonedBit = 1L << 2;

    /// <summary>The marks of a line that no thread may enter by.</summary>
    internal const long NoThreadMask = EndedBit | AbandonedBit;

    private const int AddressBits = 48;
    private const int PageShift = 12;
    private const int LineShift = 7;

    /// <summary>A line: the word and eight bytes of zero, which the system's call takes for a semaphore, then the note.</summary>
    private const int NoteOffset = 16;

    /// <summary>Lines and nobody's, to the end of a page.</summary>
    private const long LinesBytes = (((long)Limits.ThreadsMax + 1) << LineShift) + Limits.OsPageBytes - (1 << LineShift);

    /// <summary>Rows are opened for storing in stretches of so many bytes: those of the stacks in a gigabyte.</summary>
    private const long OpenedBytes = Limits.HugePageBytes;

    private static readonly nint _lines = Reserve(out _hasRows);
    private static readonly nint _rows = _lines + (nint)LinesBytes;
    private static readonly bool _hasRows;

    private const long RowsBytes = (1L << (AddressBits - PageShift)) * sizeof(long);

    /// <summary>Lines whose pages are listed together: a stretch of them is made with its first.</summary>
    private const int StretchShift = 8;

    /// <summary>The pages whose rows were given a line's address, for each line by its index, in stretches. Written by the line's thread, and by
    /// who gives the line to another when that thread has ended.</summary>
    private static readonly List<nint>?[]?[] _pages = new List<nint>?[Limits.ThreadsMax >> StretchShift][];

    /// <summary>The calling thread's line and one more, so that 0 says none.</summary>
    [ThreadStatic]
    private static int _own;

    /// <summary>Whether the end of the calling thread will be marked: otherwise it has no rows, which would outlive it.</summary>
    [ThreadStatic]
    private static bool _isWatched;

    /// <summary>Finds the line of the stack page that the caller stands on.</summary>
    /// <returns>A line: the calling thread's, or one by which nobody may enter, as its word tells: <see cref="Nobodys"/>, or that of a thread that has ended.</returns>
    [SkipLocalsInit]
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static nint Find()
    {
        // SAFETY: the address of the local is not dereferenced; see the type for the rest.
        if (!_hasRows)
        {
            return Nobodys;
        }

        Unsafe.SkipInit(out byte here);
        return *Row((nint)(&here) >> PageShift);
    }

    /// <summary>Finds the calling thread's line by its thread static, and notes the page it stands on.</summary>
    /// <returns>The line, or <see cref="Nobodys"/> when the thread has none yet, or has let go of it and runs on in its last destructors.</returns>
    internal static nint FindSlowly()
    {
        // SAFETY: see the type. The row of a page is written by the thread that stands on it, and cleared only while it holds an ended line.
        int index = _own - 1;
        if (index < 0 || (Word(At(index)) & NoThreadMask) != 0)
        {
            return Nobodys;
        }

        Unsafe.SkipInit(out byte here);
        nint page = (nint)(&here) >> PageShift;
        if (_isWatched && _hasRows && page >> (AddressBits - PageShift) == 0 && *Row(page) != At(index) && TryOpen(page))
        {
            (PagesOf(index) ??= []).Add(page);
            Volatile.Write(ref *Row(page), At(index));
        }

        return At(index);
    }

    /// <summary>The word at the head of a line.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ref long Word(nint line) => ref *(long*)(_lines + line); // SAFETY: see the type.

    /// <summary>A second word of a line, of the thread's own.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ref long Note(nint line) => ref *(long*)(_lines + line + NoteOffset); // SAFETY: see the type.

    /// <summary>Gives the calling thread a line that belongs to no other.</summary>
    /// <param name="index">The line.</param>
    /// <param name="word">What it holds from now on, in place of what an earlier thread left.</param>
    /// <returns>Whether its end will be marked; otherwise it has ended when the runtime says so.</returns>
    internal static bool Take(int index, long word)
    {
        // SAFETY: see the type. Rows that led here are those of pages that no thread stands on, or one that has not looked from them yet.
        ref List<nint>? pages = ref PagesOf(index);
        foreach (nint page in pages ?? [])
        {
            _ = Interlocked.CompareExchange(ref *Row(page), Nobodys, At(index));
        }

        pages?.Clear();
        Volatile.Write(ref Word(At(index)), word);
        _isWatched = ThreadEnds.TryWatch(_lines + At(index));
        _own = index + 1;
        return _isWatched;
    }

    /// <summary>Whether the system has marked the end of the thread that took the line: its stack may become another's.</summary>
    internal static bool HasEnded(int index) => (Volatile.Read(ref Word(At(index))) & EndedBit) != 0;

    /// <summary>The line of an index.</summary>
    internal static nint At(int index) => (nint)(index + 1) << LineShift;

    /// <summary>The index of a line.</summary>
    internal static int IndexOf(nint line) => (int)(line >> LineShift) - 1;

    /// <summary>Whether pages of stacks lead to lines. For tests.</summary>
    internal static bool HasRows => _hasRows;

    /// <summary>Whether lines and rows begin where an instruction reaches them. For tests.</summary>
    internal static bool AreLow => _hasRows && _lines is > 0 and < int.MaxValue;

    /// <summary>Lines for whose pages there is a place. For tests.</summary>
    internal static int Listed
    {
        get
        {
            int listed = 0;
            for (int stretch = 0; stretch < _pages.Length; stretch++)
            {
                listed += Volatile.Read(ref _pages[stretch]) is null ? 0 : 1 << StretchShift;
            }

            return listed;
        }
    }

    /// <summary>The pages of a line.</summary>
    private static ref List<nint>? PagesOf(int index)
    {
        // Any thread may make the stretch; the first one's stands.
        ref List<nint>?[]? place = ref _pages[index >> StretchShift];
        List<nint>?[] stretch = Volatile.Read(ref place) ?? Make(ref place);
        return ref stretch[index & ((1 << StretchShift) - 1)];
    }

    private static List<nint>?[] Make(ref List<nint>?[]? place)
    {
        var made = new List<nint>?[1 << StretchShift];
        return Interlocked.CompareExchange(ref place, made, null) ?? made;
    }

    /// <summary>The row of a page.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static nint* Row(nint page) => (nint*)_rows + page; // SAFETY: see the type.

    /// <summary>Opens the row of a page for storing.</summary>
    private static bool TryOpen(nint page)
    {
        var rows = new Region(_rows, RowsBytes, 0);
        return RegionProvider.Default.TryOpen(rows, (page * sizeof(nint)) & -OpenedBytes, OpenedBytes);
    }

    /// <summary>Reserves the lines, and a row for every page of the address space that stacks come from: half a terabyte of it, of which a thread touches a page or
    /// two. Makes the first line one that nobody may enter by.</summary>
    /// <param name="hasRows">Whether there are rows: not where threads can't be watched, or reserving is not free.</param>
    /// <returns>Where they begin.</returns>
    private static nint Reserve(out bool hasRows)
    {
        // SAFETY: the first line lies in the region that was just reserved.
        RegionProvider provider = RegionProvider.Default;
        const long Bytes = LinesBytes + RowsBytes;
        Region region = default;
        hasRows = ThreadEnds.AreWatched && provider.ReservesFreely && (provider.TryReserveLow(Bytes, out region) || provider.TryReserve(Bytes, Limits.OsPageBytes, out region));
        if (hasRows)
        {
            provider.AvoidHugePages(region, 0, Bytes);
        }

        if (hasRows ? !provider.TryOpen(region, 0, LinesBytes) : !provider.TryMap(LinesBytes, Limits.OsPageBytes, out region))
        {
            Throw.OutOfAddressSpace(LinesBytes);
        }

        *(long*)region.Address = AbandonedBit;
        return region.Address;
    }
}
