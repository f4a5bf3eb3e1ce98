// What is told of one entry to those who watch its table. Called with the lock of the entry's chain, after the change, so that the events of a key
// stand in the order of its changes. An entry that nobody is shown, because it says "no value" or a tag of it was removed, is not told of.
using System;
using System.Runtime.CompilerServices;
using Pile.Cache.Entries;
using Pile.Cache.Events;
using Pile.Format;

namespace Pile.Cache.Engine;

/// <summary>Events of the entries of one table. Thread-safe; inside an epoch, where the records are still in their places.</summary>
internal sealed class TableTeller<TFormat>(TableCore<TFormat> table)
    where TFormat : struct, IRecordFormat
{
    private readonly TableWatchers _watchers = table.Watchers;

    /// <summary>Tells that an entry was stored, if anybody watches.</summary>
    /// <param name="key">The key.</param>
    /// <param name="version">The entry's version.</param>
    /// <param name="terms">Its terms.</param>
    /// <param name="condition">Under which condition it was stored.</param>
    /// <param name="former">Where the record of the one stands whose place it took; 0 for none.</param>
    /// <param name="outcome">Whether that one had ended.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void TellStored(scoped ReadOnlySpan<byte> key, PileEntryVersion version, in EntryTerms terms, SetCondition condition, long former, PileSetOutcome outcome)
    {
        // Under the last of the conditions it is the entry that was there, shown for another time.
        if (_watchers.Ring is { } ring && condition != SetCondition.Kept)
        {
            Stored(ring, key, version, terms, former, outcome);
        }
    }

    /// <summary>Tells that an entry went, if anybody watches. One that has ended by now went because of that.</summary>
    /// <param name="why">Why it went.</param>
    /// <param name="location">Where its record stands.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void TellGone(PileEventKinds why, long location)
    {
        if (_watchers.Ring is { } ring)
        {
            Gone(ring, why, location);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Stored(EventRing ring, scoped ReadOnlySpan<byte> key, PileEntryVersion version, in EntryTerms terms, long former, PileSetOutcome outcome)
    {
        ring.EnterAnyhow();
        try
        {
            // Under the gate: a removal by tag that counts by now and is not told yet comes after this.
            bool isShown = terms.Note is not { } note || (note.Kind == NoteKind.Value && !IsRemoved(note));
            bool wasGood = outcome == PileSetOutcome.Replaced;
            if (former != 0 && !wasGood)
            {
                AddGone(ring, PileEventKinds.Expired, key, former);
            }

            if (isShown)
            {
                PileEntryVersion before = wasGood ? table.Reads.VersionOf(former, table.Lookup.HeadA(former)) : default;
                ring.AddLocked(wasGood ? PileEventKinds.Replaced : PileEventKinds.Inserted, version, before, key);
            }
            else if (wasGood)
            {
                AddGone(ring, PileEventKinds.Removed, key, former);
            }
        }
        finally
        {
            ring.Gate.Exit();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private void Gone(EventRing ring, PileEventKinds why, long location)
    {
        if (!table.Lookup.IsGood(location) || (TFormat.IsDurable && !table.Lookup.IsOfEra(location)))
        {
            // Damaged before the open: nobody was shown it, and whose it was is not known. Or cleared: that was told of all.
            return;
        }

        ulong a = table.Lookup.HeadA(location);
        ring.EnterAnyhow();
        try
        {
            bool hasEnded = why != PileEventKinds.Expired && KeyedHead.IsTimed(a) && table.Reads.HasEnded(location, a, table.Clock.Now);
            AddGone(ring, hasEnded ? PileEventKinds.Expired : why, table.Reads.KeyAt(location), location);
        }
        finally
        {
            ring.Gate.Exit();
        }
    }

    private void AddGone(EventRing ring, PileEventKinds why, scoped ReadOnlySpan<byte> key, long location)
    {
        ulong a = table.Lookup.HeadA(location);
        if ((a & KeyedHead.NotedBit) == 0 || !table.Notes.IsHidden(location, a))
        {
            ring.AddLocked(why, table.Reads.VersionOf(location, a), default, key);
        }
    }

    private bool IsRemoved(EntryNote note)
    {
        foreach (ulong tag in note.Tags)
        {
            if (table.Tags.IsRemoved(table.Id, tag, note.Stamp))
            {
                return true;
            }
        }

        return false;
    }
}
