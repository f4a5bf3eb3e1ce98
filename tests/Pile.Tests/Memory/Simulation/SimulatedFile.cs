using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Linq;
using System.Security.Cryptography;
using Pile.Primitives;

namespace Pile.Tests.Memory.Simulation;

/// <summary>A file: what it holds now, what was last synced, and for each page what it was seen to hold between, any of which a
/// power cut may leave, sector by sector.</summary>
internal sealed class SimulatedFile : SimulatedNode, IDisposable
{
    internal const int SectorBytes = 512;
    private const int PageBytes = Limits.OsPageBytes;
    private static readonly byte[] _zeros = new byte[PageBytes];

    // Arrays in these are never changed, so that images share them.
    private readonly Dictionary<long, byte[]> _durable;
    private readonly Dictionary<long, List<byte[]>> _seen = [];
    private bool _hasLoss;
    private readonly Dictionary<long, byte[]> _forgotten = [];
    private readonly List<long> _lengthsSeen = [];
    private readonly HashSet<long> _allocated = [];

    // Of these, what a cut takes back unless something has reached them.
    private readonly HashSet<long> _allocatedSince = [];
    private long _durableBytes;
    private LiveFile? _live;

    internal SimulatedFile(ulong inode)
        : this(inode, [], 0)
    {
    }

    private SimulatedFile(ulong inode, Dictionary<long, byte[]> durable, long durableBytes)
    {
        Inode = inode;
        _durable = durable;
        _durableBytes = durableBytes;
        _allocated.UnionWith(durable.Keys);
    }

    internal ulong Inode { get; }

    /// <summary>Openers that hold a shared lock; -1: one that holds it alone.</summary>
    internal int Lockers { get; set; }

    /// <summary>Pages that have space on the device.</summary>
    internal int AllocatedPages => _allocated.Count;

    internal long Bytes => _live?.File.Bytes ?? _durableBytes;

    /// <summary>The file as it is, for reading, writing and mapping.</summary>
    internal LiveFile Live(string path)
    {
        if (_live is null)
        {
            _live = new LiveFile(path);
            _live.File.SetBytes(_durableBytes);
            foreach ((long page, byte[] bytes) in _durable)
            {
                long start = page * PageBytes;
                _live.File.Write(start, bytes.AsSpan(0, (int)long.Min(PageBytes, _durableBytes - start)));
            }
        }

        return _live;
    }

    /// <summary>How many pages of a stretch have no space yet.</summary>
    internal int Missing(long offset, long bytes)
    {
        int missing = 0;
        for (long page = offset / PageBytes; page * PageBytes < offset + bytes; page++)
        {
            missing += _allocated.Contains(page) ? 0 : 1;
        }

        return missing;
    }

    /// <summary>Notes that a stretch has space.</summary>
    internal void Allocate(long offset, long bytes)
    {
        for (long page = offset / PageBytes; page * PageBytes < offset + bytes; page++)
        {
            if (_allocated.Add(page))
            {
                _allocatedSince.Add(page);
            }
        }
    }

    /// <summary>Notes that the whole pages of a stretch have no space.</summary>
    internal void Release(long offset, long bytes)
    {
        for (long page = (offset + PageBytes - 1) / PageBytes; (page + 1) * PageBytes <= offset + bytes; page++)
        {
            _allocated.Remove(page);
            _allocatedSince.Remove(page);
        }
    }

    /// <summary>Notes that a stretch was written, not stored through a mapping: a sync that failed before does not count for it.</summary>
    internal void Wrote(long offset, long bytes)
    {
        for (long page = offset / PageBytes; page * PageBytes < offset + bytes; page++)
        {
            _forgotten.Remove(page);
        }
    }

