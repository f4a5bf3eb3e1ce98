// The file that a table's index stands in, as the memory of that index: header page, page of state words, then the buckets, each at its
// place; what no bucket has needed yet is a hole that takes no space. Stores go to the file and survive the process.
// Which of its bytes can be believed is decided by whoever opens it (CacheFiles).
using System;
using System.Buffers.Binary;
using Pile.Heap;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;

namespace Pile.Cache.Files;

/// <summary>An open index file. Thread-safe but for <see cref="Dispose"/>.</summary>
internal sealed class IndexFile : RegionProvider, IDisposable
{
    /// <summary>Bytes before the first bucket.</summary>
    internal const int PrefixBytes = IndexHeader.Bytes + Limits.OsPageBytes;

    /// <summary>State word: 1 once the table was dropped.</summary>
    internal const uint DroppedWord = 8;

    private readonly RegionProvider _memory;
    private readonly DurableHeap _heap;
    private readonly StoreFile _file;
    private readonly MappedWords _state;

    /// <summary>Takes over a file that is at least <see cref="PrefixBytes"/> long.</summary>
    internal IndexFile(RegionProvider memory, DurableHeap heap, StoreFile file, IndexHeader header)
    {
        _memory = memory;
        _heap = heap;
        _file = file;
        Header = header;
        _state = new MappedWords(memory, file, IndexHeader.Bytes, Limits.OsPageBytes, writable: true);
        heap.Failed.Add(file);
    }

    /// <summary>The header as it was last read or written.</summary>
    internal IndexHeader Header { get; private set; }

    /// <summary>What must be known of the index beside its buckets (TableIndex).</summary>
    internal WordArray State => _state.Words;

    /// <summary>Whether its table is over: the file goes when it is disposed, and where it stays nobody believes it.</summary>
    internal bool IsDropped => State.Read(DroppedWord) != 0;

    /// <summary>The file's path.</summary>
    internal string Path => _file.Path;

    /// <summary>Whether it is built anew by an open, and may take of what growth leaves free on the device, as any recovery.</summary>
    internal bool IsRecovery { get; set; }

    /// <summary>Length of the file.</summary>
    internal long FileBytes => _file.Bytes;

    internal override long MachineMemoryBytes => _memory.MachineMemoryBytes;

    internal override bool ReservesFreely => _memory.ReservesFreely;

    internal override bool IsCrowded => _memory.IsCrowded;

    internal override bool ReadsBeyondAllocated => false;

    /// <summary>Over device and inode.</summary>
    internal ulong Fingerprint => FingerprintOf(_file);

    /// <summary>Over device and inode of a file.</summary>
    internal static ulong FingerprintOf(StoreFile file)
    {
        FilesFingerprint fingerprint = default;
        fingerprint.Add(file.Identity);
        return fingerprint.Value;
    }

    /// <summary>Writes a header; as durable as any store.</summary>
    internal void WriteHeader(IndexHeader header)
    {
        Span<byte> block = stackalloc byte[IndexHeader.Bytes];
        header.Write(block);
        _file.Write(0, block);
        Header = header;
    }

    /// <summary>Says that its table is over.</summary>
    internal void MarkDropped() => State.WriteRelease(DroppedWord, 1);

    /// <summary>Removes a file that an open refuses. One that stays is marked: what spoke against it may be gone at the next open.</summary>
    /// <exception cref="FileCallException">It can't be removed, nor be marked.</exception>
    internal void Refuse()
    {
        _ = SideFiles.TryDelete(_heap.Directory.Files, Path);
        if (_heap.Directory.Files.Exists(Path))
        {
            // By a call: in a file that was copied sparsely, on a full device, a store there would end the process.
            Span<byte> word = stackalloc byte[Limits.WordBytes];
            BinaryPrimitives.WriteUInt64LittleEndian(word, 1);
            _file.Write(IndexHeader.Bytes + (DroppedWord * Limits.WordBytes), word);
        }
    }

    /// <summary>Maps buckets that are there already.</summary>
    internal void MapBuckets(in Region region, long offset, long bytes)
    {
        if (bytes > 0)
        {
            Map(region.Address + (nint)offset, offset, bytes);
        }
    }

    /// <summary>Makes all that was stored durable.</summary>
    internal void Sync() => _file.Sync();

    internal override int WordsSkewBytes => PrefixBytes;

    internal override bool TryMap(long bytes, long alignmentBytes, out Region region) => _memory.TryMap(bytes, alignmentBytes, out region);

    internal override bool TryReserve(long bytes, long alignmentBytes, out Region region) => _memory.TryReserve(bytes, alignmentBytes, out region);

    internal override void Unmap(in Region region) => _memory.Unmap(region);

    internal override bool TryPopulate(in Region region, long offset, long bytes) => true;

    internal override void PreferHugePages(in Region region, long offset, long bytes)
    {
        // Pages of a file come as the file system gives them.
    }

    internal override bool TryGiveBack(in Region region, long offset, long bytes)
    {
        bool isPunched = false;
        return _heap.TryFiles(() => isPunched = _file.TryPunch(PrefixBytes + offset, bytes)) && isPunched;
    }

    internal override bool TryAllocate(in Region region, long offset, long bytes, bool isForCleaner = false)
    {
        bool isAllocated = false;
        nint address = region.Address + (nint)offset;
        return _heap.TryFiles(() =>
        {
            isAllocated = (IsRecovery || _heap.HasDiskRoom(bytes)) && _file.TryAllocate(PrefixBytes + offset, bytes);
            if (isAllocated)
            {
                Map(address, offset, bytes);
            }
        }) && isAllocated;
    }

    // Behind what has space the file is a hole, up to its length.
    private void Map(nint address, long offset, long bytes)
    {
        _file.Map(address, PrefixBytes + offset, bytes, writable: true);
        _file.ReadSmall(address, bytes, isAhead: false);
    }

    /// <summary>Closes the file; the buckets' region is the index's to unmap.</summary>
    public void Dispose()
    {
        bool isDropped = IsDropped;
        _heap.Failed.Remove(_file);
        _state.Dispose();
        _file.Dispose();
        if (isDropped)
        {
            _ = SideFiles.TryDelete(_heap.Directory.Files, Path);
        }
    }
}
