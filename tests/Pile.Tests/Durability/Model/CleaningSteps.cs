using System.Collections.Generic;

namespace Pile.Tests.Durability.Model;

/// <summary>The cleaner, rules W4, S1: takes a sealed and flushed victim, copies each current record, swings its entry, retires the victim.</summary>
internal sealed class CleaningSteps : Steps
{
    private const string Name = "the cleaner";
    private const int Begin = 0;
    private const int Draw = 1;
    private const int StoreRow = 2;
    private const int Seal = 3;
    private const int Copy = 4;
    private const int Swing = 5;
    private const int Retire = 6;

    internal override void Offer(World world, List<Act> acts)
    {
        Process process = world.Process;
        if (world.Phase != Phase.Up || process.IsPoisoned || process.Care is Care.Clear or Care.Close)
        {
            return;
        }

        if (process.CleanerStep == CleanerStep.Copied)
        {
            acts.Add(new Act(this, Swing));
        }
        else if (process.CleanerStep == CleanerStep.Looking)
        {
            OfferNext(world, acts);
        }
        else if (world.Has(Budget.Clean))
        {
            for (int segment = 0; segment < world.Scope.Segments; segment++)
            {
                bool isCounted = process.NextToCount() < 0 || process.Sequences[segment] > process.OpenedSequence;
                if (process.Life(segment) == SegmentLife.Sealed && IsFlushed(world, segment) && isCounted)
                {
                    acts.Add(new Act(this, Begin, Which: segment));
                }
            }
        }
    }

    internal override void Do(Act act, World world, Chooser chooser)
    {
        Process process = world.Process;
        switch (act.What)
        {
            case Begin:
                world.Spend(Budget.Clean);
                process.Victim = new Spot(act.Which, 0);
                process.CleanerStep = CleanerStep.Looking;
                world.Story?.Add($"{Name} takes S{act.Which} as its victim");
                break;
            case Draw:
                Appending.Draw(world, process.Cleaner, Name);
                break;
            case StoreRow:
                Appending.StoreRow(world, process.Cleaner, Name);
                break;
            case Seal:
                Appending.Seal(world, process.Cleaner, Name);
                break;
            case Copy:
                CopyNext(world);
                break;
            case Swing:
                SwingCopy(world);
                break;
            default:
                RetireVictim(world);
                break;
        }
    }

    private static bool IsFlushed(World world, int segment) =>
        world.Process.SegmentWaits[segment] == Process.Flushed || !world.Scope.IsPowerSafe || !world.Keeps(Rule.VictimsFlushed);

    /// <summary>The victim's next record that its owner calls current. One that is not will never be again, so passing over it is no step.</summary>
    private static bool TryFindCurrent(World world, out Spot spot)
    {
        for (spot = world.Process.Victim; spot.Place < world.Process.SealedLengths[spot.Segment]; spot = spot with { Place = spot.Place + 1 })
        {
            LogRecord record = world.Files.RecordAt(spot);
            if (record.IsOfASlot && world.Files.Table[record.Slot].IsAt(spot)
                && (record.Kind == RecordKind.Object || world.Keeps(Rule.TombstonesRelocated)))
            {
                return true;
            }
        }

        return false;
    }

    private static void CopyNext(World world)
    {
        Process process = world.Process;
        _ = TryFindCurrent(world, out Spot spot);
        LogRecord record = world.Files.RecordAt(spot);
        world.Files.StoreRecord(process.Cleaner.Next, record with
        {
            Sequence = process.Cleaner.Sequence,
            IsMember = false,
            Version = world.Keeps(Rule.CopyKeepsVersion) ? record.Version : int.Min(LogRecord.VersionMax, record.Version + 3),
        });
        process.Victim = spot;
        process.CleanerStep = CleanerStep.Copied;
        world.Story?.Add($"{Name} copies {spot} (slot {record.Slot}) to {process.Cleaner.Next}");
    }

    private static void SwingCopy(World world)
    {
        Process process = world.Process;
        Spot target = process.Cleaner.Next;
        LogRecord record = world.Files.RecordAt(target);
        bool isCurrent = world.Files.Table[record.Slot].IsAt(process.Victim);
        if (isCurrent || !world.Keeps(Rule.SwingByCompare))
        {
            world.Files.Table[record.Slot] = isCurrent ? world.Files.Table[record.Slot] with { Spot = target } : TableEntry.Of(record, target);
        }

        world.Story?.Add(isCurrent ? $"{Name} swings the entry of slot {record.Slot} to {target}" : $"{Name} finds the entry of slot {record.Slot} changed");
        process.Cleaner.Length++;
        process.Victim = process.Victim with { Place = process.Victim.Place + 1 };
        process.CleanerStep = CleanerStep.Looking;
    }

    private static void RetireVictim(World world)
    {
        int segment = world.Process.Victim.Segment;
        if (world.Keeps(Rule.RetiredRowBeforeFlush))
        {
            world.Files.StoreRow(segment, new RowWord(SegmentLife.Retired, world.Process.Sequences[segment], world.Process.SealedLengths[segment]));
        }

        world.Process.Set(segment, SegmentLife.Retired, Process.NotFlushed);
        world.Process.Victim = default;
        world.Process.CleanerStep = CleanerStep.Idle;
        world.Story?.Add($"{Name} retires S{segment}");
    }

    private void OfferNext(World world, List<Act> acts)
    {
        Appender appender = world.Process.Cleaner;
        bool hasCurrent = TryFindCurrent(world, out _);
        if (!hasCurrent || !world.Keeps(Rule.RetiredUnreferenced))
        {
            acts.Add(new Act(this, Retire));
        }

        if (!hasCurrent)
        {
            return;
        }

        if (appender.IsDrawn)
        {
            acts.Add(new Act(this, StoreRow));
        }
        else if (appender.HasSegment)
        {
            acts.Add(new Act(this, appender.Length < world.Scope.Places ? Copy : Seal));
        }
        else if (Appending.FindFree(world) >= 0)
        {
            acts.Add(new Act(this, Draw));
        }
    }
}
