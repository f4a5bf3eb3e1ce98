// The entries of speculative tables in a pile that is open without its cache, compared with their checksums, for `pile verify`. Which records of a
// cache live only its indexes say, and only one that an open believes: closed in order, or left by a kill in this boot of the machine.
// A record whose header is damaged is none to the walk over its segment, which tells of it.
using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.IO;
using System.Threading;
using Pile.Cache.Index;
using Pile.Format;
using Pile.Heap;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Cache.Files;

/// <summary>A look at the entries of speculative tables. One thread; the pile is open for reading alone.</summary>
internal sealed class IndexedRecords
{
    private const int ReadBytes = 1 << 16;

    private readonly DurableHeap _heap;
    private readonly HeapCore<DurableRecord> _core;
    private readonly List<PileFinding> _findings = [];

    private IndexedRecords(DurableHeap heap)
    {
        _heap = heap;
        _core = heap.Core;
    }

    /// <summary>Entries that were compared.</summary>
    internal long Entries { get; private set; }

    /// <summary>Tables whose indexes are not believed: the next open takes them for empty.</summary>
    internal int TablesLeft { get; private set; }

    /// <summary>Those whose bytes are not what was stored.</summary>
    internal IReadOnlyList<PileFinding> Findings => _findings;

    /// <summary>Compares all of them.</summary>
    internal static IndexedRecords Compare(ObjectPile pile, CancellationToken stop)
    {
        var records = new IndexedRecords(pile.Durable!);
        PileDirectory directory = records._heap.Directory;
        foreach (string name in directory.Files.List(directory.FullPath))
        {
            if (StoreNames.IsIndex(name, out uint number))
            {
                using StoreFile file = directory.Files.Open(Path.Combine(directory.FullPath, name), FileOpening.ReadOnly);
                records.Look(file, (int)number, stop);
            }
        }

        return records;
    }

    private void Look(StoreFile file, int number, CancellationToken stop)
    {
        byte[] prefix = new byte[IndexFile.PrefixBytes];
        file.Read(0, prefix.AsSpan(0, (int)long.Min(prefix.Length, file.Bytes)));
        if (!IndexHeader.TryRead(prefix.AsSpan(0, IndexHeader.Bytes), out IndexHeader? header, out _))
        {
            TablesLeft++;
            return;
        }

        if (header.Options.Kind != PileTableKind.Speculative || StateOf(prefix, IndexFile.DroppedWord) != 0)
        {
            return;
        }

        ulong homes = StateOf(prefix, BucketMemory.HomesWord);
        ulong end = StateOf(prefix, BucketMemory.OverflowsNextWord);
        uint homesMax = BucketMemory.HomesMaxOf((uint)(header.IndexBytes / BucketMemory.BucketBytes));
        bool isPossible = IsBelieved(header, number, file) && homes <= homesMax && end >= homesMax && OffsetOf(homes) <= file.Bytes && (end == homesMax || (end <= uint.MaxValue && OffsetOf(end) <= file.Bytes));
        if (!isPossible)
        {
            TablesLeft++;
            return;
        }

        // No bucket is in two chains, nor twice in one: what leads to such a one is damage, and would be followed for ever.
        HashSet<uint> followed = [];
        byte[] buckets = new byte[ReadBytes];
        byte[] other = new byte[BucketMemory.BucketBytes];
        for (ulong first = 0; first < homes; first += ReadBytes / BucketMemory.BucketBytes)
        {
            stop.ThrowIfCancellationRequested();
            int count = (int)ulong.Min(homes - first, ReadBytes / BucketMemory.BucketBytes);
            file.Read(OffsetOf(first), buckets.AsSpan(0, count * BucketMemory.BucketBytes));
            for (int index = 0; index < count; index++)
            {
                uint next = Look(buckets.AsSpan(index * BucketMemory.BucketBytes, BucketMemory.BucketBytes), header);
                while (next >= homesMax && next < end && followed.Add(next))
                {
                    stop.ThrowIfCancellationRequested();
                    file.Read(OffsetOf(next), other);
                    next = Look(other, header);
                }
            }
        }
    }

    /// <summary>Compares the entries of a bucket.</summary>
    /// <returns>The next of its chain.</returns>
    private uint Look(ReadOnlySpan<byte> bucket, IndexHeader table)
    {
        for (int index = 0; index < CacheLimits.BucketCells; index++)
        {
            long location = CellWord.Location(BinaryPrimitives.ReadUInt64LittleEndian(bucket[(index * Limits.WordBytes)..]));
            if (location == 0 || !LogRecord.TryRead(_core.Extents, _core.Directory, _core.Log.Identity, location, out LogRecord record) || record.Code != RecordCode.Cache)
            {
                continue;
            }

            Entries++;
            if (!record.IsPayloadWhole(_core.Directory.Space))
            {
                Segment segment = _core.Directory.At(location);
                _findings.Add(new PileFinding(
                    PileDamage.PayloadChecksumInvalid,
                    $"entry of the table '{table.Options.Name}', segment {segment.Index} offset {(location - segment.Location) * Limits.WordBytes}",
                    "a payload whose checksum is that of its header",
                    "another payload"));
            }
        }

        return BucketControl.Next(BinaryPrimitives.ReadUInt64LittleEndian(bucket[(CacheLimits.BucketCells * Limits.WordBytes)..]));
    }

    private bool IsBelieved(IndexHeader header, int number, StoreFile file)
    {
        PileDirectory directory = _heap.Directory;
        MetaSlot meta = directory.Meta;
        bool wasClosed = meta.IsClean && directory.Files.Exists(Path.Combine(directory.FullPath, StoreNames.CacheFacts));
        return header.Identity == meta.Identity && header.Table == number
            && header.RecoveryCount >= meta.SoundSince && header.RecoveryCount <= meta.RecoveryCount && header.FirstCountingSequence == meta.FirstCountingSequence
            && (wasClosed || (header.BootId == TableTrust.BootOf(directory) && header.BootId != Guid.Empty && header.FileFingerprint == IndexFile.FingerprintOf(file)));
    }

    private static ulong StateOf(ReadOnlySpan<byte> prefix, uint word) => BinaryPrimitives.ReadUInt64LittleEndian(prefix[(IndexHeader.Bytes + ((int)word * Limits.WordBytes))..]);

    private static long OffsetOf(ulong bucket) => IndexFile.PrefixBytes + ((long)bucket * BucketMemory.BucketBytes);
}
