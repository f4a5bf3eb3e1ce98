// A snapshot of a pile's counts. Each figure is exact when nobody writes; taken under load they are of slightly
// different moments.
using System;

namespace Pile;

/// <summary>Counts of a pile at a moment. Bytes unless named otherwise.</summary>
public sealed record PileStatistics
{
    /// <summary>Whether everything is counted. After a large pile of files was opened, a recount in the background is still on its
    /// way: until then objects and live bytes of before the open are missing or estimated, and nothing of them is cleaned.</summary>
    public bool IsCounted { get; init; } = true;

    /// <summary>Objects alive.</summary>
    public required long Objects { get; init; }

    /// <summary>Bytes of live records in segments, headers and padding included; large objects count their descriptors here.</summary>
    public required long LiveBytes { get; init; }

    /// <summary>Bytes of segments that are resident, whatever stands in them.</summary>
    public required long SegmentBytes { get; init; }

    /// <summary>Of these, bytes of free segments.</summary>
    public required long FreeSegmentBytes { get; init; }

    /// <summary>Segments that wait for readers, pins or a flush before they can be reused.</summary>
    public required int RetiredSegments { get; init; }

    /// <summary>Of these, segments that pins hold.</summary>
    public required int PinnedSegments { get; init; }

    /// <summary>Segments taken out of use because their counts or bytes were not what they should be; 0 unless there is a defect.</summary>
    public required int QuarantinedSegments { get; init; }

    /// <summary>Bytes of the object table and its bitmap of free slots.</summary>
    public required long TableBytes { get; init; }

    /// <summary>Slots ever issued.</summary>
    public required long SlotsIssued { get; init; }

    /// <summary>Slots whose generations are used up, never issued again.</summary>
    public required long SlotsRetired { get; init; }

    /// <summary>Large objects alive or waiting to be freed.</summary>
    public required long LargeObjects { get; init; }

    /// <summary>Bytes of their page runs.</summary>
    public required long LargeBytes { get; init; }

    /// <summary>Everything counted against the limit.</summary>
    public required long UsedBytes { get; init; }

    /// <summary>The most that <see cref="UsedBytes"/> ever was.</summary>
    public required long PeakUsedBytes { get; init; }

    /// <summary>The limit.</summary>
    public required long MemoryLimitBytes { get; init; }

    /// <summary>Of a pile in files: bytes free on the device, those that <see cref="PileOptions.DiskReserveBytes"/> keeps included; null in
    /// memory, or when the system does not say.</summary>
    public long? DiskFreeBytes { get; init; }

    /// <summary>Of a pile in files: whether less than <see cref="PileOptions.DiskReserveBytes"/> is free on the device, or would be if the
    /// pile grew: it does not grow until space is freed.</summary>
    public bool IsDiskLow { get; init; }

    /// <summary>Of a pile in files: why it takes no writes until it is closed and opened again; null while it does.</summary>
    public PilePoisonedException? Failure { get; init; }

    /// <summary>Of a pile in files: entries of its table that were found to be damaged. Above 0 nothing of before the open is cleaned, and
    /// the next open builds the table anew.</summary>
    public long TableDamages { get; init; }

    /// <summary>Passes of the cleaner.</summary>
    public required long CleanerPasses { get; init; }

    /// <summary>Records it moved.</summary>
    public required long CleanerMovedRecords { get; init; }

    /// <summary>Bytes it moved.</summary>
    public required long CleanerMovedBytes { get; init; }

    /// <summary>Bytes of records ever appended, those that the cleaner moved included.</summary>
    public required long AppendedBytes { get; init; }

    /// <summary>Calls that found no room at first and cleaned or waited.</summary>
    public required long RoomWaits { get; init; }

    /// <summary>Calls answered Full.</summary>
    public required long Refusals { get; init; }

    /// <summary>Threads inside a lease or a call.</summary>
    public required int ThreadsInside { get; init; }

    /// <summary>The longest known stay of a thread from before the present epoch; a lower bound.</summary>
    public required TimeSpan OldestStay { get; init; }

    /// <summary>Objects found to be corrupted since the pile was opened; 0 for a pile in memory, which has no checksums.</summary>
    public required long CorruptedObjects { get; init; }

    /// <summary>Pins held.</summary>
    public required int Pins { get; init; }
}
