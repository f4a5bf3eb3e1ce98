// Every size, count and wait of the pile that is not an option, each with its reason.
// Layout widths live in Format; this file holds the quantities that policy was free to choose.
namespace Pile.Primitives;

/// <summary>Named limits of <c>src/Pile</c>. docs/LIMITS.md repeats those a user can meet.</summary>
internal static class Limits
{
    /// <summary>Records, entries and locations are multiples of this: one atomic word.</summary>
    internal const int WordBytes = 8;

    /// <summary>Granularity of an OS page that the accounting assumes; with larger real pages it counts less than what is resident, and what is
    /// given back is given back by whole real pages.</summary>
    internal const int OsPageBytes = 4096;

    /// <summary>A transparent huge page on the platforms that have one; regions of this size are worth one TLB entry.</summary>
    internal const int HugePageBytes = 2 << 20;

    /// <summary>Threads alive at once that use piles: address space of 8 MiB, resident as threads come.</summary>
    internal const int ThreadsMax = 1 << 16;

    /// <summary>Threads that end before the line of one that has ended is given away again, while there are others: 128 KiB of lines that rest, in a
    /// program that makes threads without end, against a thread that stops between two instructions of its first look from a page.</summary>
    internal const int LinesResting = 1024;

    /// <summary>28 bits of payload length in the record word.</summary>
    internal const int PayloadBytesMax = (1 << 28) - 1;

    /// <summary>Flat space reserved, as a multiple of the larger of memory limit and machine: room for a limit raised later and
    /// for large objects that leave holes. Address space only.</summary>
    internal const int FlatSpaceFactor = 2;

    /// <summary>The unit in which flat space is handed out: one row of the extent map.</summary>
    internal const int ExtentBytes = 64 << 20;

    /// <summary>log2 of <see cref="ExtentBytes"/> in words: a location shifted by it is an extent index.</summary>
    internal const int ExtentShiftWords = 23;

    /// <summary>What 39 bits of location in words reach, less the extent that is never used.</summary>
    internal const long FlatSpaceBytesMax = (4L << 40) - ExtentBytes;

    /// <summary>39 bits of location in words reach 4 TiB, which is this many extents.</summary>
    internal const int ExtentsMax = 1 << (39 - ExtentShiftWords);

    /// <summary>Smallest segment: an empty pile stays small, and a large object begins at a quarter of it.</summary>
    internal const int SegmentBytesMin = 64 << 10;

    /// <summary>Largest segment: beyond it a roll is already too rare to matter and a victim too long to move.</summary>
    internal const int SegmentBytesMax = 16 << 20;

    /// <summary>A new extent is cut into segments of about this fraction of what the pile already holds,
    /// so that open, reserved and free segments together stay a few percent of it.</summary>
    internal const int SegmentsPerPile = 128;

    /// <summary>Segment descriptors made at once: a pile with one object pays for these.</summary>
    internal const int SegmentsAddedAtOnce = 16;

    /// <summary>A payload above SegmentBytesMin over this is a large object: sealing a segment then wastes at most a quarter.</summary>
    internal const int LargeObjectFraction = 4;

    /// <summary>Slot 0 is never used, so that the all-zero pointer is never valid.</summary>
    internal const uint FirstSlot = 1;

    /// <summary>4,294,967,294 objects: 32 bits of slot less slot 0 and one for a count that fits.</summary>
    internal const uint SlotsMax = uint.MaxValue - 1;

    /// <summary>Words of a table that has an entry for every number a pointer may have for its slot: no slot is beyond it.</summary>
    internal const long TableWordsWhole = 1L << 32;

    /// <summary>Its bytes of address space: 32 GiB.</summary>
    internal const long TableBytesWhole = TableWordsWhole * WordBytes;

    /// <summary>Stripes of slots in a pile of files: many more than threads, in 64 KiB.</summary>
    internal const int SlotStripes = 1024;

    /// <summary>Slots of 2 MiB of entries, one huge page.</summary>
    internal const int TableGranuleSlots = HugePageBytes / WordBytes;

    /// <summary>From this many slots on the table asks for huge pages; before, their rounding would show in bytes per object.</summary>
    internal const int TableHugeSlotsFirst = 4 * TableGranuleSlots;

    /// <summary>A table file grows by at most this ahead of need: each growth is a few system calls.</summary>
    internal const long TableAheadBytesMax = 4 << 20;

