using System;
using System.Collections.Generic;

namespace Pile.Tests.Durability.Model;

/// <summary>The count after an open, rules W5 and R3: slot by slot, beside writers. A slot that it has not come to is not issued; what was freed
/// meanwhile it finds free.</summary>
internal sealed class CountingSteps : Steps
{
    internal override void Offer(World world, List<Act> acts)
    {
        Process process = world.Process;
        int slot = process.NextToCount();
        bool isHeld = slot >= 0 && Array.Exists(process.Writers, writer => writer.Changes(slot));
        if (world.Phase == Phase.Up && slot >= 0 && !isHeld && process.Care != Care.Clear)
        {
            acts.Add(new Act(this, slot));
        }
    }

    internal override void Do(Act act, World world, Chooser chooser)
    {
        Process process = world.Process;
        int slot = act.What;
        TableEntry entry = world.Files.Table[slot];
        process.Uncounted[slot] = 0;
        bool isFreedSince = !entry.IsLive && entry.HasPlace && process.Sequences[entry.Spot.Segment] > process.OpenedSequence;
        if (isFreedSince)
        {
            process.SlotWaits[slot] = world.Keeps(Rule.CountedSlotsWait) ? Process.NotFlushed : Process.Flushed;
        }

        world.Story?.Add($"the count comes to slot {slot}{(entry.IsLive ? "" : isFreedSince ? ", freed since the open" : ", free")}");
    }
}