    /// <summary>Notes what the file holds now.</summary>
    internal void Snapshot()
    {
        foreach ((long page, byte[] bytes) in Differing())
        {
            if (!_seen.TryGetValue(page, out List<byte[]>? seen))
            {
                _seen.Add(page, seen = []);
            }

            seen.RemoveAll(earlier => earlier.AsSpan().SequenceEqual(bytes));
            seen.Add(bytes);
        }

        _lengthsSeen.Remove(Bytes);
        _lengthsSeen.Add(Bytes);
    }

    /// <summary>Makes what the file holds now durable; but not pages of which a sync has failed and that were not changed since.</summary>
    internal void Sync()
    {
        HashSet<long> pages = [.. _seen.Keys];
        foreach ((long page, byte[] bytes) in Differing())
        {
            if (_forgotten.TryGetValue(page, out byte[]? forgotten) && forgotten.AsSpan().SequenceEqual(bytes))
            {
                pages.Remove(page);
                continue;
            }

            _durable[page] = bytes;
            pages.Add(page);
        }

        foreach (long page in pages)
        {
            _seen.Remove(page);
            _forgotten.Remove(page);
        }

        _durableBytes = Bytes;
        _lengthsSeen.Clear();
        _allocatedSince.Clear();
    }

    /// <summary>A sync that fails: the pages may have reached the device or not, and the system forgets that they were to.</summary>
    internal void FailSync()
    {
        Snapshot();
        foreach ((long page, byte[] bytes) in Differing())
        {
            _forgotten[page] = bytes;
        }
    }

    /// <summary>The system writes back what was stored, by itself, and can't: the pages may have reached the device or not, and who asks next is told.</summary>
    internal void FailWriteback()
    {
        FailSync();
        _hasLoss = true;
    }

    /// <summary>Whether it could not, which is told once.</summary>
    internal bool TakeLoss()
    {
        bool hasLoss = _hasLoss;
        _hasLoss = false;
        return hasLoss;
    }

    /// <summary>Lets the pages of a failed sync leave the system's memory, which takes them for written: from here on the file holds what the device has of them,
    /// which is anything. Those that were changed since stay.</summary>
    internal void Reread(CutChoice choice)
    {
        byte[] now = new byte[PageBytes];
        foreach (long page in _forgotten.Keys.Order().ToArray())
        {
            choice.NextScope();
            _live!.ReadPage(page, Bytes, now);
            long there = long.Min(Bytes - (page * PageBytes), PageBytes);
            if (there > 0 && _seen.TryGetValue(page, out List<byte[]>? seen) && now.AsSpan().SequenceEqual(_forgotten[page]))
            {
                byte[] left = CutPage(_durable.GetValueOrDefault(page, _zeros), seen, choice);
                _live.File.Write(page * PageBytes, left.AsSpan(0, (int)there));
                _durable[page] = left;
                _ = _seen.Remove(page);
                _ = _forgotten.Remove(page);
            }
        }
    }

    /// <summary>What a power cut leaves.</summary>
    internal SimulatedFile Cut(CutChoice choice)
    {
        choice.NextScope();
        List<long> lengths = [_durableBytes, .. _lengthsSeen.FindAll(length => length != _durableBytes)];
        long length = lengths.Count == 1 ? lengths[0] : lengths[choice.Choose(lengths.Count)];
        Dictionary<long, byte[]> left = new(_durable);
        List<long> pages = [.. _seen.Keys];
        pages.Sort();
        foreach (long page in pages)
        {
            choice.NextScope();
            left[page] = CutPage(_durable.GetValueOrDefault(page, _zeros), _seen[page], choice);
        }

        foreach (long page in new List<long>(left.Keys))
        {
            long there = long.Min(length - (page * PageBytes), PageBytes);
            if (there <= 0)
            {
                left.Remove(page);
            }
            else if (there < PageBytes)
            {
                byte[] bytes = (byte[])left[page].Clone();
                bytes.AsSpan((int)there).Clear();
                left[page] = bytes;
            }
        }

        var cut = new SimulatedFile(Inode, left, length);
        cut._allocated.UnionWith(_allocated.Where(page => !_allocatedSince.Contains(page) && page * PageBytes < length));
        return cut;
    }

