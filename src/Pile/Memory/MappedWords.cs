// A stretch of a file as 8-byte words in address space of its own: stores go to the file and survive the process.
// Small stretches, one mapping each; the pile's flat space and its table have their own reservations.
using System;
using Pile.Primitives;

namespace Pile.Memory;

/// <summary>Owner of a mapped stretch of words.</summary>
internal sealed class MappedWords : IDisposable
{
    private readonly RegionProvider _regions;
    private readonly StoreFile _file;
    private readonly Region _region;

    /// <summary>Maps a stretch. The file must be that long, and stays open until this is disposed.</summary>
    /// <param name="regions">Source of address space.</param>
    /// <param name="file">The file.</param>
    /// <param name="offset">First byte, a multiple of the OS page.</param>
    /// <param name="bytes">Length, a multiple of the OS page.</param>
    /// <param name="writable">Whether words will be stored.</param>
    internal MappedWords(RegionProvider regions, StoreFile file, long offset, long bytes, bool writable)
    {
        if (!regions.TryMap(bytes, Limits.OsPageBytes, out _region))
        {
            Throw.OutOfAddressSpace(bytes);
        }

        try
        {
            file.Map(_region.Address, offset, bytes, writable);
        }
        catch
        {
            regions.Unmap(_region);
            throw;
        }

        _regions = regions;
        _file = file;
        Words = new WordArray(_region.Address);
    }

    /// <summary>Access by index.</summary>
    internal WordArray Words { get; }

    /// <summary>Unmaps it. The caller guarantees that nobody looks at the words any more, and calls it once.</summary>
    public void Dispose()
    {
        _file.Unmap(_region.Address, _region.Bytes);
        _regions.Unmap(_region);
    }
}
