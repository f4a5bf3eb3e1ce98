using System.Collections.Generic;

namespace Pile.Tests.Durability.Model;

/// <summary>What may happen in every state: a kill, which leaves the page cache, and a cut, which leaves what the disk holds.</summary>
internal sealed class CrashingSteps : Steps
{
    private const int Kill = 0;
    private const int Cut = 1;

    internal override void Offer(World world, List<Act> acts)
    {
        if (world.Has(Budget.Kill) && world.Phase is not (Phase.Down or Phase.Refused))
        {
            acts.Add(new Act(this, Kill));
        }

        if (world.Has(Budget.Cut) && world.Phase != Phase.Refused)
        {
            acts.Add(new Act(this, Cut));
        }
    }

    internal override void Do(Act act, World world, Chooser chooser)
    {
        if (act.What == Kill)
        {
            world.Spend(Budget.Kill);
            world.Story?.Add("the process is killed");
            world.Promises.Crash(world.Process, isCut: EvictFailed(world, chooser));
        }
        else
        {
            world.Spend(Budget.Cut);
            world.Story?.Add("the power is cut");
            if (world.Phase == Phase.Down)
            {
                world.Promises.CutAgain();
            }
            else
            {
                world.Promises.Crash(world.Process, isCut: true);
            }

            world.Files.Cut();
        }

        world.Process.Reset();
        world.Phase = Phase.Down;
        world.OpeningStep = 0;
        world.ForgetsCheckpoint = false;
    }

    /// <summary>A page that the kernel takes for clean may leave the page cache, and is read from the disk again. Whether any did.</summary>
    private static bool EvictFailed(World world, Chooser chooser)
    {
        bool hasEvicted = false;
        world.Files.ForLog(cell =>
        {
            if (cell.IsFailed && chooser.Choose(2) == 1)
            {
                cell.Lose();
                hasEvicted = true;
            }
        });
        if (hasEvicted)
        {
            world.Story?.Add("pages that were not written leave the page cache");
        }

        return hasEvicted;
    }
}
