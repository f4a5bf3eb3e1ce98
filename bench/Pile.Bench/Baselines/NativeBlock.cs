using System;
using System.Runtime.InteropServices;

namespace Pile.Bench.Baselines;

/// <summary>Memory straight from the system, as a bare loop would use it.</summary>
// SAFETY: _start spans _bytes until Dispose; every member below stays within and none is called after Dispose.
internal sealed unsafe class NativeBlock : IDisposable
{
    /// <summary>What the C library maps anew for each allocation, whatever it has in stock.</summary>
    private const long MappedBytesMin = 64 << 20;
    private const int Alignment = 2 << 20;
    private const int PageBytes = 4096;
    private byte* _start;
    private readonly long _bytes;

    /// <param name="bytes">Its size.</param>
    /// <param name="hugePages">Whether to ask for huge pages, as a pile does.</param>
    // SAFETY: AlignedAlloc returns _bytes bytes or throws.
    internal NativeBlock(long bytes, bool hugePages = false)
    {
        _bytes = bytes;
        long allocated = long.Max(bytes, MappedBytesMin);
        _start = (byte*)NativeMemory.AlignedAlloc((nuint)allocated, Alignment);
        if (hugePages && OperatingSystem.IsLinux())
        {
            _ = SystemCalls.PreferHugePages(_start, allocated);
        }
    }

    // SAFETY: the caller of Start keeps within Bytes (RingCopy, PointerArray check it at their entry).
    internal byte* Start => _start;

    internal long Bytes => _bytes;

    /// <summary>Stores to each page, so that none is missing later.</summary>
    /// <returns>Pages touched.</returns>
    // SAFETY: offset < _bytes.
    internal long Touch(long first, long end)
    {
        long pages = 0;
        for (long offset = first; offset < long.Min(end, _bytes); offset += PageBytes)
        {
            _start[offset] = 1;
            pages++;
        }

        return pages;
    }

    /// <summary>All of it.</summary>
    internal NativeBlock Touched()
    {
        _ = Touch(0, _bytes);
        return this;
    }

    // SAFETY: frees what the constructor got, once.
    public void Dispose()
    {
        NativeMemory.AlignedFree(_start);
        _start = null;
    }
}
