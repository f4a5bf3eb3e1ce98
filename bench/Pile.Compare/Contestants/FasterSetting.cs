using System.Collections.Generic;
using System.Numerics;
using FASTER.core;

namespace Pile.Compare.Contestants;

/// <summary>Every setting of FasterKV that is tried; the one with the best geometric mean over the workloads takes part. All
/// hold everything in memory (a null device below), with a log sized for all objects and a session a thread.</summary>
/// <param name="Name">What is special about it.</param>
/// <param name="ObjectsPerBucket">Objects for each 64-byte bucket of the index, which has seven entries.</param>
/// <param name="PageBits">Size of a page of the log, as a power of two.</param>
/// <param name="MutableFraction">Share of the log that is updated in place.</param>
/// <param name="Preallocate">Whether the log's memory is there from the beginning.</param>
/// <param name="Control">How records are locked.</param>
/// <param name="NextKeys">Whether a fill after Clear takes keys never used before in the same store, whose memory it uses again;
/// else each fill goes to a new store.</param>
internal sealed record FasterSetting(
    string Name, int ObjectsPerBucket, int PageBits, double MutableFraction, bool Preallocate, ConcurrencyControlMode Control, bool NextKeys)
{
    /// <summary>Bytes of a record in the log: header, key, length and payload, rounded up.</summary>
    private const int RecordBytes = 128;

    private const int MemoryBitsMin = 26;

    /// <summary>Room in the log over what the objects take, so that none of them leaves memory.</summary>
    private const double Slack = 1.15;

    internal static IReadOnlyList<FasterSetting> All { get; } =
    [
        new("as it comes: 32 MB pages, lock table", 2, 25, 0.9, false, ConcurrencyControlMode.LockTable, false),
        new("no locking", 2, 25, 0.9, false, ConcurrencyControlMode.None, false),
        new("no locking, log preallocated, all of it mutable, a bucket for 4 objects", 4, 25, 1.0, true, ConcurrencyControlMode.None, false),
        new("no locking, 4 MB pages, a bucket for each object", 1, 22, 0.9, true, ConcurrencyControlMode.None, false),
        new("no locking, one store for all fills: fresh keys into recycled log memory", 1, 25, 0.9, true, ConcurrencyControlMode.None, true),
    ];

    internal FasterKV<long, SpanByte> Open(int objects)
    {
        long memory = (long)(objects * (double)RecordBytes * Slack);
        var log = new LogSettings
        {
            LogDevice = new NullDevice(),
            PageSizeBits = PageBits,
            MemorySizeBits = int.Max(MemoryBitsMin, BitOperations.Log2((ulong)memory) + 1),
            MutableFraction = MutableFraction,
            PreallocateLog = Preallocate,
        };
        long buckets = (long)BitOperations.RoundUpToPowerOf2((ulong)long.Max(64, objects / ObjectsPerBucket));
        return new FasterKV<long, SpanByte>(buckets, log, concurrencyControlMode: Control);
    }
}