    /// <summary>The most that a pile leaves free on its device unless told otherwise: four extents, time enough to be noticed.</summary>
    internal const long DiskReserveBytesMax = 4L * ExtentBytes;

    /// <summary>Of a small device a twentieth, which file systems too keep for their root.</summary>
    internal const int DiskReserveFraction = 20;

    /// <summary>Sequence numbers of segments that meta grants at a time: each grant is a sync, each number a segment's worth of writing.</summary>
    internal const int SequencesGranted = 4096;

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

    /// <summary>Bytes of a marker at the most: with more open segments than fit, no marker is written.</summary>
    internal const int MarkerBytesMax = 8 << 10;

    /// <summary>Bytes appended at the least before another checkpoint is taken: less is walked in a few hundredths of a second.</summary>
    internal const long CheckpointBytesMin = 64 << 20;

    /// <summary>A checkpoint is taken when this many times its own bytes were appended: it then adds a quarter to what is written.</summary>
    internal const int CheckpointTableFactor = 4;

    /// <summary>How often a scrub in the background takes its share of bytes.</summary>
    internal const int ScrubTickMs = 100;

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

    /// <summary>Slots of a table page, the unit of accounting, of free-slot counts and of giving back: 32 KiB of entries.</summary>
    internal const int TablePageSlots = 4096;

    /// <summary>Free slots a writer keeps to itself: enough to prefetch and to amortise the pool's lock.</summary>
    internal const int SlotRingSlots = 512;

    /// <summary>How many slots ahead of its use an entry is prefetched: about as many Puts as a cache miss lasts.</summary>
    internal const int SlotsAhead = 8;

    /// <summary>Runs of 64 slots a writer takes at once: the pool's lock and what it guards come from another core once in a thousand Puts,
    /// and two writers seldom share a cache line of the table.</summary>
    internal const int SlotRunsMax = 16;

    /// <summary>The part of the free slots that a writer takes at once at the most, so that a small table has some for each; of fresh ones no
    /// larger part of those issued, so that it stays small.</summary>
    internal const int SlotRunsShare = 16;

    /// <summary>Locks in a row by one thread after which a writer becomes its own; four times as many after each time that a
    /// competing writer took it away, so that threads that take turns are left with the lock.</summary>
    internal const int StreakToOwnMin = 4;

    /// <summary>The most that <see cref="StreakToOwnMin"/> grows to.</summary>
    internal const int StreakToOwnMax = 1 << 20;

    /// <summary>Segments that only the cleaner may take, so that it can always move survivors before it frees anything.</summary>
    internal const int CleanerReserveSegments = 3;

    /// <summary>Victims of one pass at the most: bounds the time a helping writer spends for others.</summary>
    internal const int CleanerVictimsMax = 8;

    /// <summary>Records whose entries the cleaner prefetches before it looks at the first of them.</summary>
    internal const int CleanerLookahead = 32;

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

    /// <summary>A segment fuller than this is not worth moving; above it in total, Put answers Full.</summary>
    internal const double UtilisationMax = 0.95;

    /// <summary>For a deletion that finds no room in the log a segment that is nearly full is worth moving too: so the time of one is bounded, and so is a pile
    /// from which nothing could be deleted any more.</summary>
    internal const double DeletingUtilisationMax = 0.998;

    /// <summary>Where records may be evicted instead, a segment fuller than this is not worth moving: four bytes copied for one gained
    /// cost more than the entries are worth.</summary>
    internal const double EvictingUtilisationMax = 0.80;

    /// <summary>Compact, asked for by the caller, moves segments that are nearly full too.</summary>
    internal const double CompactUtilisationMax = 0.99;

    /// <summary>Smallest ratio of resident to live segment bytes that may be asked for: below, cleaning never ends.</summary>
    internal const double UsedOverLiveMin = 1.05;

    /// <summary>Largest ratio that may be asked for: above, the cleaner is as good as off.</summary>
    internal const double UsedOverLiveMax = 16;

    /// <summary>Ratio of segment to live bytes below which no writer is made to clean, however much the table has too much.</summary>
    internal const double UsedOverLiveAffordable = 1.06;

    /// <summary>Ratio of segment to live bytes to which the keeper cleans, while something is written, to make up for a table that has too much: ten bytes are moved
    /// for one gained.</summary>
    internal const double UsedOverLiveHeld = 1.11;

