// What a durable table in files knows beside its index: its era, and the last number of its entries. Shared by the objects that stand
// for the table one after the other (TableBase).
using System.Threading;
using Pile.Format;

namespace Pile.Cache.Index;

/// <summary>State of a table whose cells hold slots. Thread-safe.</summary>
internal sealed class SlotState
{
    private long _version;
    private int _era;
    private bool _hasLost;

    /// <summary>The table's era: entries of another one were cleared, and are not shown.</summary>
    internal int Era
    {
        get => Volatile.Read(ref _era);
        set => Volatile.Write(ref _era, value);
    }

    /// <summary>The last number that was drawn.</summary>
    internal long Version => Volatile.Read(ref _version);

    /// <summary>Whether two entries may have one key, which only the table's comparer can tell.</summary>
    internal bool HasUndecided { get; set; }

    /// <summary>Whether a cell led to an object that the object table has lost, and that may be there again with the next open.</summary>
    internal bool HasLost => Volatile.Read(ref _hasLost);

    /// <summary>Whether entries may take the room of deletions, because more was freed for them. Of a table of the cache's own, whose one writer sets it.</summary>
    internal bool TakesDeletionRoom { get; set; }

    /// <summary>Held by the one who clears.</summary>
    internal Lock Clearing { get; } = new();

    /// <summary>Draws a number: under the lock of the key's chain, so that of two entries of one key the later has the greater, as long
    /// as the numbers of <see cref="KeyedHead.VersionMask"/> have not begun anew in between.</summary>
    internal ulong NextVersion() => (ulong)Interlocked.Increment(ref _version) & KeyedHead.VersionMask;

    /// <summary>Notes such a cell.</summary>
    internal void NoteLost() => Volatile.Write(ref _hasLost, true);

    /// <summary>Goes on behind a number that was drawn.</summary>
    internal void GoOnBehind(long version)
    {
        long seen = Volatile.Read(ref _version);
        while (version > seen && Interlocked.CompareExchange(ref _version, version, seen) is var found && found != seen)
        {
            seen = found;
        }
    }
}
