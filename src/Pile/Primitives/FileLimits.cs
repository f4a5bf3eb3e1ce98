// What is chosen about piles in files: how files grow and are flushed, checkpoints, what an open recovers and counts, verification,
// exports and imports. Each with its reason; what stands in the files, and how wide, is said in Format.
namespace Pile.Primitives;

/// <summary>Named limits of piles in files, and of their streams.</summary>
internal static class FileLimits
{
    /// <summary>Stripes of slots in a pile of files: many more than threads, in 64 KiB.</summary>
    internal const int SlotStripes = 1024;

    /// <summary>A table file grows by at most this ahead of need: each growth is a few system calls.</summary>
    internal const long TableAheadBytesMax = 4 << 20;

    /// <summary>The most that a pile leaves free on its device unless told otherwise: four extents, time enough to be noticed.</summary>
    internal const long DiskReserveBytesMax = 4L * Limits.ExtentBytes;

    /// <summary>Of a small device a twentieth, which file systems too keep for their root.</summary>
    internal const int DiskReserveFraction = 20;

    /// <summary>The least of a quota that stores take from, too: pages that are changed and not written yet, and what the file system writes of its own for them.</summary>
    internal const long QuotaReserveBytes = 64 << 20;

    /// <summary>Of a smaller quota than four times that a quarter.</summary>
    internal const int QuotaReserveFraction = 4;

    /// <summary>Sequence numbers of segments that meta grants at a time: each grant is a sync, each number a segment's worth of writing.</summary>
    internal const int SequencesGranted = 4096;

    /// <summary>Numbers of types that meta grants beyond those that are issued: each grant is a sync, and a killed process leaves the rest unused.</summary>
    internal const int TypeNumbersGranted = 15;

    /// <summary>Bytes of a segment in a file that are filled at once before they are used, and the most that the system keeps, and writes, together:
    /// more make stores cheaper, and have a small commit write more than it stored.</summary>
    internal const int FillBytes = 64 << 10;

    /// <summary>Flushes from one fill to the next from which on the next is done page by page: then a flush has a few pages, and writes no more.</summary>
    internal const int FlushesOfLittle = 4;

    /// <summary>Bytes of one segment from which on a flush takes their pages out of the page tables before its sync: for fewer the sync does it as fast.</summary>
    internal const int DetachBytesMin = 64 << 10;

    /// <summary>Bytes between two flushes for which one writer is enough: fewer, in more places, take longer to make durable than to write.</summary>
    internal const int FlushBytesOfOneWriter = 64 << 10;

    /// <summary>Flush numbers that meta grants at a time.</summary>
    internal const int FlushesGranted = 1 << 16;

    /// <summary>A PowerSafe pile flushes this often unless told otherwise.</summary>
    internal const int FlushIntervalMs = 1000;

    /// <summary>Bytes of a marker at the most: with more open segments than fit, no marker is written.</summary>
    internal const int MarkerBytesMax = 8 << 10;

    /// <summary>Bytes appended at the least before another checkpoint is taken: less is walked in a few hundredths of a second.</summary>
    internal const long CheckpointBytesMin = 64 << 20;

    /// <summary>A checkpoint is taken when this many times its own bytes were appended: it then adds a quarter to what is written.</summary>
    internal const int CheckpointTableFactor = 4;

    /// <summary>How often a scrub in the background takes its share of bytes.</summary>
    internal const int ScrubTickMs = 100;

    /// <summary>How often the system is asked whether it could write back what was stored.</summary>
    internal const int LookMs = 1000;

    /// <summary>Slots that a scrub looks at inside one epoch.</summary>
    internal const int ScrubSlots = 64;

    /// <summary>Bytes that a scrub on demand, or a warm-up, takes between two looks at its caller's wishes.</summary>
    internal const long ScrubStepBytes = 1 << 20;

    /// <summary>A pile of no more slots is counted before it is opened; a larger one in the background.</summary>
    internal const int RecountSlots = 4096;

    /// <summary>Slots whose records a recount asks for together.</summary>
    internal const uint RecountAhead = 64;

    /// <summary>Slots that one thread takes at once where many go through the whole table, and by which a recount says how far it is.</summary>
    internal const int TablePieceSlots = 1 << 16;

    /// <summary>Bytes that a verification notes at once and reads in one epoch: what was freed meanwhile waits for it.</summary>
    internal const long VerifyBatchBytes = 128 << 20;

    /// <summary>Bytes that a thread of a verification has to read to be worth its start.</summary>
    internal const long VerifyShareBytes = 1 << 20;

    /// <summary>Bytes that a verification reads while writers are held: read in less time than threads take to start.</summary>
    internal const long VerifyHeldBytes = 4 << 20;

    /// <summary>How often a verification reads what was written since it last did, before it holds the writers for the rest.</summary>
    internal const int VerifyRoundsMax = 4;

    /// <summary>Records that a crawl collects before it looks at the first of their entries: as many misses as a core waits for at once, and more.</summary>
    internal const int CrawlLookahead = 32;

    /// <summary>How far the short recovery looks for records behind what may be the end of the log; the crawl looks on to the segment's end.
    /// Records of segments are far shorter.</summary>
    internal const int LookBehindBytes = 1 << 20;

    /// <summary>How far ahead of the record that it checks a crawl asks for bytes: the processor does so by itself within an OS page alone.</summary>
    internal const int CrawlAheadBytes = 2 << 10;

    /// <summary>Bytes of segments that one core of a crawl takes at once: small beside what there is, large beside a page of the table.</summary>
    internal const int CrawlPieceBytes = 1 << 20;

    /// <summary>Damages of one open that are listed: more than anybody reads, and little beside what a file that was made for it could let it list.</summary>
    internal const int DamagesListedMax = 1000;

    /// <summary>Bytes of large objects' pages that one look of a crawl compares, over those of all extents. Current descriptors share no page, but for a
    /// ProcessSafe pile's after a power cut.</summary>
    internal const int CrawlRunsOverExtentsMax = 4;

    /// <summary>Walks of one crawl over everything, after which it keeps nothing large that was never flushed. Each cut before a large object without its pages lets versions
    /// of before count, which takes another walk; a few do for what a power cut leaves. Whoever made a log in which each cut brings the next wants it to take hours.</summary>
    internal const int CrawlWalksMax = 32;

    /// <summary>Bytes of items after which an export begins another block: large enough that frames cost nothing, small enough that a reader needs little memory.</summary>
    internal const int ExportBlockBytes = 256 << 10;

    /// <summary>Bytes that an export gives to its stream at once.</summary>
    internal const int ExportBufferBytes = 128 << 10;

    /// <summary>Slots that an export may leave out because no object was ever stored under them: what writers and batches held when it was made. More are taken for damage, so that a short stream can't ask for a long table.</summary>
    internal const uint ImportGapSlotsMax = 1 << 24;

    /// <summary>How many generations the slot of a lost record may have been ahead of every slot that was not lost, so that its pointers stay stale after the loss was accepted.</summary>
    internal const uint LostGenerationsMax = 1024;
}
