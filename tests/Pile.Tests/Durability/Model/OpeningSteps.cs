using System;
using System.Collections.Generic;

namespace Pile.Tests.Durability.Model;

/// <summary>An open, rules R1 to R8: after a clean close, by the table that the page cache kept, or by a crawl.</summary>
internal sealed class OpeningSteps : Steps
{
    private const int Open = 0;
    private const int GoOn = 1;
    private Crawl? _found;

    internal override void Offer(World world, List<Act> acts)
    {
        if (world.Phase is not (Phase.Up or Phase.Refused))
        {
            acts.Add(new Act(this, world.Phase == Phase.Down ? Open : GoOn));
        }
    }

    internal override void Do(Act act, World world, Chooser chooser)
    {
        _found = null;
        if (act.What == Open)
        {
            Begin(world, chooser);
        }
        else
        {
            Continue(world, chooser);
        }

        while (!world.Scope.OpensInSmallSteps && world.OpeningStep < StoresOf(world) && world.Phase is not (Phase.Up or Phase.Refused))
        {
            Continue(world, chooser);
        }
    }

    /// <summary>What a crawl finds: nothing that an open stores may change it (rule R7), so it is asked once a step.</summary>
    private Crawl Find(World world, Chooser chooser) => _found ??= Crawl.Run(world, chooser);

    /// <summary>Stores into mappings that come before the open waits for the disk: rows and entries, or two for each open segment.</summary>
    private static int StoresOf(World world) => world.Phase switch
    {
        Phase.OpeningTrusted => 2 * world.Scope.Segments,
        Phase.OpeningByCrawl or Phase.Recovering => world.Scope.Segments + world.Scope.Slots,
        _ => 0,
    };

    private void Begin(World world, Chooser chooser)
    {
        MetaWord meta = MetaWord.Unpack(world.Files.Meta.Read(chooser));
        bool isSameBoot = meta.IsBootNoted;
        bool countsAsCut = !isSameBoot || (meta.IsSyncFailed && world.Keeps(Rule.FailedSyncCounts));
        world.Phase = meta.IsClean ? Phase.OpeningClean
            : countsAsCut ? Phase.Recovering
            : world.Files.IsTrusted && chooser.Choose(2) == 0 ? Phase.OpeningTrusted
            : Phase.OpeningByCrawl;
        world.Story?.Add($"an open begins: {world.Phase switch
        {
            Phase.OpeningClean => "the pile was closed",
            Phase.OpeningTrusted => "the same boot, the table is trusted",
            Phase.OpeningByCrawl => "the same boot, a crawl",
            _ => "recovery by a crawl",
        }}");
        if (isSameBoot && world.Keeps(Rule.MetaSyncedAtOpen))
        {
            world.Files.Meta.Sync();
        }

        if (meta.IsClean)
        {
            ReadTable(world, chooser, isSameBoot);
            world.Files.StoreMeta(meta with { IsClean = false, IsBootNoted = true });
        }
        else if (!isSameBoot && !world.Keeps(Rule.BootNotedWithCount))
        {
            world.Files.StoreMeta(meta with { IsBootNoted = true });
        }

        Crawl crawl = Find(world, chooser);
        if (crawl.HasMetDamage)
        {
            world.Phase = Phase.Refused;
            world.Story?.Add("it meets damage, and refuses");
            return;
        }

        // In the process's memory: what is stored from here on may change what a crawl would say.
        world.ForgetsCheckpoint = (crawl.IsBesideCheckpoint && world.Phase == Phase.Recovering && world.Keeps(Rule.CheckpointForgottenBeside))
            || (meta.HasCheckpoint && world.Phase == Phase.OpeningByCrawl && world.Keeps(Rule.CheckpointForgottenByCrawl));
        TellWhatIsFound(world, crawl);
        world.Promises.Recovered(crawl.States, isOnDisk: !isSameBoot);
        if (world.Phase is Phase.OpeningByCrawl or Phase.Recovering)
        {
            world.Files.IsTrusted = !world.Keeps(Rule.TrustedLast);
            Array.Clear(world.Files.Table);
        }
    }

    private static void TellWhatIsFound(World world, Crawl crawl)
    {
        for (int slot = 0; slot < world.Scope.Slots && world.Story is not null; slot++)
        {
            world.Story.Add($"the log says of slot {slot}: {crawl.States[slot]}{(crawl.Newest[slot].IsOfASlot ? $" at {crawl.Spots[slot]}" : "")}");
        }
    }

