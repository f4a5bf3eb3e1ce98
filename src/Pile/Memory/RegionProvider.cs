// The one seam to the operating system's memory calls. A provider maps, populates, gives back and unmaps;
// it keeps no account (MemoryBudget does) and no table of what it handed out (the callers do).
using System;

namespace Pile.Memory;

/// <summary>Source of regions. Implementations are thread-safe.</summary>
internal abstract class RegionProvider
{
    /// <summary>The provider for this operating system.</summary>
    internal static RegionProvider Default { get; } =
        OperatingSystem.IsLinux() ? new LinuxRegions() : new PortableRegions();

    /// <summary>Bytes of memory that this process may use: the container's limit, or the machine's memory.</summary>
    internal virtual long MachineMemoryBytes => GC.GetGCMemoryInfo().TotalAvailableMemoryBytes;

    /// <summary>Whether memory that is reserved and not touched costs nothing. Where the system charges for it, a pile reserves
    /// what its limit can use.</summary>
    internal abstract bool ReservesFreely { get; }

    /// <summary>Whether most of the address space of a process is reserved: then what is left is for the rest of the process first.</summary>
    internal virtual bool IsCrowded => false;

    /// <summary>Reserves zeroed memory that becomes resident as it is touched.</summary>
    /// <param name="bytes">Length, a multiple of the OS page.</param>
    /// <param name="alignmentBytes">Power of two, at least the OS page.</param>
    /// <param name="region">The region, or default.</param>
    /// <returns>False when the operating system refuses.</returns>
    internal abstract bool TryMap(long bytes, long alignmentBytes, out Region region);

    /// <summary>Reserves as <see cref="TryMap"/> does, for reading: what is to be stored into is opened before (<see cref="TryOpen"/>). For address space of which
    /// most is never used: a dump of what a process can write, or of what it has, leaves out what is not open.</summary>
    /// <param name="bytes">Length, a multiple of the OS page.</param>
    /// <param name="alignmentBytes">Power of two, at least the OS page.</param>
    /// <param name="region">The region, or default.</param>
    /// <returns>False when the operating system refuses.</returns>
    internal virtual bool TryReserve(long bytes, long alignmentBytes, out Region region) => TryMap(bytes, alignmentBytes, out region);

    /// <summary>Opens a stretch of what was reserved for storing: every page that holds some of it. Once open it stays so.</summary>
    /// <returns>False when the operating system refuses.</returns>
    internal virtual bool TryOpen(in Region region, long offset, long bytes) => true;

    /// <summary>Reserves as <see cref="TryReserve"/> does, beginning at an address below 2 GiB: one that fits into an instruction.</summary>
    /// <param name="bytes">Length, a multiple of the OS page.</param>
    /// <param name="region">The region, or default.</param>
    /// <returns>False when there is no room there, or the operating system can't be asked for it.</returns>
    internal virtual bool TryReserveLow(long bytes, out Region region)
    {
        region = default;
        return false;
    }

    /// <summary>Ends a region. Nobody may touch it from here on.</summary>
    internal abstract void Unmap(in Region region);

    /// <summary>Makes the pages of a stretch resident now instead of at first touch.</summary>
    /// <returns>False when the operating system refuses; the pages are then touched later, or never.</returns>
    internal abstract bool TryPopulate(in Region region, long offset, long bytes);

    /// <summary>Whether pages that never held anything are to be filled by <see cref="Fill"/> before they are stored into: where the system takes
    /// longer for each first store into one, and for writing what was stored so.</summary>
    internal virtual bool FillsBeforeUse => false;

    /// <summary>Fills a stretch that was allocated, and never stored into since, with zeros.</summary>
    internal virtual void Fill(in Region region, long offset, long bytes)
    {
    }

    /// <summary>Asks for huge pages under a stretch; a wish, without a result.</summary>
    internal abstract void PreferHugePages(in Region region, long offset, long bytes);

    /// <summary>Takes the wish of <see cref="PreferHugePages"/> back.</summary>
    internal virtual void AvoidHugePages(in Region region, long offset, long bytes)
    {
    }

    /// <summary>Returns the pages of a stretch to the operating system; the address space stays, its content is gone.</summary>
    /// <returns>False when the platform can't; the pages then stay resident.</returns>
    internal abstract bool TryGiveBack(in Region region, long offset, long bytes);

    /// <summary>What of an extent's space goes back to the device together.</summary>
    internal virtual SpaceBlocks Blocks => default;

    /// <summary>What the file of an extent takes on the device now; 0 where it stands in none.</summary>
    internal virtual long TakenBytes(in Region region) => 0;

    /// <summary>How far from the start of a huge page the flat space begins. What stands in a file begins as far from one as in the file:
    /// only then does the system map and protect its pages in runs, and a page that was written is stored into again at a tenth of the cost.</summary>
    internal virtual int ExtentSkewBytes => 0;

    /// <summary>The same for words that stand in a file.</summary>
    internal virtual int WordsSkewBytes => 0;

    /// <summary>Gives extents of a pile's flat space what they stand in, for storing: memory is opened; files are created and mapped.</summary>
    /// <param name="extent">Index of the first.</param>
    /// <param name="extents">How many.</param>
    /// <param name="segmentBytes">Size of their segments; 0 for large objects.</param>
    /// <param name="region">Where they lie.</param>
    /// <returns>False when the operating system refuses.</returns>
    internal virtual bool TryBack(int extent, int extents, int segmentBytes, in Region region) => true;

    /// <summary>Whether what <see cref="TryBack"/> refused last was address space, or a mapping; in memory there is nothing else.</summary>
    internal virtual bool LacksSpace => true;

    /// <summary>Whether a reserved stretch may be read before <see cref="TryAllocate"/>: memory may, a mapping beyond its file's end not.</summary>
    internal virtual bool ReadsBeyondAllocated => true;

    /// <summary>Whether the device would refuse again what it refused last.</summary>
    internal virtual bool IsLow => false;

    /// <summary>Whether a deletion may take so many bytes of what growth leaves free.</summary>
    internal virtual bool HasRoomToDelete(long bytes) => false;

    /// <summary>Makes sure that storing into a stretch can't fail for want of space; memory that was reserved can't.</summary>
    /// <param name="region">The region.</param>
    /// <param name="offset">First byte within it.</param>
    /// <param name="bytes">Length.</param>
    /// <param name="isForCleaner">Whether the cleaner asks, which needs space to give back more: what is kept in reserve is for it.</param>
    /// <returns>False when there is no space.</returns>
    internal virtual bool TryAllocate(in Region region, long offset, long bytes, bool isForCleaner = false) => true;

    /// <summary>The same for a stretch that has kept its space: nothing is taken.</summary>
    internal virtual bool TryAllocateKept(in Region region, long offset, long bytes) => TryAllocate(region, offset, bytes, isForCleaner: true);

    /// <summary>Notes that something was stored in an extent that the next flush must cover.</summary>
    internal virtual void MarkDirty(in Region region)
    {
    }

    /// <summary>Has a stretch that is about to be walked brought ahead of it, where it stands in a file that the system reads singly; returns before it is there.</summary>
    internal virtual void ReadAhead(in Region region, long offset, long bytes)
    {
    }

    /// <summary>Whether extents keep rows about their segments, for those who open the pile again.</summary>
    internal virtual bool KeepsSegmentRows => false;

    /// <summary>Stores a segment's row in its extent.</summary>
    internal virtual void WriteSegmentRow(in Region region, int index, ulong word)
    {
    }
}