    /// <summary>Default ratio of resident to live bytes: memory within a fifth of what lives, at about three bytes moved a byte written.</summary>
    internal const double UsedOverLiveDefault = 1.20;

    /// <summary>Ratio to which the background thread compacts when nothing is being written.</summary>
    internal const double UsedOverLiveIdle = 1.04;

    /// <summary>Flushes that one Compact asks for, where reuse waits for flushes: two free what it copied, a few more what was behind.</summary>
    internal const int CompactFlushesMax = 8;

    /// <summary>Free segments kept for writers beyond one each, before memory goes back to the OS.</summary>
    internal const int FreeSegmentsKept = 2;

    /// <summary>A growing pile has the next segment made ready when this part of a writer's is left.</summary>
    internal const int SegmentEndFraction = 4;

    /// <summary>A call waits this long for readers that hold back reclamation before it answers Full.</summary>
    internal const int ReclaimWaitMs = 2000;

    /// <summary>A writer without room for a large object lets at least this part of the limit go at once: where it waits for a flush then, the next few
    /// writers need not.</summary>
    internal const int LargeEvictedFraction = 64;

    /// <summary>The part of a cache's limit that is evicted ahead of its writers at the most, where they would wait for flushes otherwise.</summary>
    internal const int FlushLeadFraction = 32;

    /// <summary>The part by which that shrinks with each flush for which no writer had to wait.</summary>
    internal const int FlushLeadDecay = 32;

    /// <summary>A writer without room waits this long for readers before it grows the pile beyond its ratio.</summary>
    internal const int ReadersWaitMs = 2;

    /// <summary>A call that finds budget this often and still no room lacks something else, and goes on as one that lacks all.</summary>
    internal const int BudgetTriesMax = 16;

    /// <summary>Passes without more room than before after which a caller stops cleaning: the segments are as full as they get.</summary>
    internal const int VainPassesMax = 8;

    /// <summary>The background thread looks around this often while there is something to settle.</summary>
    internal const int KeeperTickMs = 50;

    /// <summary>When nothing is left to settle it looks around this often: deletions alone wake nobody.</summary>
    internal const int KeeperIdleTickMs = 500;

    /// <summary>A pile that has taken fewer segments than this has no background thread.</summary>
    internal const int KeeperStartsAtTakes = 4;

    /// <summary>Ticks without a roll after which memory beyond the reserve goes back to the OS (a refill right after
    /// Clear should find its memory still there).</summary>
    internal const int KeeperQuietTicks = 60;

    /// <summary>Time over the ratio after which free segments go back to the OS although writing goes on. Who deletes and then puts as much
    /// should find its memory still there: what went back comes again a page fault at a time.</summary>
    internal const int KeeperOverMs = 5000;

    /// <summary>Segments the background thread compacts or gives back per tick when idle: a bounded share of one core.</summary>
    internal const int KeeperSegmentsPerTick = 16;

    /// <summary>A PowerSafe pile flushes this often unless told otherwise.</summary>
    internal const int FlushIntervalMs = 1000;

    /// <summary>Dispose waits this long for leases and pins unless told otherwise.</summary>
    internal const int DisposeWaitMs = 5000;

    /// <summary>Pointers looked at together by LeaseMany and GetMany: enough to hide a miss, few enough for the stack.</summary>
    internal const int BatchPointers = 16;

    /// <summary>Slots that an enumeration reads under one pin.</summary>
    internal const int EnumerationSlots = 64;

    /// <summary>Piles alive at once in a process: 15 bits of the epoch word, less none and several.</summary>
    internal const int PilesMax = 32_766;

    /// <summary>Smallest memory limit: the first table page, one segment for each of a few writers, the cleaner's reserve.</summary>
    internal const long MemoryLimitMin = 1 << 20;

    /// <summary>Bytes of a root's name in UTF-8.</summary>
    internal const int RootNameBytesMax = 1024;

    /// <summary>Buffer writers kept per pile for their next use.</summary>
    internal const int PooledObjectsMax = 64;

    /// <summary>Bytes of replaced large objects that gather before they are reclaimed, where the limit is not small.</summary>
    internal const int LargeRetiredBytesMax = 4 << 20;

    /// <summary>Freed pages of large objects kept resident, however small the limit: whoever lacks memory takes them.</summary>
    internal const int LargeFreeBytesMin = 1 << 20;

