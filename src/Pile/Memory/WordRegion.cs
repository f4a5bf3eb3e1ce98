// Reserves the address space of a WordArray, asks for huge pages where they pay, and unmaps it at the end.
// Pages become resident as they are touched; who counts them is the caller.
using System;
using System.Threading;
using Pile.Primitives;

namespace Pile.Memory;

/// <summary>Owner of a word array's memory.</summary>
internal sealed class WordRegion : IDisposable
{
    private readonly RegionProvider _provider;
    private readonly Region _reserved;
    private readonly Region _region;
    private long _wantedBytes;

    /// <summary>Reserves room for up to <paramref name="wordsMax"/> words, or as many as the operating system has address space for.</summary>
    /// <param name="provider">Source of regions.</param>
    /// <param name="wordsMax">The most words it will ever hold.</param>
    /// <param name="wordsMin">The fewest that are of use.</param>
    /// <param name="skewBytes">How far from the start of a huge page they begin.</param>
    internal WordRegion(RegionProvider provider, long wordsMax, long wordsMin, int skewBytes = 0)
    {
        _provider = provider;
        _reserved = Reservation.Take(provider, (wordsMax * Limits.WordBytes) + skewBytes, (wordsMin * Limits.WordBytes) + skewBytes);
        _region = new Region(_reserved.Address + skewBytes, _reserved.Bytes - skewBytes, 0);
        Words = new WordArray(_region.Address);
        Count = long.Min(wordsMax, _region.Bytes / Limits.WordBytes);
    }

    /// <summary>Takes a stretch of another's reservation, which that one unmaps.</summary>
    /// <param name="provider">Source of the reservation.</param>
    /// <param name="part">The stretch.</param>
    /// <param name="wordsMax">The most words it will ever hold; all of them fit.</param>
    internal WordRegion(RegionProvider provider, in Region part, long wordsMax)
    {
        _provider = provider;
        _region = new Region(part.Address, wordsMax * Limits.WordBytes, 0);
        Words = new WordArray(_region.Address);
        Count = wordsMax;
    }

    /// <summary>Access by index.</summary>
    internal WordArray Words { get; }

    /// <summary>Words reserved.</summary>
    internal long Count { get; }

    /// <summary>Asks for huge pages under a stretch of words.</summary>
    internal void PreferHugePages(long first, long count) =>
        _provider.PreferHugePages(_region, first * Limits.WordBytes, count * Limits.WordBytes);

    /// <summary>Makes the pages of a stretch of words resident for storing.</summary>
    internal bool TryPopulate(long first, long count) => _provider.TryPopulate(_region, first * Limits.WordBytes, count * Limits.WordBytes);

    /// <summary>Makes sure that words can be stored; before that they can be read alone.</summary>
    internal bool TryAllocate(long first, long count) => TryOpen(first, count) && _provider.TryAllocate(_region, first * Limits.WordBytes, count * Limits.WordBytes);

    /// <summary>Opens words for storing, of whose space somebody else makes sure.</summary>
    internal bool TryOpen(long first, long count)
    {
        bool isOpen = _provider.TryOpen(_region, first * Limits.WordBytes, count * Limits.WordBytes);
        Volatile.Write(ref _wantedBytes, isOpen ? 0 : count * Limits.WordBytes);
        return isOpen;
    }

    /// <summary>Bytes that the operating system did not open when they were asked for last; else 0. For messages.</summary>
    internal long WantedBytes => Volatile.Read(ref _wantedBytes);

    /// <summary>The region itself.</summary>
    internal Region Region => _region;

    /// <summary>Returns the memory of a stretch of words, which read as zero from then on.</summary>
    internal bool TryGiveBack(long first, long count) =>
        first + count <= Count && _provider.TryGiveBack(_region, first * Limits.WordBytes, count * Limits.WordBytes);

    /// <summary>Unmaps what is its own. The caller guarantees that no reader is left.</summary>
    public void Dispose()
    {
        if (_reserved.Bytes > 0)
        {
            _provider.Unmap(_reserved);
        }
    }
}
