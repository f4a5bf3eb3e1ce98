using System;

namespace Pile.Tests.Durability.Model;

/// <summary>What outlives the process: cells that outlive a cut as far as they were written out, and the mapped table, which
/// outlives a kill only (after a cut it is believed only when meta says "clean", so what the disk holds of it is kept no longer).</summary>
internal sealed class Files
{
    private readonly Scope _scope;

    internal Files(Scope scope)
    {
        _scope = scope;
        Rows = new Cell[scope.Segments];
        Headers = new Cell[scope.Segments];
        Records = new Cell[scope.Segments][];
        for (int segment = 0; segment < scope.Segments; segment++)
        {
            Rows[segment] = new Cell();
            Headers[segment] = new Cell();
            Records[segment] = new Cell[scope.Places];
            for (int place = 0; place < scope.Places; place++)
            {
                Records[segment][place] = new Cell();
            }
        }

        Table = new TableEntry[scope.Slots];
        TableAtClose = new TableEntry[scope.Slots];
        CheckpointTable = new TableEntry[scope.Slots];
    }

    internal Cell Meta { get; } = new();

    /// <summary>The directory.</summary>
    internal Cell[] Rows { get; }

    /// <summary>The sequence number in each segment's own header.</summary>
    internal Cell[] Headers { get; }

    internal Cell[][] Records { get; }

    internal TableEntry[] Table { get; }

    /// <summary>What the disk holds of the table since the last close.</summary>
    internal TableEntry[] TableAtClose { get; }

    /// <summary>"Table trusted": in the page cache; a cut, being followed by another boot, takes it back.</summary>
    internal bool IsTrusted { get; set; }

    internal TableEntry[] CheckpointTable { get; }

    /// <summary>Whether a record was damaged that a close had made durable.</summary>
    internal bool IsDamaged { get; set; }

    /// <summary>Sequence and noted length of every segment at the checkpoint.</summary>
    internal Lengths CheckpointPosition { get; set; }

    internal Cell this[Spot spot] => Records[spot.Segment][spot.Place];

    internal LogRecord RecordAt(Spot spot) => LogRecord.Unpack(this[spot].Now);

    internal RowWord Row(int segment) => RowWord.Unpack(Rows[segment].Now);

    internal MetaWord MetaNow => MetaWord.Unpack(Meta.Now);

    internal void Store(Cell cell, ulong value)
    {
        cell.Store(value);
        if (!_scope.IsPowerSafe)
        {
            cell.Sync(); // no cut will ask
        }
    }

    internal void StoreMeta(MetaWord meta) => Store(Meta, meta.Pack());

    internal void StoreRow(int segment, RowWord row) => Store(Rows[segment], row.Pack());

    /// <summary>Half of a record: whatever stood there is no record any more, or one with a wrong payload.</summary>
    internal void StorePayload(Spot spot)
    {
        Cell cell = this[spot];
        if (_scope.IsPowerSafe && !cell.IsUnread && cell.Now != 0)
        {
            cell.MayHold((RecordAt(spot) with { IsWhole = false }).Pack());
        }

        Store(cell, 0);
    }

    /// <summary>The other half: the disk may get it without the payload.</summary>
    internal void StoreHeader(Spot spot, LogRecord record)
    {
        if (_scope.IsPowerSafe)
        {
            this[spot].MayHold((record with { IsWhole = false }).Pack());
        }

        Store(this[spot], record.Pack());
    }

    internal void StoreRecord(Spot spot, LogRecord record)
    {
        StorePayload(spot);
        StoreHeader(spot, record);
    }

    /// <summary>Everything but meta.</summary>
    internal void SyncLog()
    {
        SyncExtents();
        Array.ForEach(Rows, static cell => cell.Sync());
    }

    /// <summary>As <see cref="SyncLog"/>, but for what was stored before this process had the pile.</summary>
    internal void SyncOwn() => ForLog(static cell =>
    {
        if (!cell.IsOfBefore)
        {
            cell.Sync();
        }
    });