    /// <summary>Replaced large objects may wait for readers up to this fraction of the limit without anyone's waiting with them.</summary>
    internal const int LargeRetiredFraction = 64;

    /// <summary>Bytes of replaced large objects that may wait for readers, however small the limit, before a writer waits with them, for
    /// <see cref="ReadersWaitMs"/> at a time: readers that were preempted need a turn, and a writer fills memory fast.</summary>
    internal const int LargeRetiredBytesPatient = 8 << 20;

    /// <summary>Freed pages of large objects kept resident, as a fraction of what large objects hold.</summary>
    internal const int LargeReserveFraction = 16;

    /// <summary>First size of a thread's staging buffer: most objects fit, and it never grows in small steps.</summary>
    internal const int StagingBytesFirst = 1024;

    /// <summary>A staging buffer above this goes back to the shared pool after each use.</summary>
    internal const int StagingBytesKept = 1 << 20;

    /// <summary>Levels of MessagePack nesting in anything the codec writes or reads: common readers refuse 500, careful ones 100.</summary>
    internal const int NestingMax = 64;

    /// <summary>Objects that were gone over and are read inside each other, each with a nesting of its own: some hundred kilobytes of stack.</summary>
    internal const int SkippedNestingMax = 8;

    /// <summary>Levels left below the cap for values that must stand where they are: a text or a name inside its own array.</summary>
    internal const int NestingReserve = 2;

    /// <summary>Levels left below the cap when a graph is written once more, because something that must stand where it is did not fit: what holds it is
    /// put off sooner. The rest is enough for whatever can be put off.</summary>
    internal const int NestingSpare = 40;

    /// <summary>Strings of fewer chars are written again instead of referred to: a reference costs about as much.</summary>
    internal const int TrackedStringChars = 64;

    /// <summary>Objects of a graph that are looked up in a row; beyond, by their hash code, which costs more to make.</summary>
    internal const int IdentitiesInRow = 32;

    /// <summary>Collections during one graph after which objects are found by hash codes: building the table anew each time would
    /// cost more.</summary>
    internal const int IdentityRebuildsMax = 8;

    /// <summary>By how much an identity map grows at once where the graph before was large: it need not be built anew as often, and
    /// a small graph pays little for room that it does not use.</summary>
    internal const int IdentityGrowthMax = 16;

    /// <summary>The largest Order of a contract's member: places without a member take a byte each in every object.</summary>
    internal const int ContractOrderMax = 1023;

    /// <summary>Entries that an identity map keeps for the next graph; larger ones are given to the collector.</summary>
    internal const int IdentitiesKept = 1 << 17;

    /// <summary>Uses of a type by reflection before its plan is compiled in the background.</summary>
    internal const int UsesBeforeCompiling = 32;

    /// <summary>Primitive arrays of this many elements and more are written as one block of bytes.</summary>
    internal const int BlockElementsMin = 64;

    /// <summary>What reading may allocate, as a multiple of the stored bytes: more than honest graphs need, as ReadCost counts them.</summary>
    internal const int ReadExpansionMax = 64;

    /// <summary>What reading may allocate besides, for small payloads.</summary>
    internal const int ReadAllowanceBytes = 64 << 10;

    /// <summary>Versions of types in one pile: numbers beyond are taken for damage, so that they ask for no memory.</summary>
    internal const int TypeVersionsMax = 1 << 20;

    /// <summary>Bytes of one schema record at the most: below the smallest large object, so that schemas need no pages.</summary>
    internal const int SchemaPartBytes = 8 << 10;

    /// <summary>Bytes of items after which an export begins another block: large enough that frames cost nothing, small enough that a reader needs little memory.</summary>
    internal const int ExportBlockBytes = 256 << 10;

    /// <summary>Events that wait to be written to who listens slowly; further ones are left out, and the counters have them.</summary>
    internal const int EventsWaitingMax = 1024;

    /// <summary>Bytes that an export gives to its stream at once.</summary>
    internal const int ExportBufferBytes = 128 << 10;

    /// <summary>Slots that an export may leave out because no object was ever stored under them: what writers and batches held when it was made. More are taken for damage, so that a short stream can't ask for a long table.</summary>
    internal const uint ImportGapSlotsMax = 1 << 24;

    /// <summary>How many generations the slot of a lost record may have been ahead of every slot that was not lost, so that its pointers stay stale after the loss was accepted.</summary>
    internal const uint LostGenerationsMax = 1024;
}
