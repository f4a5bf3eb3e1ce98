// Every size, count and wait of the cache that is not an option, each with its reason.
// Layout widths live with their layouts; docs/LIMITS.md repeats what a user can meet.
namespace Pile.Cache;

/// <summary>Named limits of <c>src/Pile.Cache</c>.</summary>
internal static class CacheLimits
{
    /// <summary>Bytes of a key: with all that an entry can have beside it, it fits the smallest segment. Longer keys are no keys but
    /// values: hash them.</summary>
    internal const int KeyBytesMax = 15 << 10;

    /// <summary>Bytes of a key that are encoded on the stack; longer ones borrow an array.</summary>
    internal const int KeyBytesOnStack = 256;

    /// <summary>Chars of a table's name: it stands in messages, metrics and files.</summary>
    internal const int NameCharsMax = 256;

    /// <summary>Bytes of the list of durable tables: two copies of some hundred thousand rows, more than there can be mapped files.</summary>
    internal const int DurableListBytesMax = 64 << 20;

    /// <summary>Bytes of what a close has noted that are looked at together before all of it is read.</summary>
    internal const int FactsBytesTogether = 64 << 10;

    /// <summary>Tables that a cache makes while it is open: 24 bits of table id, none used twice. An open begins behind the highest that is there.</summary>
    internal const int TablesMax = (1 << 24) - 1;

    /// <summary>Words of a bucket: one cache line.</summary>
    internal const int BucketWords = 8;

    /// <summary>Cells of a bucket; its last word is lock, version and the next bucket.</summary>
    internal const int BucketCells = 7;

    /// <summary>Buckets of a new table: one OS page.</summary>
    internal const uint BucketsFirst = 64;

    /// <summary>Cells used of ten buckets before the table gets another one. With linear hashing the buckets that are still to be split
    /// are twice as full as the others: fuller on average, and they overflow.</summary>
    internal const int CellsPerTenBuckets = 44;

    /// <summary>Cells used of ten buckets below which buckets are merged: half of what is left after a split of all.</summary>
    internal const int CellsPerTenBucketsMin = 15;

    /// <summary>Of the address space of an index the part for buckets beyond the first of a chain.</summary>
    internal const int OverflowFraction = 4;

    /// <summary>Buckets of budget taken at once, at the least: an OS page.</summary>
    internal const uint BucketsTakenMin = 64;

    /// <summary>From this many buckets on, 8 MiB, memory is taken by huge pages.</summary>
    internal const uint BucketsHugeFirst = 1 << 17;

    /// <summary>Buckets of a huge page.</summary>
    internal const uint BucketsOfHugePage = 1 << 15;

    /// <summary>Buckets over which there is one checksum when a cache is closed: 256 KiB of them.</summary>
    internal const uint BucketsOfSum = 4096;

    /// <summary>New entries that a thread makes before it looks whether buckets are to be split: a look adds up all counts.</summary>
    internal const int EntriesBeforeGrowth = 16;

    /// <summary>Splits in one call at the most: a few microseconds.</summary>
    internal const int SplitsAtOnce = 32;

    /// <summary>Merges in one background step.</summary>
    internal const int MergesAtOnce = 1 << 14;

    /// <summary>Merges while a writer is held: some tens of microseconds.</summary>
    internal const int MergesTogether = 128;

    /// <summary>Index memory by which the limit, or the machine's memory, is divided for its address space: no entry needs a larger share.</summary>
    internal const int IndexFraction = 3;

    /// <summary>The most address space of one index: what a 32-bit index of words reaches.</summary>
    internal const long IndexBytesMax = 32L << 30;

    /// <summary>Stripes of a counter: cores, and some.</summary>
    internal const int Stripes = 64;

    /// <summary>Versions that a writer draws at once.</summary>
    internal const int VersionsDrawn = 1024;

    /// <summary>Segments that a full cache consists of, about: what writers and the cleaner hold apart of them caches nothing.</summary>
    internal const int SegmentsPerCache = 512;

    /// <summary>A pass of eviction ends when the large values that it has let go were this part of the limit. Where values are of mixed sizes few
    /// passes come to so much; one that ends early leaves a segment that is nearly empty.</summary>
    internal const int LargePassFraction = 32;

    /// <summary>Segments that a small cache consists of, at the least, as far as <see cref="SegmentBytesMin"/> allows.</summary>
    internal const int SegmentsPerCacheMin = 96;

    /// <summary>Smallest segment of a cache in memory: four OS pages, of which a cache of 1 MiB still has sixty-four.</summary>
    internal const int SegmentBytesMin = 16 << 10;

    /// <summary>Tenths of the cached bytes that new entries may hold before the oldest of them are judged; S3-FIFO's small queue.</summary>
    internal const int ProbationTenths = 1;

    /// <summary>Visits that keep a new entry when it is judged: more than one, as in S3-FIFO (decision 84).</summary>
    internal const int VisitsToStay = 2;

    /// <summary>Passes that evicted nothing before one counts a visit less than there were.</summary>
    internal const int PassesBeforeStricter = 2;

