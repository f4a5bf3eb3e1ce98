using System;
using System.Collections.Generic;

namespace Pile.Tests.Durability.Model;

/// <summary>A flush, rules C1 and C2: reads the lengths, syncs, acknowledges; before that a marker says how far the flush before went.
/// The sync is one step at a moment of its own: whatever a slow one leaves unsynced, this one leaves when it comes early.</summary>
internal sealed class FlushingSteps : Steps
{
    private const int Start = 0;
    private const int Sync = 1;
    private const int Fail = 2;
    private const int Complete = 3;

    internal override void Offer(World world, List<Act> acts)
    {
        if (world.Phase != Phase.Up || world.Process.IsPoisoned || world.Process.Care == Care.Close)
        {
            return;
        }

        switch (world.Process.FlushStep)
        {
            case FlushStep.Idle when world.Has(Budget.Flush):
                acts.Add(new Act(this, Start));
                break;
            case FlushStep.Started:
                acts.Add(new Act(this, Sync));
                if (world.Has(Budget.FailedSync))
                {
                    acts.Add(new Act(this, Fail));
                }

                break;
            case FlushStep.Synced:
                acts.Add(new Act(this, Complete));
                break;
        }
    }

    internal override void Do(Act act, World world, Chooser chooser)
    {
        switch (act.What)
        {
            case Start:
                StartOne(world);
                break;
            case Sync:
                world.Process.FlushStep = FlushStep.Synced;
                SyncAll(world);
                break;
            case Fail:
                FailOne(world);
                break;
            default:
                world.Promises.FlushCompleted();
                world.Process.Advance(Process.FlushStarted);
                world.Process.LastLengths = world.Process.FlushLengths;
                world.Process.FlushLengths = default;
                world.Process.FlushStep = FlushStep.Idle;
                world.Story?.Add("the flush completes: what was visible at its start is acknowledged as durable");
                break;
        }
    }

    private static void SyncAll(World world)
    {
        if (!world.Keeps(Rule.SyncBeforeAcknowledge))
        {
            world.Story?.Add("the flush leaves the sync out");
        }
        else if (world.Keeps(Rule.FlushSyncsDirectory))
        {
            // But for what was stored before, where an open has left that out: see OpeningSteps.
            world.Files.SyncOwn();
            world.Story?.Add("the flush syncs");
        }
        else
        {
            world.Files.SyncExtents();
            world.Story?.Add("the flush syncs, but not the directory");
        }
    }

    private static void StartOne(World world)
    {
        Process process = world.Process;
        world.Spend(Budget.Flush);
        if (world.Scope.HasMarkers && process.Care == Care.None)
        {
            AppendMarker(world, world.Keeps(Rule.MarkerProvesFlushBefore) ? process.LastLengths : Read(world));
        }

        process.FlushLengths = world.Scope.HasMarkers ? Read(world) : default;
        process.FlushStep = FlushStep.Started;
        process.Advance(Process.NotFlushed);
        world.Promises.FlushStarted();
        world.Story?.Add("a flush starts: reads the lengths");
    }

    private static void AppendMarker(World world, Lengths proven)
    {
        Writer? writer = Array.Find(world.Process.Writers, candidate => candidate.Step == WriterStep.Idle
            && candidate.Appender.HasSegment && !candidate.Appender.IsDrawn && candidate.Appender.Length < world.Scope.Places);
        if (writer is null)
        {
            return;
        }

        world.Promises.ProofBegun();
        if (proven.Bits != 0)
        {
            Appender appender = writer.Appender;
            world.Files.StoreRecord(appender.Next, new LogRecord(
                RecordKind.Marker, Value: world.DrawMarker(), Sequence: appender.Sequence, Lengths: proven.Bits));
            string whose = world.Keeps(Rule.MarkerProvesFlushBefore) ? "the flush before" : "this flush";
            world.Story?.Add($"a marker that proves the lengths of {whose} is appended at {appender.Next}");
            appender.Length++;
        }
    }

    private static Lengths Read(World world)
    {
        Lengths lengths = Lengths.Below(world.NextSequence);
        foreach (Writer writer in world.Process.Writers)
        {
            bool isInFlight = writer.Step != WriterStep.Idle && !world.Keeps(Rule.LengthsCountWholeRecords);
            lengths = With(world, lengths, writer.Appender, isInFlight ? writer.Places : 0);
        }

        return With(world, lengths, world.Process.Cleaner, 0);
    }

    private static Lengths With(World world, Lengths lengths, Appender appender, int inFlight) =>
        appender.HasSegment && (!appender.IsDrawn || world.Keeps(Rule.DrawnSegmentsListed))
            ? lengths.With(appender.Segment, appender.Sequence, appender.Length + inFlight)
            : lengths;

    private static void FailOne(World world)
    {
        world.Spend(Budget.FailedSync);
        world.Files.ForLog(static cell => cell.FailSync());
        world.Files.IsTrusted = false;
        world.Files.StoreMeta(world.Files.MetaNow with { IsSyncFailed = true });
        world.Process.IsPoisoned = true;
        world.Story?.Add("the sync fails; the kernel takes what it did not write for clean; the pile is poisoned");
    }
}
