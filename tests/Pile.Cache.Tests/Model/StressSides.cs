// Tables that come and go beside the one of the run, under the same few names. What one reads is what was stored in this table, never in
// one before it; and only a table that is being dropped answers that it is disposed.
using System;

namespace Pile.Cache.Tests.Model;

/// <summary>Such tables. Thread-safe.</summary>
internal sealed class StressSides(StressRun run)
{
    private const int Keys = 200;
    private const int Names = 3;

    private long _made;
    private volatile Side? _side;

    /// <summary>A call on the table that there is.</summary>
    internal void Use(Random random)
    {
        if (_side is not { } side)
        {
            return;
        }

        int key = random.Next(Keys);
        try
        {
            if (random.Next(2) == 0)
            {
                PileSetOutcome outcome = side.Table.Set(key, StressValue.Of(key, side.Number, run.BytesOf(random)), new PileEntryOptions { Tags = key % 4 == 0 ? [StressRun.TagOf(0)] : null }).Outcome;
                run.Unless(outcome is PileSetOutcome.Inserted or PileSetOutcome.Replaced || (outcome == PileSetOutcome.Full && run.NoteFull()), "side", outcome.ToString());
            }
            else if (side.Table.TryGet(key, out byte[]? value))
            {
                run.Unless(StressValue.NumberOf(key, value) == side.Number, "side", $"table {side.Number} has a value of table {StressValue.NumberOf(key, value)}");
            }
        }
        catch (ObjectDisposedException) when (side.IsLeaving)
        {
        }
    }

    /// <summary>Drops the table that there is, and makes another one; held by its caller alone.</summary>
    internal void Next(Random random)
    {
        Drop();
        long number = ++_made;
        try
        {
            PileTable<int, byte[]> table = run.Cache.GetOrCreateTable<int, byte[]>(
                $"side {number % Names}", new PileTableOptions { Kind = random.Next(2) == 0 ? PileTableKind.Durable : PileTableKind.Speculative });
            run.Unless(table.Count == 0 && !table.TryGet(random.Next(Keys), out _), "side", $"a new table has {table.Count} entries");
            _side = new Side(table, number);
        }
        catch (PileFullException) when (run.Setting.MayLose)
        {
        }
    }

    /// <summary>Drops the table that there is.</summary>
    internal void Drop()
    {
        if (_side is { } side)
        {
            side.IsLeaving = true;
            run.Unless(run.Cache.DropTable(side.Table.Name), "side", "there was no table to drop");
            _side = null;
            bool isGone = false;
            try
            {
                _ = side.Table.TryGet(0, out _);
            }
            catch (ObjectDisposedException)
            {
                isGone = true;
            }

            run.Unless(isGone, "side", "a dropped table answers");
        }
    }

    private sealed class Side(PileTable<int, byte[]> table, long number)
    {
        private volatile bool _isLeaving;

        internal PileTable<int, byte[]> Table => table;

        internal long Number => number;

        internal bool IsLeaving
        {
            get => _isLeaving;
            set => _isLeaving = value;
        }
    }
}
