using System;

namespace Pile.Tests.Durability.Model;

/// <summary>Reads the log as rules R4, R5, R6 and B3 say: how far each segment counts, and the newest record of each slot. Stores nothing.</summary>
internal sealed class Crawl
{
    private readonly World _world;
    private readonly Chooser _chooser;
    private readonly RowWord[] _rows;

    private Crawl(World world, Chooser chooser)
    {
        _world = world;
        _chooser = chooser;
        _rows = new RowWord[world.Scope.Segments];
        Counts = new bool[world.Scope.Segments];
        Kept = new int[world.Scope.Segments];
        LastAt = new int[world.Scope.Segments];
        Newest = new LogRecord[world.Scope.Slots];
        Spots = new Spot[world.Scope.Slots];
    }

    /// <summary>Whether the segment's records count: not free, not cleared, not overwritten since it was retired.</summary>
    internal bool[] Counts { get; }

    /// <summary>Places before the first that is no good record.</summary>
    internal int[] Kept { get; }

    /// <summary>Place of the last record or frame, -1 for none.</summary>
    internal int[] LastAt { get; }

    /// <summary>Whether damage was met: what a proof covers is not there.</summary>
    internal bool HasMetDamage { get; private set; }

    /// <summary>Whether a record was taken in place of what the checkpoint names, from a segment that no later crawl from it would walk.</summary>
    internal bool IsBesideCheckpoint { get; private set; }

    internal LogRecord[] Newest { get; }

    internal Spot[] Spots { get; }

    internal SlotState[] States => Array.ConvertAll(Newest, static record => record.State);

    internal static Crawl Run(World world, Chooser chooser)
    {
        var crawl = new Crawl(world, chooser);
        crawl.Walk();
        crawl.CompareWithProof();
        crawl.Collect(default, isFromCheckpoint: false);
        if (MetaWord.Unpack(world.Files.Meta.Read(chooser)).HasCheckpoint)
        {
            crawl.CompareWithCheckpoint();
        }

        return crawl;
    }