    /// <summary>After a cut a table page is the one of the close, or one that was written out since.</summary>
    private static void ReadTable(World world, Chooser chooser, bool isSameBoot)
    {
        for (int slot = 0; slot < world.Scope.Slots && !isSameBoot; slot++)
        {
            if (world.Files.Table[slot] != world.Files.TableAtClose[slot] && chooser.Choose(2) == 1)
            {
                world.Files.Table[slot] = world.Files.TableAtClose[slot];
            }
        }
    }

    private void Continue(World world, Chooser chooser)
    {
        int step = world.OpeningStep++;
        int stores = StoresOf(world);
        switch (world.Phase)
        {
            case Phase.OpeningTrusted when step < stores:
                RollForwardOrSeal(world, chooser, step / 2, isFirst: step % 2 == 0);
                break;
            case Phase.OpeningByCrawl or Phase.Recovering when step < world.Scope.Segments:
                StoreCut(world, Find(world, chooser), step);
                break;
            case Phase.OpeningByCrawl or Phase.Recovering when step < stores:
                StoreEntry(world, Find(world, chooser), step - world.Scope.Segments);
                break;
            case Phase.Recovering when step == stores:
                MetaWord meta = world.Files.MetaNow;
                world.Files.StoreMeta(meta with { IsBootNoted = true, Recoveries = meta.Recoveries + 1, HasCheckpoint = meta.HasCheckpoint && !world.ForgetsCheckpoint });
                world.Story?.Add($"the recovery count {meta.Recoveries + 1} is stored{(world.ForgetsCheckpoint ? ", the checkpoint forgotten" : "")}");
                break;
            default:
                SyncWhatWasFound(world);
                TakeOver(world, chooser);
                break;
        }
    }

    private static void SyncWhatWasFound(World world)
    {
        MetaWord meta = world.Files.MetaNow;
        if (world.Phase == Phase.OpeningClean && world.Keeps(Rule.NotCleanDurable))
        {
            world.Files.Meta.Sync();
        }

        if (meta.IsSyncFailed)
        {
            if (world.Keeps(Rule.FailedPagesRewritten))
            {
                world.Files.ForLog(static cell => cell.Dirty());
            }

            if (world.Keeps(Rule.FailedPagesSynced))
            {
                world.Files.SyncLog();
            }

            world.Files.StoreMeta(meta with { IsSyncFailed = false });
            world.Promises.FlushStarted();
            world.Promises.FlushCompleted();
        }

        if (world.Phase == Phase.OpeningByCrawl && world.ForgetsCheckpoint)
        {
            world.Files.StoreMeta(world.Files.MetaNow with { HasCheckpoint = false });
            world.Files.Meta.Sync();
            world.Story?.Add("the checkpoint is forgotten");
        }

        if ((world.Phase == Phase.Recovering || meta.IsSyncFailed) && world.Keeps(Rule.CountDurable))
        {
            world.Files.Meta.Sync();
        }

        // Nothing else is waited for: the first flush syncs what is stored and not durable, whoever has stored it.
        if (!world.Keeps(world.Phase == Phase.Recovering ? Rule.FirstFlushCoversRecovery : Rule.FirstFlushCoversKilled))
        {
            world.Files.ForLog(static cell => cell.LeaveToNext());
        }
    }

    /// <summary>The process takes the pile over as it is now.</summary>
    private void TakeOver(World world, Chooser chooser)
    {
        Crawl crawl = Find(world, chooser);
        Process process = world.Process;
        bool isDurable = world.Phase == Phase.OpeningClean || (world.Phase == Phase.Recovering && !world.Keeps(Rule.FreedWaitsOverCut));
        for (int segment = 0; segment < world.Scope.Segments; segment++)
        {
            RowWord row = world.Files.Row(segment);
            SegmentLife life = row.Life == SegmentLife.Retired ? SegmentLife.Retired
                : crawl.Counts[segment] && crawl.Kept[segment] > 0 ? SegmentLife.Sealed
                : SegmentLife.Free;
            Rule waits = life == SegmentLife.Retired ? Rule.ReuseWaitsOverKill : Rule.VictimsFlushedOverKill;
            process.Set(segment, life, isDurable || !world.Keeps(waits) ? Process.Flushed : Process.NotFlushed);
            process.Sequences[segment] = life == SegmentLife.Free ? 0 : row.Sequence;
            process.SealedLengths[segment] = crawl.Kept[segment];
            if (row.Life == SegmentLife.Open && !world.Keeps(Rule.NothingAppendedToOld) && !process.Writers[0].Appender.HasSegment)
            {
                Appender appender = process.Writers[0].Appender;
                (appender.Segment, appender.Sequence, appender.Length) = (segment, row.Sequence, crawl.Kept[segment]);
                process.Set(segment, SegmentLife.Open, Process.NotFlushed);
                process.Sequences[segment] = row.Sequence;
            }
        }

        Array.Fill(process.SlotWaits, isDurable || !world.Keeps(Rule.ReissueWaitsOverKill) ? Process.Flushed : Process.NotFlushed);
        if (world.Scope.CountsLater)
        {
            Array.Fill(process.Uncounted, 1);
            process.OpenedSequence = world.NextSequence - 1;
        }

        Prove(world);
        world.Files.IsTrusted = true;
        world.Phase = Phase.Up;
        world.OpeningStep = 0;
        world.ForgetsCheckpoint = false;
        world.Story?.Add("the pile is open");
    }

