// What the notes of entries mean: until when an entry is shown and until when it is kept, whether a tag of it was removed, and what stands
// there in place of a value. Entries without a note never come here.
using System;
using System.Buffers;
using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using Pile.Cache.Entries;
using Pile.Cache.Index;
using Pile.Cache.Tags;
using Pile.Epochs;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Cache.Engine;

/// <summary>Entries with notes of one table. Thread-safe; where a location is given, inside an epoch.</summary>
internal sealed class TableNotes<TFormat>(TableCore<TFormat> table)
    where TFormat : struct, IRecordFormat
{
    private readonly FlatSpace _space = table.Space;
    private readonly TableLookup<TFormat> _lookup = table.Lookup;
    private readonly TagStamps _tags = table.Tags;

    /// <summary>Bytes behind the value of the entry at a location.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal int TailBytesAt(long location, ulong a) => (a & KeyedHead.NotedBit) == 0 ? 0 : NoteWord.Tags(_space.ReadWord(NoteOf(location, a))) * KeyedHead.TagBytes;

    /// <summary>When the entry at a location, which has a note, ends and is shown no more; 0 for one that never is.</summary>
    internal long EndOf(long location, ulong a)
    {
        if (IsHidden(location, a))
        {
            return 0;
        }

        long term = table.Reads.TermOf(location, a);
        return term == EntryTerms.Never ? term : term - KeptOf(location, a);
    }

    /// <summary>When the entry at a location, which has a note, goes; 0 where a tag of it was removed.</summary>
    internal long GoesAt(long location, ulong a) => IsRemoved(location, a) ? 0 : table.Reads.TermOf(location, a);

    /// <summary>Whether the entry at a location, which has a note, is nobody's to see at any time: it is no value, or a tag of it was removed.</summary>
    internal bool IsHidden(long location, ulong a) => NoteWord.Kind(_space.ReadWord(NoteOf(location, a))) != (byte)NoteKind.Value || IsRemoved(location, a);

    /// <summary>Leases the value of an entry that has not gone, whether or not it is shown: on true the calling thread is inside the epoch until
    /// the lease is disposed. Counts as no use.</summary>
    internal bool TryLease(scoped EntryKey key, out PileLease lease, out KeptEntry kept)
    {
        EpochLine line = EpochLine.Current;
        long held = line.BeginLease(table.Cache.Core.Epochs.IdWord);
        long before = 0;
        while (true)
        {
            if (table.Reads.IsEnded)
            {
                EpochLine.EndLease(line.Place, held);
                table.ThrowEnded();
            }

            long now = table.Clock.Now;
            FoundEntry found = ComparedFinds.Find(_lookup, line, held, key);
            long location = CellWord.Location(found.Cell);
            ulong a = found.IsThere ? _lookup.HeadA(location) : 0;
            bool hasGone = found.IsThere && table.Reads.GoesAt(location, a) <= now;
            if (!found.IsThere || location == before || (hasGone && !KeyedHead.IsShared(a)))
            {
                EpochLine.EndLease(line.Place, held);
                lease = default;
                kept = default;
                return false;
            }

            // Before the value: where its object is gone by now there is none.
            long end = hasGone ? 0 : table.Reads.EndOf(location, a);
            if (!hasGone && TryValue(location, a, out ReadOnlySpan<byte> value, out RecordCode lane))
            {
                NoteKind kind = (a & KeyedHead.NotedBit) == 0 ? NoteKind.Value : (NoteKind)NoteWord.Kind(_space.ReadWord(NoteOf(location, a)));
                long keptTicks = (a & KeyedHead.NotedBit) == 0 ? 0 : KeptOf(location, a);
                bool isShown = end > now;
                if (kind == NoteKind.Value && end <= 0)
                {
                    // A call let it end (EntryNote).
                    (end, keptTicks) = (keptTicks + (2 * end), -end);
                }

                kept = new KeptEntry(kind, end, table.Reads.VersionOf(location, a), isShown, keptTicks);
                uint payload = RecordWord.Payload(RecordWord.Pack(slot: 0, lane, value.Length));
                lease = new PileLease(in RawValue.First(value), payload, line, held);
                return true;
            }

            // Its object is gone: it was replaced since it was found, or it is found again.
            before = location;
        }
    }

    /// <summary>Lets an entry end now: it goes, or where it is kept past its end, and there is room for it, it is shown no more, whatever becomes of the clock, and
    /// kept from now on.</summary>
    /// <returns>Whether there was one that had not ended.</returns>
    internal bool Expire(scoped EntryKey key)
    {
        while (TryLease(key, out PileLease lease, out KeptEntry kept))
        {
            lease.Dispose();
            if (!kept.IsShown)
            {
                return false;
            }

            long now = table.Clock.Now;
            bool isKept = kept.KeptTicks != 0 && Extend(key, kept.Version, now, EntryTermsOf.Later(now, kept.KeptTicks), isLetEnd: true);

            // It is not kept, or there is no room for the copy that would be. Where neither is done, it is another by now, which is looked at again.
            if (isKept || table.Removals.Remove(key, RemovalReason.Expired, kept.Version))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Shows an entry that has ended, and is kept, for a while longer. Nothing is done where the entry is another one by now.</summary>
    /// <param name="key">The key.</param>
    /// <param name="version">The entry's version.</param>
    /// <param name="untilTicks">When it is to end now.</param>
    /// <param name="goesTicks">When it is to go, at the latest.</param>
    /// <param name="isLetEnd">Whether it is not to be shown at all: a call lets it end.</param>
    /// <returns>Whether it was done: there may be no room.</returns>
    /// <remarks>The entry is stored anew, with its age and its stamp, at the cost of a copy.</remarks>
    internal bool Extend(scoped EntryKey key, PileEntryVersion version, long untilTicks, long goesTicks, bool isLetEnd = false)
    {
        if (!TryLease(key, out PileLease lease, out KeptEntry kept))
        {
            return false;
        }

        byte[]? copy = null;
        try
        {
            if (kept.Version != version || kept.Kind != NoteKind.Value || _lookup.Find(key.Bytes, key.Hash) is not { IsThere: true } found)
            {
                return false;
            }

            long location = CellWord.Location(found.Cell);
            ulong a = _lookup.HeadA(location);
            long goes = long.Min(table.Reads.GoesAt(location, a), goesTicks);
            var note = new EntryNote(long.Max(0, goes - untilTicks) + (isLetEnd ? goes : 0), NoteKind.Value, StampOf(location, a), TagsOf(location, a));
            var terms = new EntryTerms(CacheClock.ToTicks(version.CreatedMs), goes, 0, KeyedHead.Priority(a), note);
            if (table.Reads.LinkAt(location, a) is { IsShared: true } linked)
            {
                lease.EndScope();
                lease = default;
                return table.Shares.Set(key, linked, terms, SetCondition.Kept, version, out PileSetResult shared) == PileStatus.Ok && shared.IsStored;
            }

            RecordCode lane = lease.Code;
            int bytes = lease.Length;
            copy = ArrayPool<byte>.Shared.Rent(bytes);
            lease.Bytes.CopyTo(copy);
            lease.EndScope();
            lease = default;
            return table.Writes.Set(key, lane, new BytesPayload(copy.AsSpan(0, bytes)), terms, SetCondition.Kept, version, out PileSetResult result) == PileStatus.Ok && result.IsStored;
        }
        finally
        {
            lease.EndScope();
            if (copy is not null)
            {
                ArrayPool<byte>.Shared.Return(copy);
            }
        }
    }

    /// <summary>How long before it goes the entry at a location, which has a note, is shown no more.</summary>
    internal long KeptOf(long location, ulong a) => (long)_space.ReadWord(NoteOf(location, a) + 1);

    private long NoteOf(long location, ulong a) => location + ((TFormat.HeaderBytes + _lookup.PrefixBytes + KeyedHead.NoteOffset(a)) / Limits.WordBytes);

    private long StampOf(long location, ulong a) => (a & KeyedHead.NotedBit) == 0 ? 0 : NoteWord.Stamp(_space.ReadWord(NoteOf(location, a)));

    private ReadOnlySpan<byte> TailOf(long location, ulong a)
    {
        int bytes = TailBytesAt(location, a);
        return _space.Bytes(location, TFormat.HeaderBytes + RecordWord.PayloadBytes(_space.ReadWord(location)) - bytes, bytes);
    }

    private ulong[] TagsOf(long location, ulong a)
    {
        ReadOnlySpan<byte> tail = TailOf(location, a);
        ulong[] tags = new ulong[tail.Length / KeyedHead.TagBytes];
        for (int index = 0; index < tags.Length; index++)
        {
            tags[index] = BinaryPrimitives.ReadUInt64LittleEndian(tail[(index * KeyedHead.TagBytes)..]);
        }

        return tags;
    }

    /// <summary>Whether one of the entry's tags was removed since the entry began to be made.</summary>
    private bool IsRemoved(long location, ulong a)
    {
        long stamp = StampOf(location, a);
        ReadOnlySpan<byte> tail = TailOf(location, a);
        for (; !tail.IsEmpty; tail = tail[KeyedHead.TagBytes..])
        {
            if (_tags.IsRemoved(table.Id, BinaryPrimitives.ReadUInt64LittleEndian(tail), stamp))
            {
                return true;
            }
        }

        return false;
    }

    private bool TryValue(long location, ulong a, out ReadOnlySpan<byte> value, out RecordCode lane)
    {
        if ((a & KeyedHead.LinkedBit) != 0)
        {
            return table.Reads.TryLinked(table.Reads.LinkAt(location, a), a, out value, out lane);
        }

        value = table.Reads.ValueAt(location, a);
        lane = KeyedHead.Lane(a);
        return true;
    }
}