    /// <summary>Entries that such passes have met by then, at the least: a segment of large records has few.</summary>
    internal const int RecordsBeforeStricter = 32;

    /// <summary>Buckets looked at for the least worthy entry of a table that is over its own limit.</summary>
    internal const int BucketsLookedAt = 8;

    /// <summary>Buckets looked through for an entry of the lowest priority before any will do.</summary>
    internal const int BucketsSearched = 4096;

    /// <summary>The same where fewer entries of it are there than one in so many buckets: each search would be long, for one that is mostly not met.</summary>
    internal const int BucketsSearchedForRare = 64;

    /// <summary>Buckets in which a large value to evict is looked for, at most, in one go.</summary>
    internal const uint BucketsSearchedForLarge = 1024;

    /// <summary>Records looked at together: enough to hide a miss, few enough for the stack.</summary>
    internal const int Together = 16;

    /// <summary>Buckets that a walk over a table looks at inside one epoch.</summary>
    internal const uint BucketsWalked = 64;

    /// <summary>Buckets whose entries an enumeration copies at once: a few dozen entries.</summary>
    internal const uint BucketsListed = 8;

    /// <summary>What a vain look for the room of a clear that was left took, this often, is the time until the keeper's next.</summary>
    internal const int LeftClearRests = 16;

    /// <summary>The part of the bytes of a segment's entries with an end, a quarter, that may have ended before it is walked again.</summary>
    internal const int SweepFraction = 4;

    /// <summary>The shortest time between two such walks.</summary>
    internal const long SweepTicksMin = 2_500_000;

    /// <summary>The shortest time between two such walks for a call that finds no room, however little has ended: 10 s. Each takes such a call what it takes to look at all entries.</summary>
    internal const long RoomSweepTicksMin = 100_000_000;

    /// <summary>How long an entry has ended at the most before a watch of its table is told, but for what the walks take: a minute.</summary>
    internal const long ToldTicksMax = 600_000_000;

    /// <summary>Entries for which two ghosts are kept at the least; at the most it is twice as many ghosts.</summary>
    internal const int EntriesOfTwoGhosts = 3;

    /// <summary>Tags of an entry: six bits count them, and each is looked up on each read of the entry.</summary>
    internal const int TagsMax = 32;

    /// <summary>Bytes of a tag in UTF-8: as many as of a key, in whose place the event of its removal has it. Longer ones are better hashed.</summary>
    internal const int TagBytesMax = KeyBytesMax;

    /// <summary>Tags whose removals are kept one by one: 4 MiB of memory, about.</summary>
    internal const int TagStampsMax = 1 << 16;

    /// <summary>The least of them, in a cache with little memory.</summary>
    internal const int TagStampsMin = 64;

    /// <summary>Bytes of the memory limit for each of them: in files their entries are never evicted, and are to be a small part.</summary>
    internal const int BytesOfTagStamp = 1024;

    /// <summary>Bits by which segments' numbers are more than stamps': no segment holds more removals, so that an open's are greater than
    /// all of before.</summary>
    internal const int StampsOfSegmentBits = 18;

    /// <summary>Bytes that the removal of a tag takes, about: a node of a dictionary and its place in it.</summary>
    internal const int TagStampBytes = 64;

    /// <summary>Bytes that the entries which go by the removal of a tag must have had for its note to take the room of deletions: several times those of the note, of the entry that
    /// counts the notes, and of what the entries' own deletions leave, as for a deletion. A full pile could not be deleted from any more otherwise.</summary>
    internal const int TagNoteFreedBytesMin = 1024;

    /// <summary>Bytes that the count of a shared object takes, about: a row of a dictionary, which doubles when it is full.</summary>
    internal const int SharedObjectBytes = 96;

    /// <summary>Bytes of the budget that are taken for such counts at once: a few dozen of them.</summary>
    internal const int SharedBytesTogether = 4096;

    /// <summary>The shortest time between two walks over all entries with notes for what removals by tag have ended: 10 s.</summary>
    internal const long TagSweepTicksMin = 100_000_000;

    /// <summary>Ticks for which an entry is kept past its end, at the most: all that dates reach. With an end that a date can be, the sum stays
    /// below what stands for never, and the entry has an end.</summary>
    internal const long KeptTicksMax = 3_155_378_975_999_999_999;

    /// <summary>Chars of a failure that is remembered.</summary>
    internal const int FailureCharsMax = 1000;

    /// <summary>Chars of a key that stand in a message.</summary>
    internal const int KeyCharsShown = 100;

    /// <summary>Bytes of events that a table keeps for those who watch it: some 30,000 with keys of 12 bytes.</summary>
    internal const int EventBytes = 1 << 20;

    /// <summary>The least of them: a few of the longest keys.</summary>
    internal const int EventBytesMin = 1 << 16;

    /// <summary>The most of them: one array.</summary>
    internal const int EventBytesMax = 1 << 30;

    /// <summary>Events that a reader who goes on from a place passes under the lock of those who add: some microseconds.</summary>
    internal const int EventsPassed = 256;

    /// <summary>Ghosts of a line; 8 words.</summary>
    internal const int GhostsOfLine = 16;
}