    /// <summary>What the first flush proves: of what a close had synced, all.</summary>
    private static void Prove(World world)
    {
        bool wasClosed = world.Phase == Phase.OpeningClean;
        if (world.Scope.HasMarkers && (wasClosed ? world.Keeps(Rule.FirstFlushProvesClose) : !world.Keeps(Rule.OnlyClosesProve)))
        {
            world.Process.LastLengths = Lengths.Below(world.NextSequence);
        }

        world.Promises.Opened(wasClosed && world.Scope.HasMarkers ? world.NextSequence : 0);
    }

    private void RollForwardOrSeal(World world, Chooser chooser, int segment, bool isFirst)
    {
        if (isFirst && world.Files.Row(segment).Life != SegmentLife.Open)
        {
            world.OpeningStep++;
        }
        else if (isFirst == world.Keeps(Rule.RollForwardBeforeSeal))
        {
            RollForward(world, Find(world, chooser), segment);
        }
        else
        {
            StoreCut(world, Find(world, chooser), segment);
        }
    }

    /// <summary>The last record or frame of an open segment is published, if it is newer than what the entry refers to.</summary>
    private static void RollForward(World world, Crawl crawl, int segment)
    {
        if (crawl.LastAt[segment] < 0 || !world.Keeps(Rule.RollsForward))
        {
            return;
        }

        (int first, int end) = crawl.Records(segment, crawl.LastAt[segment]);
        for (int place = first; place < end; place++)
        {
            var spot = new Spot(segment, place);
            LogRecord record = world.Files.RecordAt(spot);
            if (record.IsOfASlot && (record.Age > AgeOf(world, record.Slot) || !world.Keeps(Rule.RollForwardCompares)))
            {
                world.Files.Table[record.Slot] = TableEntry.Of(record, spot);
                world.Story?.Add($"{spot} is rolled forward");
            }
        }
    }

    private static int AgeOf(World world, int slot)
    {
        TableEntry entry = world.Files.Table[slot];
        return entry.HasPlace ? world.Files.RecordAt(entry.Spot).Age : -1;
    }

    /// <summary>A segment ends for good where the crawl stopped.</summary>
    private static void StoreCut(World world, Crawl crawl, int segment)
    {
        RowWord row = world.Files.Row(segment);
        bool isKeptOpen = row.Life == SegmentLife.Open && !world.Keeps(Rule.NothingAppendedToOld) && crawl.Kept[segment] < world.Scope.Places;
        bool isStillRetired = row.Life == SegmentLife.Retired && !(crawl.IsCurrent(segment) && world.Keeps(Rule.RetiredTakenBack));
        if (row.Life == SegmentLife.Free || isStillRetired || isKeptOpen || !world.Keeps(Rule.CutsStored))
        {
            return;
        }

        int kept = crawl.Counts[segment] ? crawl.Kept[segment] : 0;
        world.Files.StoreRow(segment, kept == 0
            ? new RowWord(SegmentLife.Free)
            : new RowWord(SegmentLife.Sealed, row.Sequence, kept));
        world.Story?.Add(kept == 0 ? $"S{segment} is free" : $"S{segment} is sealed at length {kept}");
    }

    private static void StoreEntry(World world, Crawl crawl, int slot)
    {
        LogRecord newest = crawl.Newest[slot];
        TableEntry entry = newest.IsOfASlot ? TableEntry.Of(newest, crawl.Spots[slot]) : default;

        // What is free goes on above what may have been issued and lost; what lives was not issued again, for its tombstone comes first (W5).
        bool isRaised = newest.Kind == RecordKind.Tombstone && world.Keeps(Rule.CountAdded);
        int recoveries = world.Files.MetaNow.Recoveries + (world.Phase == Phase.Recovering ? 1 : 0);
        world.Files.Table[slot] = entry with { Generation = entry.Generation + (isRaised ? recoveries : 0) };
    }
}
