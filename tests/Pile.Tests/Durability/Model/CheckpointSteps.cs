using System.Collections.Generic;

namespace Pile.Tests.Durability.Model;

/// <summary>A checkpoint, rule C3: notes the log position, copies the table, flushes the log, flips meta.</summary>
internal sealed class CheckpointSteps : Steps
{
    internal override void Offer(World world, List<Act> acts)
    {
        Process process = world.Process;
        if (world.Phase == Phase.Up && !process.IsPoisoned
            && (process.Care == Care.Checkpoint || (process.Care == Care.None && world.Has(Budget.Checkpoint))))
        {
            acts.Add(new Act(this, process.CareStep));
        }
    }

    internal override void Do(Act act, World world, Chooser chooser)
    {
        Process process = world.Process;
        process.CareStep++;
        int afterCopies = 1 + world.Scope.Slots;
        if (act.What == 0)
        {
            world.Spend(Budget.Checkpoint);
            process.Care = Care.Checkpoint;
            world.Files.CheckpointPosition = Note(world);
            world.Story?.Add("a checkpoint begins: notes the position");
        }
        else if (act.What < afterCopies)
        {
            int slot = act.What - 1;
            world.Files.CheckpointTable[slot] = world.Files.Table[slot];
            world.Story?.Add($"the checkpoint copies the entry of slot {slot}");
        }
        else if (act.What == afterCopies)
        {
            if (world.Keeps(Rule.CheckpointAfterLog))
            {
                world.Files.SyncLog();
                world.Story?.Add("the checkpoint syncs the log");
            }
        }
        else if (act.What == afterCopies + 1)
        {
            world.Files.StoreMeta(world.Files.MetaNow with { HasCheckpoint = true });
            world.Story?.Add("the checkpoint flips meta");
        }
        else
        {
            world.Files.Meta.Sync();
            (process.Care, process.CareStep) = (Care.None, 0);
            world.Story?.Add("the checkpoint syncs meta");
        }
    }

    private static Lengths Note(World world)
    {
        Process process = world.Process;
        var lengths = default(Lengths);
        for (int segment = 0; segment < world.Scope.Segments; segment++)
        {
            if (process.Life(segment) is SegmentLife.Sealed or SegmentLife.Retired)
            {
                lengths = lengths.With(segment, process.Sequences[segment], Lengths.Whole);
            }
        }

        bool coversCopies = !world.Keeps(Rule.PositionCoversPublished) && process.CleanerStep == CleanerStep.Copied;
        lengths = With(lengths, process.Cleaner, coversCopies ? 1 : 0);
        foreach (Writer writer in process.Writers)
        {
            bool coversAll = !world.Keeps(Rule.PositionCoversPublished) && writer.Step >= WriterStep.HeaderStored;
            lengths = With(lengths, writer.Appender, coversAll ? writer.Places : 0);
        }

        return lengths;
    }

    private static Lengths With(Lengths lengths, Appender appender, int more) =>
        appender.HasSegment ? lengths.With(appender.Segment, appender.Sequence, appender.Length + more) : lengths;
}
