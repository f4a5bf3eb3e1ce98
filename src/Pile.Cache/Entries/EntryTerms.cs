// The terms of one entry as they are stored: the instants in ticks of UTC, the priority as a number.
// PileEntryOptions is what a caller says; the table's defaults and the clock make terms of it.
using Pile.Format;

namespace Pile.Cache.Entries;

/// <summary>Terms of an entry.</summary>
/// <param name="NowTicks">The time at which it is stored.</param>
/// <param name="ExpiresTicks">When it expires; <see cref="Never"/> for no such time.</param>
/// <param name="SlidingTicks">How long after its last use it expires; 0 for no such span.</param>
/// <param name="Priority">0 to 3.</param>
/// <param name="Note">What else is noted; null for nothing. With it the ends say when the entry goes, which may be after it is shown last.</param>
internal readonly record struct EntryTerms(long NowTicks, long ExpiresTicks, long SlidingTicks, int Priority, EntryNote? Note = null)
{
    /// <summary>No absolute expiry.</summary>
    internal const long Never = long.MaxValue;

    /// <summary>The first instant at which it may have expired, if it is not used.</summary>
    internal long EarliestEndTicks =>
        SlidingTicks == 0 ? ExpiresTicks : long.Min(ExpiresTicks, NowTicks > long.MaxValue - SlidingTicks ? Never : NowTicks + SlidingTicks);

    /// <summary>Whether it has ended already.</summary>
    internal bool HasEnded => ExpiresTicks <= NowTicks || (Note is not null && ExpiresTicks != Never && ExpiresTicks - Note.KeptTicks <= NowTicks);

    /// <summary>Whether there is no room for what is noted of its tags: it is not stored, as if there were none for itself.</summary>
    internal bool HasNoRoom => Note is { Stamp: EntryNote.NoRoom } && !HasEnded;

    /// <summary>Word A of the head of such an entry, without the version.</summary>
    internal ulong HeadA(int table, int keyBytes, RecordCode lane)
    {
        ulong flags = (ExpiresTicks != Never ? KeyedHead.ExpiresBit : 0) | (SlidingTicks != 0 ? KeyedHead.SlidesBit : 0) | (Note is not null ? KeyedHead.NotedBit : 0);
        return KeyedHead.A(KeyedHead.Owner(table, keyBytes), lane, Priority, flags, version: 0);
    }

    /// <summary>Bytes of the note behind the value.</summary>
    internal int TailBytes => Note?.TailBytes ?? 0;
}
