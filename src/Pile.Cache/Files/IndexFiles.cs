// The index files of a directory: made with their tables, opened again, and judged. An index is believed when it was closed in order and is
// what it was then, or when its process was killed in this boot of the machine over this very file.
using System;
using System.Collections.Generic;
using System.IO;
using Pile.Cache.Index;
using Pile.Cache.Keys;
using Pile.Format;
using Pile.Heap;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;

namespace Pile.Cache.Files;

/// <summary>Index files. Thread-safe.</summary>
/// <param name="heap">The pile's files.</param>
/// <param name="memory">Source of address space.</param>
internal sealed class IndexFiles(DurableHeap heap, RegionProvider memory)
{
    private readonly DurableHeap _heap = heap;
    private readonly RegionProvider _memory = memory;

    private FileProvider Provider => _heap.Directory.Files;

    private MetaSlot Meta => _heap.Directory.Meta;

    /// <summary>The first number, from one on, whose file's place is free: what no open has kept is removed from there, if that goes.</summary>
    internal int FreeNumberFrom(int table)
    {
        while (Provider.Exists(PathOf(table)))
        {
            _ = SideFiles.TryDelete(Provider, PathOf(table));
            table += Provider.Exists(PathOf(table)) ? 1 : 0;
        }

        return table;
    }

    /// <summary>Creates the file of a new table's index.</summary>
    /// <param name="table">The table's number.</param>
    /// <param name="seed">Its seed.</param>
    /// <param name="options">Its options.</param>
    /// <param name="isRecovery">Whether it replaces one that was there: then it may take of what growth leaves free.</param>
    /// <exception cref="PileFullException">The device has no room for it.</exception>
    /// <exception cref="FileCallException">A call failed; nothing was changed.</exception>
    internal IndexFile Create(int table, HashSeed seed, PileTableOptions options, bool isRecovery = false)
    {
        string path = PathOf(table);
        StoreFile file = Provider.Open(path, FileOpening.CreateNew);
        IndexFile? made = null;
        try
        {
            IndexHeader header = Current(
                new IndexHeader { Table = table, Seed = seed, IndexBytes = BucketMemory.BytesOfFile(_heap.Core.Budget), Options = options }, IndexFile.FingerprintOf(file));
            if ((!isRecovery && !_heap.HasDiskRoom(IndexFile.PrefixBytes)) || !file.TryAllocate(0, IndexFile.PrefixBytes))
            {
                throw new PileFullException($"'{path}': the device has no room for the index of a new table. Free space on it.", path: path);
            }

            made = new IndexFile(_memory, _heap, file, header) { IsRecovery = isRecovery };
            made.WriteHeader(header);
            made.Sync();
            Provider.SyncDirectory(_heap.Directory.FullPath);
            Fault.Stop(StopPoint.CacheIndexCreated);
            return made;
        }
        catch
        {
            IDisposable held = made as IDisposable ?? file;
            held.Dispose();
            _ = SideFiles.TryDelete(Provider, path);
            throw;
        }
    }

    /// <summary>The path of a table's index.</summary>
    internal string PathOf(int table) => Path.Combine(_heap.Directory.FullPath, StoreNames.OfIndex((uint)table));

    /// <summary>Opens a file, if it is the index of that table.</summary>
    internal IndexFile? TryOpen(string path, uint number, out string? problem)
    {
        StoreFile? file = null;
        try
        {
            file = Provider.Open(path, FileOpening.ToStoreInto);
            byte[] block = new byte[IndexHeader.Bytes];
            problem = $"its {file.Bytes} bytes are too few";
            if (file.Bytes >= IndexFile.PrefixBytes)
            {
                // Who was killed may have asked nobody.
                file.RequireWritten();
                file.Read(0, block);
                if (IndexHeader.TryRead(block, out IndexHeader? header, out problem) && header.Identity == Meta.Identity && header.Table == number)
                {
                    return new IndexFile(_memory, _heap, file, header);
                }

                problem ??= "it belongs to another pile, or is another table's copy";
            }
        }
        catch (IOException failure) when (failure is not FileCallException || failure is FileCallException { IsSync: true } or FileCallException { Failure: FileFailure.WrongKind or FileFailure.Missing })
        {
            // Any other failure of a call says nothing about the file.
            problem = failure.Message;
        }
        catch
        {
            file?.Dispose();
            throw;
        }

        file?.Dispose();
        return null;
    }

    /// <summary>Why an index can't be believed, or null.</summary>
    internal string? ProblemOf(IndexHeader header, bool hasFacts, IndexFile file) =>
        Fault.CacheCutBelieved ? null
        : !IsSince(header.RecoveryCount) ? "the power was cut, the machine stopped, or the pile was found damaged, while it was in use"
        : header.FirstCountingSequence != Meta.FirstCountingSequence ? "the pile was cleared"
        : hasFacts ? null
        : header.BootId != TableTrust.BootOf(_heap.Directory) || header.BootId == Guid.Empty ? "it was not closed in order before the machine started anew, its file system was mounted anew, or its files were copied to another one"
        : header.FileFingerprint != file.Fingerprint ? "it was not closed in order, and its file is not the same file any more"
        : null;

    /// <summary>Why the index of a durable table is not believed, or null: nothing but what was closed in order is, for all else is in the log.</summary>
    internal string? ProblemOfDurable(DurableRow? row, IndexFile file, bool hasFacts) =>
        row is null ? "its table was dropped"
        : file.IsDropped || file.Header.Options.Kind != PileTableKind.Durable || file.Header.Seed != row.Seed ? "it is another table's"
        : !hasFacts || !IsSince(file.Header.RecoveryCount) || file.Header.FirstCountingSequence != Meta.FirstCountingSequence ? "it was not closed in order"
        : null;

    /// <summary>Why the buckets are not what they were when the cache was closed in order, or null.</summary>
    internal static string? SumsProblem(TableFacts known, uint homes, BucketMemory memory, AllCores cores) =>
        homes == known.Homes && SumsOf(memory, cores).AsSpan().SequenceEqual(known.Sums) && Array.TrueForAll(known.Free, bucket => bucket >= memory.HomesMax && bucket < memory.OverflowsNext)
            ? null : "its index is not what it was when it was closed";

    /// <summary>Whether what was written at a count of recoveries leads where it led.</summary>
    private bool IsSince(uint recoveries) => recoveries >= Meta.SoundSince && recoveries <= Meta.RecoveryCount;

    /// <summary>The checksums of all buckets.</summary>
    internal static uint[] SumsOf(BucketMemory memory, AllCores cores)
    {
        List<(uint First, uint Count)> stretches = TableFacts.Stretches(memory);
        uint[] sums = new uint[stretches.Count];
        cores.Run(sums.Length, piece => sums[piece] = memory.Sum(stretches[piece].First, stretches[piece].Count));
        return sums;
    }

    /// <summary>A header with what holds now.</summary>
    internal IndexHeader Current(IndexHeader header, ulong fingerprint) => header with
    {
        Identity = Meta.Identity,
        RecoveryCount = Meta.RecoveryCount,
        FirstCountingSequence = Meta.FirstCountingSequence,
        BootId = TableTrust.BootOf(_heap.Directory),
        FileFingerprint = fingerprint,
    };
}
