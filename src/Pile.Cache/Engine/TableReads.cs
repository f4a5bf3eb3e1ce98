// Reads of a table: find the entry, see that it has not ended, count the visit, lend the value. No lock is taken and nothing is
// allocated. An entry that has ended is never shown, whether or not anybody has removed it yet.
using System;
using System.Runtime.CompilerServices;
using System.Threading;
using Pile.Cache.Entries;
using Pile.Cache.Events;
using Pile.Cache.Files;
using Pile.Cache.Index;
using Pile.Epochs;
using Pile.Format;
using Pile.Heap;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Cache.Engine;

/// <summary>The read side of one table. Thread-safe.</summary>
internal sealed class TableReads<TFormat>(TableCore<TFormat> table)
    where TFormat : struct, IRecordFormat
{
    private readonly TableLookup<TFormat> _lookup = table.Lookup;
    private readonly WordArray _words = table.Index.Words;
    private readonly FlatSpace _space = table.Space;
    private readonly CacheClock _clock = table.Clock;
    private readonly HeapBase _heap = table.Cache.Core;
    private readonly long _idWord = table.Cache.Core.Epochs.IdWord;
    private readonly TableWatchers _watchers = table.Watchers;
    private readonly bool _isCompared = table.Comparer is not null;

    /// <summary>Whether the table takes no calls any more. Asked inside the epoch.</summary>
    internal bool IsEnded => _heap.IsDisposed || table.IsDropped;

    /// <summary>Copies the value of a key.</summary>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="destination">Where to; when it is too short, nothing is copied.</param>
    /// <returns>The value's length; -1 when there is none.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal int Copy(scoped ReadOnlySpan<byte> key, ulong hash, scoped Span<byte> destination)
    {
        EpochLine line = EpochLine.Current;
        long early = Fault.EndBeforeEpoch ? FindGood(line, key, hash, oldestMs: 0) : 0;
        if (Fault.EndBeforeEpoch)
        {
            // Time for others to move what was found.
            Thread.SpinWait(5000);
        }

        long held = line.Enter(_idWord);
        long location = Fault.EndBeforeEpoch ? early
            : _isCompared ? ComparedFinds.FindGood(this, line, held, isLease: false, new EntryKey(key, hash), oldestMs: 0) : FindGood(line, key, hash, oldestMs: 0);
        if (location <= 0)
        {
            line.Leave(held);
            NoteMiss(new EntryKey(key, hash), location);
            return -1;
        }

        ulong a = _lookup.HeadA(location);
        if ((a & (KeyedHead.LinkedBit | KeyedHead.NotedBit)) != 0)
        {
            return CopyElsewhere(line, held, key, hash, location, destination);
        }

        int offset = _lookup.PrefixBytes + KeyedHead.KeyOffset(a) + KeyedHead.KeyBytes(a);
        int bytes = RecordWord.PayloadBytes(_space.ReadWord(location)) - offset;
        if (bytes <= destination.Length)
        {
            RawValue.Copy(_space.Bytes(location, TFormat.HeaderBytes + offset, bytes), destination);
        }

        line.Leave(held);
        return bytes;
    }

    /// <summary>Leases the value of a key: on true the calling thread is inside the epoch until the lease is disposed.</summary>
    /// <param name="key">The key.</param>
    /// <param name="oldestMs">The creation time, in milliseconds since 1970, before which an entry is too old; 0 for any.</param>
    /// <param name="lease">The lease.</param>
    /// <param name="location">Where the record stands, which is good as long as the lease is.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryLease(scoped EntryKey key, long oldestMs, out PileLease lease, out long location)
    {
        EpochLine line = EpochLine.Current;
        long held = line.BeginLease(_idWord);
        location = _isCompared ? ComparedFinds.FindGood(this, line, held, isLease: true, key, oldestMs) : FindGood(line, key.Bytes, key.Hash, oldestMs);
        if (location <= 0)
        {
            EpochLine.EndLease(line.Place, held);
            NoteMiss(key, location);
            lease = default;
            return false;
        }

        ulong a = _lookup.HeadA(location);
        if ((a & KeyedHead.LinkedBit) != 0)
        {
            location = TryLeaseLinked(key, oldestMs, line, held, a, location, out lease);
            return location != 0;
        }

        int offset = _lookup.PrefixBytes + KeyedHead.KeyOffset(a) + KeyedHead.KeyBytes(a);
        int bytes = RecordWord.PayloadBytes(_space.ReadWord(location)) - offset - table.Notes.TailBytesAt(location, a);
        uint payload = RecordWord.Payload(RecordWord.Pack(slot: 0, KeyedHead.Lane(a), bytes));
        lease = new PileLease(in _space.ByteAt(location, TFormat.HeaderBytes + offset), payload, line, held);
        return true;
    }

    /// <summary>Finds an entry that has not ended, counts the visit and, where it slides, the use. Inside an epoch.</summary>
    /// <returns>Where its record stands; 0 for none, -1 when the table takes no calls any more.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal long FindGood(EpochLine line, scoped ReadOnlySpan<byte> key, ulong hash, long oldestMs)
    {
        if (IsEnded)
        {
            return -1;
        }

        FoundEntry found = _lookup.Find(key, hash);
        if (found.IsThere && (oldestMs != 0 || !KeyedHead.IsPlain(_lookup.HeadA(CellWord.Location(found.Cell))) || _watchers.AwaitsWalk))
        {
            found = Use(key, hash, found, oldestMs, isUse: true);
        }

        if (!found.IsThere)
        {
            table.Counts.AddMiss(line);
            return 0;
        }

        Visit(found);
        table.Counts.AddHit(line);
        return CellWord.Location(found.Cell);
    }

    /// <summary>What is known of an entry that has not ended; nothing is counted.</summary>
    internal bool TryLook(scoped EntryKey key, out EntryInfo info)
    {
        EpochLine line = EpochLine.Current;
        long held = line.Enter(_idWord);
        bool isEnded = IsEnded;
        FoundEntry found = isEnded ? default : ComparedFinds.Look(_lookup, this, line, held, key);
        info = found.IsThere ? InfoOf(CellWord.Location(found.Cell)) : default;
        line.Leave(held);
        if (!found.IsThere)
        {
            NoteMiss(key, isEnded ? -1 : 0);
        }

        return found.IsThere;
    }

    /// <summary>What is known of the entry at a location. Inside an epoch.</summary>
    internal EntryInfo InfoOf(long location)
    {
        ulong a = _lookup.HeadA(location);
        LinkedValue linked = LinkAt(location, a);
        return new EntryInfo(
            linked.Pointer == 0 ? ValueAt(location, a).Length : !linked.IsShared ? linked.Bytes : TryLinked(linked, a, out ReadOnlySpan<byte> value, out _) ? value.Length : 0,
            RecordBytesAt(location) + (long)linked.Bytes,
            EndOf(location, a),
            VersionOf(location, a));
    }

    /// <summary>The version of the entry at a location.</summary>
    internal PileEntryVersion VersionOf(long location, ulong a)
    {
        ulong b = _lookup.HeadB(location);
        return new PileEntryVersion((long)KeyedHead.Version(a, b), KeyedHead.CreatedMs(b));
    }

    /// <summary>The object that the entry at a location leads to, or default.</summary>
    internal LinkedValue LinkAt(long location, ulong a) => (a & KeyedHead.LinkedBit) == 0 || !_lookup.IsGood(location)
        ? default
        : LinkedValue.Read(_space.Bytes(location, TFormat.HeaderBytes + _lookup.PrefixBytes + KeyedHead.KeyOffset(a) + KeyedHead.KeyBytes(a), KeyedHead.LinkBytes), a);

    /// <summary>The value that an entry leads to. Inside an epoch.</summary>
    /// <param name="linked">Where it stands.</param>
    /// <param name="a">Word A of the entry's head.</param>
    /// <param name="value">The value.</param>
    /// <param name="lane">Its lane.</param>
    /// <returns>False when it is gone: the entry was replaced or removed meanwhile, or the program deleted an object of its own.</returns>
    internal bool TryLinked(LinkedValue linked, ulong a, out ReadOnlySpan<byte> value, out RecordCode lane)
    {
        HeapReads objects = table.Cache.Pile.Reads;
        if (!objects.TryFind(linked.Pointer, out ulong entry))
        {
            value = default;
            lane = default;
            return false;
        }

        value = objects.Payload(entry, out lane);
        if (!linked.IsShared)
        {
            value = TFormat.IsDurable ? value[SlotWalk.ValuePrefixBytes..] : value;
            lane = KeyedHead.Lane(a);
        }

        return true;
    }

    /// <summary>Bytes of the record at a location.</summary>
    internal int RecordBytesAt(long location) => SegmentWriter<TFormat>.RecordBytes(RecordWord.PayloadBytes(_space.ReadWord(location)));

    /// <summary>The key of the entry at a location. Inside an epoch.</summary>
    internal ReadOnlySpan<byte> KeyAt(long location)
    {
        ulong a = _lookup.HeadA(location);
        return _space.Bytes(location, TFormat.HeaderBytes + _lookup.PrefixBytes + KeyedHead.KeyOffset(a), KeyedHead.KeyBytes(a));
    }

    /// <summary>The value of the entry at a location, which stands in its record. Inside an epoch.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ReadOnlySpan<byte> ValueAt(long location, ulong a)
    {
        int offset = _lookup.PrefixBytes + KeyedHead.KeyOffset(a) + KeyedHead.KeyBytes(a);
        return _space.Bytes(location, TFormat.HeaderBytes + offset, RecordWord.PayloadBytes(_space.ReadWord(location)) - offset - table.Notes.TailBytesAt(location, a));
    }

    /// <summary>Whether the entry at a location has ended at a time, and is shown no more.</summary>
    internal bool HasEnded(long location, ulong a, long nowTicks) => EndOf(location, a) <= nowTicks;

    /// <summary>When the entry at a location ends, as it is now; <see cref="EntryTerms.Never"/> where it does not.</summary>
    internal long EndOf(long location, ulong a) => HasLost(location, a) ? 0 : (a & KeyedHead.NotedBit) == 0 ? TermOf(location, a) : table.Notes.EndOf(location, a);

    /// <summary>When the entry at a location goes: at its end, or later where it is kept for GetOrAdd.</summary>
    internal long GoesAt(long location, ulong a) => HasLost(location, a) ? 0 : (a & KeyedHead.NotedBit) == 0 ? TermOf(location, a) : table.Notes.GoesAt(location, a);

    /// <summary>Whether the entry at a location has ended because its object is gone, deleted by the program, or is known to be damaged.</summary>
    private bool HasLost(long location, ulong a) => KeyedHead.IsShared(a) ? !table.Cache.Shared.IsObject(LinkAt(location, a).Pointer)
        : TFormat.IsDurable && (a & KeyedHead.LinkedBit) != 0 && table.Cache.Pile.Reads.IsKnownDamaged(LinkAt(location, a).Pointer);

    /// <summary>What the times in the head of the entry at a location say; its note is not looked at.</summary>
    internal long TermOf(long location, ulong a)
    {
        long end = (a & KeyedHead.ExpiresBit) != 0 ? (long)_space.ReadWord(location + _lookup.HeadWords + 2) : EntryTerms.Never;
        if ((a & KeyedHead.SlidesBit) == 0)
        {
            return end;
        }

        long sliding = location + _lookup.HeadWords + (KeyedHead.SlidingOffset(a) / Limits.WordBytes);
        long span = (long)_space.ReadWord(sliding);
        long touched = TouchWord.Ticks<TFormat>(_space.ReadWord(sliding + 1), KeyedHead.CreatedMs(_lookup.HeadB(location)));
        return touched > EntryTerms.Never - span ? end : long.Min(end, touched + span);
    }

    /// <summary>Where the time of last use of a sliding entry stands.</summary>
    internal long TouchOf(long location, ulong a) => location + _lookup.HeadWords + (KeyedHead.SlidingOffset(a) / Limits.WordBytes) + 1;

    /// <summary>Ends a read that found nothing: the table takes no calls any more, or there may be an entry that has ended, which those who watch the
    /// table are told.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void NoteMiss(scoped EntryKey key, long location)
    {
        if (location < 0)
        {
            table.ThrowEnded();
        }

        if (_watchers.Ring is not null)
        {
            table.Removals.RemoveEnded(key);
        }
    }

    /// <summary>Whether an entry has not ended and is young enough; notes the use of a sliding one, following it if the cleaner moves it.</summary>
    /// <returns>The entry, as it was found last; default when it is not to be shown.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal FoundEntry Use(scoped ReadOnlySpan<byte> key, ulong hash, FoundEntry found, long oldestMs, bool isUse)
    {
        var spin = default(SpinWait);
        while (found.IsThere)
        {
            long location = CellWord.Location(found.Cell);
            ulong a = _lookup.HeadA(location);
            long now = KeyedHead.IsPlain(a) ? 0 : _clock.Now;
            uint home = table.Index.HomeOf((uint)hash);
            ulong before = table.Index.Control(home);
            if (EndOf(location, a) <= now || KeyedHead.CreatedMs(_lookup.HeadB(location)) < oldestMs || (isUse && _watchers.IsCleared(KeyedHead.Version(a, _lookup.HeadB(location)))))
            {
                // While the cleaner moves a record, or looks whether it is to go, a use may stand in one place and be looked for in another. An object that is
                // shared goes once its last entry is replaced, and then the key has another entry.
                if (((a & KeyedHead.SlidesBit) == 0 && !KeyedHead.IsShared(a))
                    || (!_lookup.IsInDoubt(home, (uint)hash, before) && _lookup.LocationOf(_words.Read(found.Word)) == location))
                {
                    return default;
                }

                spin.SpinAnyhow();
                found = _lookup.Find(key, hash);
                continue;
            }

            if ((a & KeyedHead.SlidesBit) == 0 || !isUse)
            {
                return found;
            }

            // Raised here, then the cell again; the cleaner swings the cell, then looks here again. One of the two sees the other, so
            // that no use is lost while the record moves.
            TouchWord.Raise<TFormat>(_space, TouchOf(location, a), TouchWord.Pack<TFormat>(now, KeyedHead.CreatedMs(_lookup.HeadB(location))));
            if (_lookup.LocationOf(_words.Read(found.Word)) == location)
            {
                return found;
            }

            found = _lookup.Find(key, hash);
        }

        return default;
    }

    /// <summary>Counts a visit, up to three, by a plain store (CellWord): an atomic one would keep the processor from beginning the next
    /// read before this one has come from memory.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Visit(FoundEntry found)
    {
        int visits = CellWord.Visits(found.Cell);
        if (visits < CellWord.VisitsMax)
        {
            _words.StoreByte(found.Word, CellWord.VisitsByte, (byte)(visits + 1));
        }
    }

    /// <summary>Copies a value that ends before its record, or stands elsewhere, and leaves the epoch.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private int CopyElsewhere(EpochLine line, long held, scoped ReadOnlySpan<byte> key, ulong hash, long location, scoped Span<byte> destination)
    {
        ulong a = _lookup.HeadA(location);
        ReadOnlySpan<byte> value = default;
        bool isThere = (a & KeyedHead.LinkedBit) == 0 || TryLinked(LinkAt(location, a), a, out value, out _);
        value = (a & KeyedHead.LinkedBit) == 0 ? ValueAt(location, a) : value;
        int bytes = value.Length;
        if (isThere && bytes <= destination.Length)
        {
            value.CopyTo(destination);
        }

        line.Leave(held);
        if (isThere)
        {
            return bytes;
        }

        // The entry was replaced or removed since it was found: a lease looks again.
        if (!TryLease(new EntryKey(key, hash), oldestMs: 0, out PileLease lease, out _))
        {
            return -1;
        }

        bytes = lease.Length;
        if (bytes <= destination.Length)
        {
            lease.Bytes.CopyTo(destination);
        }

        lease.Dispose();
        return bytes;
    }

    /// <summary>Leases a value that stands elsewhere.</summary>
    /// <returns>Where the entry's record stands; 0 when there is none, and then the lease has ended.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private long TryLeaseLinked(scoped EntryKey key, long oldestMs, EpochLine line, long held, ulong a, long location, out PileLease lease)
    {
        while (true)
        {
            if (TryLinked(LinkAt(location, a), a, out ReadOnlySpan<byte> value, out RecordCode lane))
            {
                uint payload = RecordWord.Payload(RecordWord.Pack(slot: 0, lane, value.Length));
                lease = new PileLease(in RawValue.First(value), payload, line, held);
                return location;
            }

            // The entry was replaced or removed since it was found, and its object with it.
            long before = location;
            location = ComparedFinds.FindGood(this, line, held, isLease: true, key, oldestMs);
            if (location <= 0 || location == before)
            {
                EpochLine.EndLease(line.Place, held);
                lease = default;
                return 0;
            }

            a = _lookup.HeadA(location);
            if ((a & KeyedHead.LinkedBit) == 0)
            {
                EpochLine.EndLease(line.Place, held);
                return TryLease(key, oldestMs, out lease, out location) ? location : 0;
            }
        }
    }
}
