// How options and the files of a pile agree: what a new pile's files say, what an old one's files have decided already.
// An option that contradicts the files is an error, never ignored.
using System;
using System.Buffers.Binary;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>Options against files.</summary>
internal static class DurableOptions
{
    /// <summary>Meta of a pile that is created with these options.</summary>
    internal static MetaSlot NewMeta(PileOptions options)
    {
        // Random from the system, as a RandomNumberGenerator's, which would load a library of cryptography at each first open. The bits that
        // are the same in every Guid are different ones of its halves.
        Span<byte> random = stackalloc byte[2 * sizeof(ulong)];
        _ = Guid.NewGuid().TryWriteBytes(random);
        ulong identity = BinaryPrimitives.ReadUInt64LittleEndian(random) ^ BinaryPrimitives.ReadUInt64LittleEndian(random[sizeof(ulong)..]);
        return new MetaSlot
        {
            Identity = options.Origin is { Identity: > 0 } origin ? origin.Identity : identity | 1,
            Tag = options.Origin?.Tag ?? (byte)(random[^1] | MetaSlot.TagMin),
            RecoveryCount = (options.Origin?.FirstGeneration ?? 1) - 1,
            CreatedUtcTicks = options.TimeProvider.GetUtcNow().UtcTicks,
            Promise = (byte)(options.Promise ?? PilePromise.PowerSafe),
            SegmentBytesMin = options.SegmentBytesMin,
            SegmentBytesMax = options.SegmentBytesMax,
            SlotsMax = options.SlotsMax,
            BatchBytesMax = BatchBytesFor(options.SegmentBytesMax),
            SegmentSequenceBound = 1,
            TypeNumberBound = 1,
            IsClean = true,
        };
    }

    /// <summary>Bytes of the records of one batch at the most: its frame fits into the largest segment, behind its header.</summary>
    internal static int BatchBytesFor(int segmentBytesMax) => segmentBytesMax - SegmentHeader.Bytes - DurableRecord.HeaderBytes;

    /// <summary>The promise of a directory.</summary>
    /// <exception cref="PileException">The options name another one, or this version does not know it.</exception>
    internal static PilePromise PromiseOf(PileDirectory directory, PileOptions options)
    {
        var promise = (PilePromise)directory.Meta.Promise;
        if (options.Promise is { } wanted && wanted != promise)
        {
            throw new PileException(
                PileStatus.Format,
                $"'{directory.FullPath}' promises {promise}, and Promise = {wanted} was asked for. A pile keeps the promise it was created with: leave Promise out, or copy the objects to a new directory.",
                path: directory.FullPath);
        }

        if (promise is not (PilePromise.ProcessSafe or PilePromise.PowerSafe))
        {
            throw new PileFormatException($"'{directory.FullPath}' has promise {directory.Meta.Promise}, which this version does not know. A newer version is needed. Nothing was changed.", directory.FullPath);
        }

        return promise;
    }

    /// <summary>Refuses a pile that may have lost what it promised, unless that is accepted.</summary>
    internal static void RefuseLoss(PileDirectory directory, PileOptions options, PilePromise promise, bool isSameBoot)
    {
        if (promise == PilePromise.ProcessSafe && !directory.Meta.IsClean && !isSameBoot && !options.AcceptLoss)
        {
            (string why, string wayOut) = directory.Meta.SyncFailedAboveFlush >= 0
                ? ($"a sync of its files failed above flush {directory.Meta.SyncFailedAboveFlush}: what the system holds of them can't be believed, and it", "See to the device.")
                : ("was not closed in order before the machine started anew, its file system was mounted anew, or its files were copied to another one: it", "Where these are copied files and the original is there, open and close that, and copy it then.");
            throw new PileCorruptedException(
                $"'{directory.FullPath}' is {PilePromise.ProcessSafe} and {why} may be older than it was, and contain what was deleted. {wayOut} PileSalvage.Run brings what is there into a new directory; AcceptLoss = true opens it as it is. Nothing was changed.",
                path: directory.FullPath);
        }
    }

    /// <summary>Bytes that growth leaves free on the device.</summary>
    internal static long ReserveOf(PileDirectory directory, PileOptions options) =>
        options.DiskReserveBytes ?? long.Max(
            long.Min(FileLimits.DiskReserveBytesMax, directory.TotalBytes() / FileLimits.DiskReserveFraction),
            directory.QuotaBytes() is null ? 0 : long.Min(FileLimits.QuotaReserveBytes, directory.TotalBytes() / FileLimits.QuotaReserveFraction));

    /// <summary>Sets the limit of a pile for which none is given, once it is known what the pile takes: that, and nine tenths of what is
    /// free on the device, or will be: what files have beyond their segments goes back (<see cref="LeftSpace"/>), or is theirs to take. Large objects are known when they are counted, and add to it then.
    /// What the indexes of a cache have is for the cache when it comes, or for those that it makes in their place.</summary>
    internal static void LimitByDevice(PileDirectory directory, PileOptions options, MemoryBudget budget, long segmentBytes)
    {
        if (options.DiskLimitBytes is null)
        {
            long filesBytes = 0;
            foreach (ExtentFile file in directory.Extents)
            {
                filesBytes += file.Header.Kind == ExtentKind.Segments ? file.TakenBytes : 0;
            }

            long deviceBytes = (directory.FreeBytes() + long.Max(0, filesBytes - segmentBytes)) / 10 * 9;
            long indexBytes = IndexBytes(directory);
            budget.LimitByTaken(taken => long.Max(Limits.MemoryLimitMin, taken + indexBytes + deviceBytes));
        }
    }

    private static long IndexBytes(PileDirectory directory)
    {
        long bytes = 0;
        foreach (string name in directory.Files.List(directory.FullPath))
        {
            try
            {
                if (StoreNames.IsIndex(name, out _))
                {
                    using StoreFile file = directory.Files.Open(System.IO.Path.Combine(directory.FullPath, name), FileOpening.ReadOnly);
                    bytes += file.TakenBytes;
                }
            }
            catch (FileCallException)
            {
                // The cache opens it too, and says what is wrong.
            }
        }

        return bytes;
    }

    /// <summary>The options that a heap in this directory has: those of its files where files have them.</summary>
    internal static PileOptions HeapOptions(PileDirectory directory, PileOptions options, RegionProvider regions)
    {
        MetaSlot found = directory.Meta;
        return options with
        {
            Regions = regions,
            MemoryLimitBytes = options.DiskLimitBytes ?? Limits.FlatSpaceBytesMax * 2,
            SegmentBytesMin = found.SegmentBytesMin,
            SegmentBytesMax = found.SegmentBytesMax,
            SlotsMax = found.SlotsMax,
            FlatSpaceBytesMin = (found.ExtentRows - 1L) * Limits.ExtentBytes,
            FlatSpaceLimitBytes = directory.IsReadOnly ? 0 : options.FlatSpaceLimitBytes, // No more comes to it.
            BackgroundCleaning = options.BackgroundCleaning && !directory.IsReadOnly,
        };
    }
}
