// The sizes, counts and waits of the pile that are not options, each with its reason: addresses, segments, slots, writers, threads, calls.
// Layout widths live in Format; what policy was free to choose of room, of files and of codecs lives in RoomLimits, FileLimits and CodecLimits.
namespace Pile.Primitives;

/// <summary>Named limits of <c>src/Pile</c>. docs/LIMITS.md repeats those of all four classes that a user can meet.</summary>
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

    /// <summary>Flat space reserved, as a multiple of the memory limit, where it costs nothing: a stretch of it is of one kind for good, of segments or of large objects up to so many
    /// extents, and sizes may change over a pile's life.</summary>
    internal const int FlatSpaceKinds = 8;

    /// <summary>The most that is reserved for that: a thousand piles of a process share the 128 TiB that it has.</summary>
    internal const long FlatSpaceKindsBytesMax = 32L << 30;

    /// <summary>The least that is reserved for a pile in files: its limit may be raised, and a thousand such piles of a process share its address space.</summary>
    internal const long FlatSpaceFilesBytes = 64L << 30;

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

    /// <summary>Address space that a reservation leaves to the process, where it does not ask for less itself: stacks, libraries and compiled code come later.</summary>
    internal const long AddressRestBytes = 4L << 30;

    /// <summary>A process that has so much address space reserved, of 128 TiB, leaves <see cref="AddressRestBytes"/> to others whatever it asks for.</summary>
    internal const long AddressCrowdedBytes = 64L << 40;

    /// <summary>Slots of 2 MiB of entries, one huge page.</summary>
    internal const int TableGranuleSlots = HugePageBytes / WordBytes;

    /// <summary>From this many slots on the table asks for huge pages; before, their rounding would show in bytes per object.</summary>
    internal const int TableHugeSlotsFirst = 4 * TableGranuleSlots;

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

    /// <summary>First size of a thread's staging buffer: most objects fit, and it never grows in small steps.</summary>
    internal const int StagingBytesFirst = 1024;

    /// <summary>Events that wait to be written to who listens slowly; further ones are left out, and the counters have them.</summary>
    internal const int EventsWaitingMax = 1024;
}