    /// <summary>The file as another process finds it now: the same content, and the same of it not synced.</summary>
    internal SimulatedFile Fork()
    {
        var fork = new SimulatedFile(Inode, new(_durable), _durableBytes);
        fork._allocated.Clear();
        fork._allocated.UnionWith(_allocated);
        fork._allocatedSince.UnionWith(_allocatedSince);
        fork._lengthsSeen.AddRange(_lengthsSeen);
        fork._hasLoss = _hasLoss;
        foreach ((long page, List<byte[]> seen) in _seen)
        {
            fork._seen.Add(page, [.. seen]);
        }

        foreach ((long page, byte[] bytes) in _forgotten)
        {
            fork._forgotten.Add(page, bytes);
        }

        if (_live is not null)
        {
            fork._live = new LiveFile(_live.File.Path);
            long end = Bytes;
            fork._live.File.SetBytes(end);
            byte[] bytes = new byte[PageBytes];
            foreach (long page in _live.Pages())
            {
                _live.ReadPage(page, end, bytes);
                fork._live.File.Write(page * PageBytes, bytes.AsSpan(0, (int)long.Min(PageBytes, end - (page * PageBytes))));
            }
        }

        return fork;
    }

    /// <summary>Adds what is durable to a sum: its length, its pages that are not zero, and which have space.</summary>
    internal void AddTo(IncrementalHash sum)
    {
        Add(_durableBytes);
        foreach (long page in _allocated.Order())
        {
            Add(page);
        }

        foreach (long page in _durable.Keys.Order())
        {
            if (_durable[page].AsSpan().ContainsAnyExcept((byte)0))
            {
                Add(~page);
                sum.AppendData(_durable[page]);
            }
        }

        void Add(long number)
        {
            Span<byte> bytes = stackalloc byte[sizeof(long)];
            BinaryPrimitives.WriteInt64LittleEndian(bytes, number);
            sum.AppendData(bytes);
        }
    }

    public void Dispose() => _live?.Dispose();

    private static byte[] CutPage(byte[] durable, List<byte[]> seen, CutChoice choice)
    {
        byte[] left = new byte[PageBytes];
        for (int start = 0; start < PageBytes; start += SectorBytes)
        {
            List<byte[]> options = [durable];
            foreach (byte[] version in seen)
            {
                if (!options.Exists(option => option.AsSpan(start, SectorBytes).SequenceEqual(version.AsSpan(start, SectorBytes))))
                {
                    options.Add(version);
                }
            }

            byte[] chosen = options.Count == 1 ? durable : options[choice.Choose(options.Count)];
            chosen.AsSpan(start, SectorBytes).CopyTo(left.AsSpan(start));
        }

        return left;
    }

    /// <summary>Pages that hold now something else than what was last synced, with what they hold.</summary>
    private List<(long Page, byte[] Bytes)> Differing()
    {
        List<(long, byte[])> differing = [];
        if (_live is null)
        {
            return differing;
        }

        long end = Bytes;
        byte[] bytes = new byte[PageBytes];
        HashSet<long> pages = [.. _live.Pages(), .. _durable.Keys];
        foreach (long page in pages)
        {
            _live.ReadPage(page, end, bytes);
            if (!bytes.AsSpan().SequenceEqual(_durable.GetValueOrDefault(page, _zeros)))
            {
                if (!_allocated.Contains(page) && bytes.AsSpan().ContainsAnyExcept((byte)0))
                {
                    throw new InvalidOperationException(
                        $"'{_live.File.Path}': byte {page * PageBytes} and the following were stored to without space on the device; on a full one that kills the process.");
                }

                differing.Add((page, bytes));
                bytes = new byte[PageBytes];
            }
        }

        return differing;
    }
}
