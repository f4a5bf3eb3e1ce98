using System;
using System.Collections.Generic;

namespace Pile.Tests.Durability.Model;

/// <summary>A clean close: seals, syncs log and table, then says "clean" in meta.</summary>
internal sealed class ClosingSteps : Steps
{
    internal override void Offer(World world, List<Act> acts)
    {
        Process process = world.Process;
        if (world.Phase == Phase.Up && (process.Care == Care.Close || (process.Care == Care.None && world.Has(Budget.Close)
            && process.IsQuiet && process.FlushStep == FlushStep.Idle && !process.IsPoisoned)))
        {
            acts.Add(new Act(this, process.CareStep));
        }
    }

    internal override void Do(Act act, World world, Chooser chooser)
    {
        Process process = world.Process;
        process.CareStep++;
        switch (act.What)
        {
            case 0:
                world.Spend(Budget.Close);
                process.Care = Care.Close;
                Array.ForEach(process.Writers, writer => SealIfOpen(world, writer.Appender));
                SealIfOpen(world, process.Cleaner);
                world.Story?.Add("a close begins");
                break;
            case 1:
                world.Files.SyncLog();
                world.Promises.FlushStarted();
                world.Promises.FlushCompleted();
                world.Story?.Add("the close syncs log and table");
                break;
            case 2:
                world.Files.Table.CopyTo(world.Files.TableAtClose, 0); // what was synced: nobody changes it now
                world.Files.StoreMeta(world.Files.MetaNow with { IsClean = true });
                world.Story?.Add("the close says \"clean\" in meta");
                break;
            default:
                world.Files.Meta.Sync();
                world.Files.IsTrusted = false;
                world.Promises.Crash(process, isCut: false);
                process.Reset();
                world.Phase = Phase.Down;
                world.Story?.Add("the close syncs meta: the pile is closed");
                break;
        }
    }

    private static void SealIfOpen(World world, Appender appender)
    {
        if (appender.HasSegment)
        {
            Appending.Seal(world, appender, "the close");
        }
    }
}
