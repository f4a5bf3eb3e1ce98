using System;
using System.Collections.Generic;

namespace Pile.Tests.Durability.Model;

/// <summary>Clear, rule C4: floors of generations, the flip of meta, then the table and the segments are emptied.</summary>
internal sealed class ClearingSteps : Steps
{
    private const int Untrusted = 1;
    private const int Flipped = 2;
    private const int Durable = 3;

    internal override void Offer(World world, List<Act> acts)
    {
        Process process = world.Process;
        if (world.Phase == Phase.Up && (process.Care == Care.Clear
            || (process.Care == Care.None && world.Has(Budget.Clear) && process.IsQuiet && !process.IsPoisoned)))
        {
            acts.Add(new Act(this, process.CareStep));
        }
    }

    internal override void Do(Act act, World world, Chooser chooser)
    {
        world.Process.CareStep++;
        switch (act.What)
        {
            case 0:
                world.Spend(Budget.Clear);
                world.Process.Care = Care.Clear;
                world.Promises.IsClearing = true;
                world.Files.IsTrusted &= !world.Keeps(Rule.ClearUntrustsTable);
                world.Story?.Add("Clear begins: the floors are durable in a file of their own");
                break;
            case Untrusted:
                world.Files.StoreMeta(world.Files.MetaNow with
                {
                    FirstSequence = world.NextSequence,
                    Floor = world.Keeps(Rule.ClearKeepsFloors) ? Floor(world) : 0,
                    HasCheckpoint = false,
                });
                world.Story?.Add($"Clear flips meta: sequences from {world.NextSequence} on count");
                break;
            case Flipped:
                if (world.Keeps(Rule.ClearDurable))
                {
                    world.Files.Meta.Sync();
                    world.Story?.Add("Clear syncs meta");
                }

                break;
            default:
                Empty(world, act.What - Durable);
                break;
        }
    }

    private static int Floor(World world)
    {
        int floor = world.Files.MetaNow.Floor;
        foreach (TableEntry entry in world.Files.Table)
        {
            floor = Math.Max(floor, entry.Generation);
        }

        return floor;
    }

    private static void Empty(World world, int slot)
    {
        world.Files.Table[slot] = default;
        world.Story?.Add($"Clear empties the entry of slot {slot}");
        if (slot < world.Scope.Slots - 1)
        {
            return;
        }

        Process process = world.Process;
        for (int segment = 0; segment < world.Scope.Segments; segment++)
        {
            process.Set(segment, SegmentLife.Free, Process.NotFlushed);
        }

        Array.ForEach(process.Writers, static writer => writer.Reset());
        process.Cleaner.Reset();
        (process.Care, process.CareStep) = (Care.None, 0);
        world.Files.IsTrusted = true;
        world.Promises.Cleared();
        world.Story?.Add("Clear returns");
    }
}
