// Maps the granules of a WordArray as it grows, and unmaps them at the end.
// The directory of granules is one lazily touched region, so that it never moves under a reader.
using System;
using System.Collections.Generic;
using Pile.Primitives;

namespace Pile.Memory;

/// <summary>Owner of a word array's memory. Growth is serialised by the caller.</summary>
internal sealed unsafe class GranuleMap : IDisposable
{
    private readonly RegionProvider _provider;
    private readonly Region _directory;
    private readonly long _granulesMax;
    private readonly long _granuleBytes;
    private readonly List<Region> _regions = [];
    private long _mapped;

    /// <summary>Prepares an empty array.</summary>
    /// <param name="provider">Source of regions.</param>
    /// <param name="wordsMax">The most words it will ever hold.</param>
    /// <param name="shift">log2 of the words in a granule.</param>
    internal GranuleMap(RegionProvider provider, long wordsMax, int shift)
    {
        _provider = provider;
        _granuleBytes = (long)sizeof(ulong) << shift;
        _granulesMax = (wordsMax + (1L << shift) - 1) >> shift;
        long bytes = Align.Up(_granulesMax * sizeof(nint), Limits.OsPageBytes);
        if (!provider.TryMap(bytes, Limits.OsPageBytes, out _directory))
        {
            Throw.OutOfAddressSpace(bytes);
        }

        Words = new WordArray(_directory.Address, shift);
    }

    /// <summary>Access by index.</summary>
    internal WordArray Words { get; }

    /// <summary>Granules mapped so far.</summary>
    internal long Granules => _mapped;

    /// <summary>Bytes of one granule.</summary>
    internal long GranuleBytes => _granuleBytes;

    /// <summary>Maps one more granule, zeroed; its pages become resident as they are touched.</summary>
    /// <param name="hugePage">Whether to ask for huge pages: the whole granule then counts as resident at once.</param>
    /// <returns>False when the operating system refuses or the array is at its largest.</returns>
    internal bool TryGrow(bool hugePage)
    {
        long bytes = Align.Up(_granuleBytes, Limits.OsPageBytes);
        if (_mapped == _granulesMax || !_provider.TryMap(bytes, long.Min(Limits.HugePageBytes, bytes), out Region region))
        {
            return false;
        }

        if (hugePage)
        {
            _provider.PreferHugePages(region, 0, bytes);
        }

        // SAFETY: _mapped < _granulesMax, checked above, and the directory holds _granulesMax pointers.
        // The caller publishes the larger count of words after this store.
        ((nint*)_directory.Address)[_mapped] = region.Address - (nint)(_mapped * _granuleBytes);
        _regions.Add(region);
        _mapped++;
        return true;
    }

    /// <summary>Unmaps everything. The caller guarantees that no reader is left.</summary>
    public void Dispose()
    {
        foreach (Region region in _regions)
        {
            _provider.Unmap(region);
        }

        _regions.Clear();
        _provider.Unmap(_directory);
    }
}