    /// <summary>Whether some slot's newest record stands in the segment.</summary>
    internal bool IsCurrent(int segment)
    {
        for (int slot = 0; slot < Newest.Length; slot++)
        {
            if (Newest[slot].IsOfASlot && Spots[slot].Segment == segment)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>The records of a frame or, where none begins, the one record.</summary>
    internal (int First, int End) Records(int segment, int place)
    {
        LogRecord record = _world.Files.RecordAt(new Spot(segment, place));
        return record.Kind == RecordKind.Frame ? (place + 1, place + 1 + record.Value) : (place, place + 1);
    }

    private void Walk()
    {
        int firstSequence = MetaWord.Unpack(_world.Files.Meta.Read(_chooser)).FirstSequence;
        for (int segment = 0; segment < _rows.Length; segment++)
        {
            RowWord row = _rows[segment] = RowWord.Unpack(_world.Files.Rows[segment].Read(_chooser));
            LastAt[segment] = -1;
            Counts[segment] = row.Life != SegmentLife.Free && row.Sequence >= firstSequence
                && (row.Life != SegmentLife.Retired || _world.Keeps(Rule.RetiredCountsWhileWhole))
                && (!_world.Keeps(Rule.SegmentHeaderCompared) || _world.Files.Headers[segment].Read(_chooser) == (ulong)row.Sequence);
            int end = row.Life == SegmentLife.Open ? _world.Scope.Places : row.Length;
            while (Counts[segment] && Kept[segment] < end)
            {
                int places = Good(segment, Kept[segment], end);
                if (places == 0)
                {
                    break;
                }

                LastAt[segment] = Kept[segment];
                Kept[segment] += places;
            }

            if (row.Life == SegmentLife.Retired && Kept[segment] < end)
            {
                // It is being overwritten, so the flush after its retirement has completed: nothing in it is current.
                Counts[segment] = false;
                Kept[segment] = 0;
            }
        }
    }

    /// <summary>Places of the good record or frame that stands there, 0 for none.</summary>
    private int Good(int segment, int place, int end)
    {
        LogRecord record = Read(segment, place);
        if (record.Kind != RecordKind.Frame)
        {
            return IsGood(record) && (!record.IsMember || !_world.Keeps(Rule.FramesCountWhole)) ? 1 : 0;
        }

        if (!_world.Keeps(Rule.FramesCountWhole))
        {
            return 1;
        }

        for (int member = 1; member <= record.Value; member++)
        {
            if (place + member >= end || !IsGood(Read(segment, place + member)))
            {
                return 0;
            }
        }

        return IsGood(record) ? 1 + record.Value : 0;
    }

    private bool IsGood(LogRecord record) => record.Kind != RecordKind.None && (record.IsWhole || !_world.Keeps(Rule.PayloadCrcCompared));

    /// <summary>What stands there if its header check holds. What the disk held is not asked when no answer could pass.</summary>
    private LogRecord Read(int segment, int place)
    {
        Cell cell = _world.Files.Records[segment][place];
        int sequence = _rows[segment].Sequence;
        bool canPass = !cell.IsUnread;
        foreach (ulong bits in cell.Possible)
        {
            canPass |= bits != 0 && LogRecord.SequenceOf(bits) == sequence;
        }

        LogRecord record = canPass ? LogRecord.Unpack(cell.Read(_chooser)) : default;
        return record.Sequence == sequence ? record : default;
    }

    /// <summary>Below the lengths that the newest marker proves, every record must be there.</summary>
    private void CompareWithProof()
    {
        LogRecord marker = default;
        ForEach(default, (record, _) => marker = record.Kind == RecordKind.Marker && record.Value > marker.Value ? record : marker);
        var proof = new Lengths(marker.Lengths);
        for (int segment = 0; segment < _rows.Length; segment++)
        {
            RowWord row = _rows[segment];
            int proven = proof.TryGet(segment, row.Sequence, out int listed) ? listed
                : row.Life == SegmentLife.Sealed && row.Sequence < proof.NextSequence ? row.Length
                : 0;
            if (row.Counts && Counts[segment] && Kept[segment] < proven)
            {
                HasMetDamage = true;
            }

            if (HasMetDamage && !_world.Files.IsDamaged)
            {
                throw new BrokenPromiseException(Promise.NoFalseAlarm,
                    $"marker {marker.Value} proves {proven} places of S{segment}, sequence {row.Sequence}, and only {Kept[segment]} are good: reported as corruption");
            }
        }
    }

    /// <summary>The newest record of each slot, from the records at or above a position; of copies the one at the first place.</summary>
    private void Collect(Lengths position, bool isFromCheckpoint) => ForEach(position, (record, spot) =>
    {
        if (record.IsOfASlot && IsNewer(record, spot))
        {
            Newest[record.Slot] = record;
            Spots[record.Slot] = spot;
            IsBesideCheckpoint |= isFromCheckpoint && _rows[spot.Segment].Life == SegmentLife.Retired
                && position.TryGet(spot.Segment, _rows[spot.Segment].Sequence, out int noted) && noted == Lengths.Whole;
        }
    });

    private static bool IsBefore(Spot one, Spot other) => (one.Segment, one.Place).CompareTo((other.Segment, other.Place)) < 0;

    private bool IsNewer(LogRecord record, Spot spot)
    {
        LogRecord present = Newest[record.Slot];
        int order = AgeOf(record) - AgeOf(present);
        return order > 0 || (order == 0 && present.IsOfASlot && IsBefore(spot, Spots[record.Slot]));
    }

    private int AgeOf(LogRecord record) =>
        _world.Keeps(Rule.TombstoneBeatsVersions) || record.Kind != RecordKind.Tombstone ? record.Age : record.Age & ~8;

    /// <summary>A segment that was whole at the position, and is retired since, may have been written over: it is walked.</summary>
    private void ForEach(Lengths position, Action<LogRecord, Spot> action)
    {
        for (int segment = 0; segment < _rows.Length; segment++)
        {
            bool isKnown = position.TryGet(segment, _rows[segment].Sequence, out int noted) && (noted != Lengths.Whole || _rows[segment].Life != SegmentLife.Retired);
            int first = isKnown ? noted : 0;
            for (int place = first; place < Kept[segment]; place++)
            {
                action(Read(segment, place), new Spot(segment, place));
            }
        }
    }

    /// <summary>The checkpoint's entries and the log above its position must give the same.</summary>
    private void CompareWithCheckpoint()
    {
        LogRecord[] full = (LogRecord[])Newest.Clone();
        Spot[] spots = (Spot[])Spots.Clone();
        Array.Clear(Newest);
        Lengths position = _world.Files.CheckpointPosition;
        for (int slot = 0; slot < Newest.Length; slot++)
        {
            TableEntry entry = _world.Files.CheckpointTable[slot];
            int segment = entry.Spot.Segment;
            bool isSame = entry.HasPlace && Counts[segment] && position.TryGet(segment, _rows[segment].Sequence, out _);
            if (isSame || (entry.HasPlace && !_world.Keeps(Rule.CheckpointComparesSequence)))
            {
                Newest[slot] = Read(segment, entry.Spot.Place);
                Spots[slot] = entry.Spot;
            }
        }

        Collect(position, isFromCheckpoint: true);
        for (int slot = 0; slot < Newest.Length; slot++)
        {
            if (Newest[slot].State != full[slot].State)
            {
                throw new BrokenPromiseException(Promise.TableTrue,
                    $"by the checkpoint slot {slot} shows {Newest[slot].State} at {Spots[slot]}, by the full crawl {full[slot].State} at {spots[slot]}");
            }
        }

        if (_world.Phase != Phase.Recovering)
        {
            full.CopyTo(Newest, 0);
            spots.CopyTo(Spots, 0);
        }
    }
}