    /// <summary>What stands in the segments, their headers too.</summary>
    internal void SyncExtents()
    {
        for (int segment = 0; segment < Records.Length; segment++)
        {
            Headers[segment].Sync();
            Array.ForEach(Records[segment], static cell => cell.Sync());
        }
    }

    internal void ForLog(Action<Cell> action)
    {
        for (int segment = 0; segment < Rows.Length; segment++)
        {
            action(Rows[segment]);
            action(Headers[segment]);
            Array.ForEach(Records[segment], action);
        }
    }

    /// <summary>The power is gone: page cache, table and trust with it. Another boot begins.</summary>
    internal void Cut()
    {
        ForLog(static cell => cell.Lose());
        Meta.Lose();
        Meta.Map(0, static (_, bits) => (MetaWord.Unpack(bits) with { IsBootNoted = false, IsSyncFailed = false }).Pack());
        IsTrusted = false;
        if (!MayBeClean())
        {
            Array.Clear(Table);
        }
    }

    /// <summary>Brings states that no run can ever tell apart to one form: a record that no row, now or later, lets a crawl meet.</summary>
    internal void Canonicalize(bool keepsLater, bool keepsCheckpoint)
    {
        if (!keepsCheckpoint && !May(static meta => meta.HasCheckpoint))
        {
            Array.Clear(CheckpointTable);
            CheckpointPosition = default;
        }

        if (!MayBeClean())
        {
            Array.Clear(TableAtClose);
        }

        int firstSequence = int.MaxValue;
        foreach (ulong bits in Meta.Possible)
        {
            firstSequence = Math.Min(firstSequence, MetaWord.Unpack(bits).FirstSequence);
        }

        for (int segment = 0; segment < Rows.Length; segment++)
        {
            for (int place = 0; place < Records[segment].Length; place++)
            {
                Records[segment][place].Map((this, segment, place, keepsLater, firstSequence), static (where, bits) =>
                    where.Item1.CanBeMet(where.segment, where.place, LogRecord.SequenceOf(bits), where.keepsLater, where.firstSequence) ? bits : 0);
            }
        }
    }

    internal void Carry(ref Carrier carrier)
    {
        Meta.Carry(ref carrier);
        for (int segment = 0; segment < Rows.Length; segment++)
        {
            Rows[segment].Carry(ref carrier);
            Headers[segment].Carry(ref carrier);
            foreach (Cell cell in Records[segment])
            {
                cell.Carry(ref carrier);
            }
        }

        CarryTable(Table, ref carrier);
        CarryTable(TableAtClose, ref carrier);
        CarryTable(CheckpointTable, ref carrier);
        ulong position = CheckpointPosition.Bits;
        carrier.Word(ref position);
        CheckpointPosition = new Lengths(position);
        bool isTrusted = IsTrusted;
        carrier.Flag(ref isTrusted);
        IsTrusted = isTrusted;
        bool isDamaged = IsDamaged;
        carrier.Flag(ref isDamaged);
        IsDamaged = isDamaged;
    }

    private static void CarryTable(TableEntry[] table, ref Carrier carrier)
    {
        for (int slot = 0; slot < table.Length; slot++)
        {
            ulong bits = table[slot].Pack();
            carrier.Word(ref bits);
            table[slot] = TableEntry.Unpack(bits);
        }
    }

    private bool MayBeClean() => May(static meta => meta.IsClean);

    private bool May(Func<MetaWord, bool> says)
    {
        foreach (ulong bits in Meta.Possible)
        {
            if (says(MetaWord.Unpack(bits)))
            {
                return true;
            }
        }

        return false;
    }

    private bool CanBeMet(int segment, int place, int sequence, bool keepsLater, int firstSequence)
    {
        int last = 0;
        foreach (ulong bits in Rows[segment].Possible)
        {
            RowWord row = RowWord.Unpack(bits);
            last = Math.Max(last, row.Sequence);
            if (row.Sequence == sequence && row.Sequence >= firstSequence
                && (row.Life == SegmentLife.Open || (row.Life != SegmentLife.Free && place < row.Length)))
            {
                return true;
            }
        }

        return keepsLater && sequence > last;
    }
}
