using System.Collections.Generic;

namespace Pile.Tests.Durability.Model;

/// <summary>Put, Update, Delete and batches, rules W1, W2, W4, W5, B1 and B2: claim, payload, header, entry, count, each a step of its own.</summary>
internal sealed class WritingSteps : Steps
{
    private const int Draw = 0;
    private const int StoreRow = 1;
    private const int Seal = 2;
    private const int Put = 3;
    private const int Update = 4;
    private const int Delete = 5;
    private const int UpdateTwo = 6;
    private const int UpdateAndDelete = 7;
    private const int PutAndUpdate = 8;
    private const int PutAndDelete = 9;
    private const int GoOn = 10;
    private const int FramePlaces = 3;
    private static readonly string[] _names = ["writer 0", "writer 1"];

    internal override void Offer(World world, List<Act> acts)
    {
        for (int who = 0; who < world.Process.Writers.Length && world.Phase == Phase.Up; who++)
        {
            Writer writer = world.Process.Writers[who];
            if (writer.Step != WriterStep.Idle)
            {
                acts.Add(new Act(this, GoOn, who));
            }
            else if (!world.Process.IsPoisoned && world.Process.Care is Care.None or Care.Checkpoint)
            {
                OfferCalls(world, acts, who, writer.Appender);
            }
        }
    }

    internal override void Do(Act act, World world, Chooser chooser)
    {
        Writer writer = world.Process.Writers[act.Who];
        string name = _names[act.Who];
        switch (act.What)
        {
            case Draw:
                Appending.Draw(world, writer.Appender, name);
                break;
            case StoreRow:
                Appending.StoreRow(world, writer.Appender, name);
                break;
            case Seal:
                Appending.Seal(world, writer.Appender, name);
                break;
            case GoOn:
                GoOnWith(world, writer, name);
                break;
            default:
                Begin(act, world, writer, name);
                break;
        }
    }

    /// <summary>Whether a call in flight holds the stripe of the slot.</summary>
    private static bool IsHeld(World world, int slot)
    {
        foreach (Writer writer in world.Process.Writers)
        {
            if (writer.Changes(slot) && world.Keeps(writer.IsBatch ? Rule.BatchHoldsStripes : Rule.UpdateUnderStripe))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>The slot that is issued next, -1 for none: one that was freed before one that has no record.</summary>
    private static int FindSlot(World world, bool wantsFreed)
    {
        for (int slot = 0; slot < world.Scope.Slots; slot++)
        {
            TableEntry entry = world.Files.Table[slot];
            bool isTaken = false;
            foreach (Writer writer in world.Process.Writers)
            {
                isTaken |= writer.Changes(slot);
            }

            bool isReady = entry.HasPlace
                ? wantsFreed && (world.Process.SlotWaits[slot] == Process.Flushed || !world.Scope.IsPowerSafe || !world.Keeps(Rule.ReissueAfterFlush))
                : !wantsFreed;
            if (!entry.IsLive && !isTaken && isReady && world.Process.Uncounted[slot] == 0)
            {
                return slot;
            }
        }

        return -1;
    }

    private static Member NewPut(World world, int slot)
    {
        TableEntry entry = world.Files.Table[slot];
        MetaWord meta = world.Files.MetaNow;
        int generation = entry.HasPlace ? entry.Generation + 1 : meta.Floor + 1 + (world.Keeps(Rule.CountAdded) ? meta.Recoveries : 0);
        world.Promises.CheckIssue(slot, generation);
        return new Member(RecordKind.Object, true, slot, generation, 1, world.DrawValue());
    }

    /// <summary>With the next version, or one with a gap before it, which the slots of a stripe leave each other: the greatest gaps where they could do most harm, before the first
    /// kill or cut, after which what was lost would be newer than what is written then.</summary>
    private static Member NewUpdate(World world, int slot) =>
        new(RecordKind.Object, false, slot, world.Files.Table[slot].Generation, Current(world, slot).Version + (world.HasCrashed ? 1 : 3), world.DrawValue());

    private static Member NewDelete(World world, int slot) =>
        new(RecordKind.Tombstone, false, slot, world.Files.Table[slot].Generation, Current(world, slot).Version, 0);

    private static LogRecord Current(World world, int slot) => world.Files.RecordAt(world.Files.Table[slot].Spot);

    private static void GoOnWith(World world, Writer writer, string name)
    {
        switch (writer.Step)
        {
            case WriterStep.Claimed when world.Keeps(Rule.PayloadBeforeHeader):
                StorePayload(world, writer, name);
                writer.Step = WriterStep.PayloadStored;
                break;
            case WriterStep.Claimed:
                StoreHeader(world, writer, name);
                writer.Step = WriterStep.PayloadStored;
                break;
            case WriterStep.PayloadStored when !world.Keeps(Rule.PayloadBeforeHeader):
                StorePayload(world, writer, name);
                writer.Step = WriterStep.HeaderStored;
                break;
            case WriterStep.PayloadStored when world.Keeps(Rule.HeaderBeforeEntry):
                StoreHeader(world, writer, name);
                writer.Step = WriterStep.HeaderStored;
                break;
            case WriterStep.PayloadStored:
                Swing(world, writer, 0, name);
                writer.Step = WriterStep.SwungTooEarly;
                break;
            case WriterStep.SwungTooEarly:
                StoreHeader(world, writer, name);
                writer.Step = WriterStep.Swung;
                break;
            case WriterStep.HeaderStored:
                Swing(world, writer, 0, name);
                writer.Step = writer.IsBatch ? WriterStep.HalfSwung : WriterStep.Swung;
                break;
            case WriterStep.HalfSwung:
                Swing(world, writer, 1, name);
                writer.Step = WriterStep.Swung;
                break;
            default:
                Return(world, writer, name);
                break;
        }
    }

    /// <summary>The payload, of a batch the members behind the place of its head.</summary>
    private static void StorePayload(World world, Writer writer, string name)
    {
        Spot spot = writer.Appender.Next;
        for (int index = 0; index < writer.Count && writer.IsBatch; index++)
        {
            world.Files.StoreRecord(spot with { Place = spot.Place + 1 + index }, writer[index].Record(writer.Appender.Sequence, isMember: true));
        }

        if (world.Keeps(Rule.PayloadBeforeHeader))
        {
            world.Files.StorePayload(spot);
        }
        else
        {
            world.Files.Store(world.Files[spot], Head(writer).Pack());
        }

        world.Story?.Add($"{name} stores the {(writer.IsBatch ? "members behind" : "payload at")} {spot}");
    }

    /// <summary>The header, of a batch that of its frame.</summary>
    private static void StoreHeader(World world, Writer writer, string name)
    {
        Spot spot = writer.Appender.Next;
        if (world.Keeps(Rule.PayloadBeforeHeader))
        {
            world.Files.StoreHeader(spot, Head(writer));
        }
        else
        {
            world.Files.StorePayload(spot);
            world.Files.Store(world.Files[spot], (Head(writer) with { IsWhole = false }).Pack());
        }

        world.Story?.Add($"{name} stores the header at {spot}");
    }

    private static LogRecord Head(Writer writer) => writer.IsBatch
        ? new LogRecord(RecordKind.Frame, Value: writer.Count, Sequence: writer.Appender.Sequence)
        : writer[0].Record(writer.Appender.Sequence, isMember: false);

    private static void Swing(World world, Writer writer, int index, string name)
    {
        Member member = writer[index];
        Spot spot = writer.Appender.Next;
        spot = writer.IsBatch ? spot with { Place = spot.Place + 1 + index } : spot;
        world.Files.Table[member.Slot] = TableEntry.Of(member.Record(writer.Appender.Sequence, writer.IsBatch), spot);
        world.Promises.Publish(member.Slot, member.State, writer.IsBatch);
        world.Story?.Add($"{name} swings the entry of slot {member.Slot} to {spot}");
    }

    private static void Return(World world, Writer writer, string name)
    {
        for (int index = 0; index < writer.Count; index++)
        {
            if (writer[index].Kind == RecordKind.Tombstone && world.Process.Uncounted[writer[index].Slot] == 0)
            {
                world.Process.SlotWaits[writer[index].Slot] = Process.NotFlushed;
            }
        }

        writer.Appender.Length += writer.Places;
        writer.End();
        world.Story?.Add($"{name} counts the record and returns");
    }

    private void OfferCalls(World world, List<Act> acts, int who, Appender appender)
    {
        if (appender.IsDrawn)
        {
            acts.Add(new Act(this, StoreRow, who));
            if (world.Keeps(Rule.SequenceBeforeBytes))
            {
                return;
            }
        }

        bool wants = world.Has(Budget.Put) || world.Has(Budget.Update) || world.Has(Budget.Delete) || world.Has(Budget.Batch);
        if (!appender.HasSegment)
        {
            if (wants && Appending.FindFree(world) >= 0)
            {
                acts.Add(new Act(this, Draw, who));
            }

            return;
        }

        int room = world.Scope.Places - appender.Length;
        bool isShort = room == 0 || (world.Scope.SealsEarly && appender.Length > 0) || (room < FramePlaces && world.Has(Budget.Batch));
        if (isShort && !appender.IsDrawn && (wants || world.Has(Budget.Clean)))
        {
            acts.Add(new Act(this, Seal, who));
        }

        if (room > 0)
        {
            OfferSingles(world, acts, who);
        }

        if (room >= FramePlaces && world.Has(Budget.Batch))
        {
            OfferBatches(world, acts, who);
        }
    }

    private void OfferSingles(World world, List<Act> acts, int who)
    {
        if (world.Has(Budget.Put))
        {
            OfferPut(FindSlot(world, wantsFreed: true));
            OfferPut(FindSlot(world, wantsFreed: false));
        }

        for (int slot = 0; slot < world.Scope.Slots; slot++)
        {
            if (world.Files.Table[slot].IsLive && !IsHeld(world, slot))
            {
                if (world.Has(Budget.Update))
                {
                    acts.Add(new Act(this, Update, who, slot));
                }

                if (world.Has(Budget.Delete))
                {
                    acts.Add(new Act(this, Delete, who, slot));
                }
            }
        }

        void OfferPut(int slot)
        {
            if (slot >= 0)
            {
                acts.Add(new Act(this, Put, who, slot));
            }
        }
    }

    private void OfferBatches(World world, List<Act> acts, int who)
    {
        int free = FindSlot(world, wantsFreed: false);
        for (int slot = 0; slot < world.Scope.Slots; slot++)
        {
            if (!world.Files.Table[slot].IsLive || IsHeld(world, slot))
            {
                continue;
            }

            if (free >= 0)
            {
                acts.Add(new Act(this, PutAndUpdate, who, free, slot));
                acts.Add(new Act(this, PutAndDelete, who, free, slot));
            }

            for (int other = 0; other < world.Scope.Slots; other++)
            {
                if (other != slot && world.Files.Table[other].IsLive && !IsHeld(world, other))
                {
                    acts.Add(new Act(this, UpdateAndDelete, who, slot, other));
                    if (slot < other)
                    {
                        acts.Add(new Act(this, UpdateTwo, who, slot, other));
                    }
                }
            }
        }
    }

    private static void Begin(Act act, World world, Writer writer, string name)
    {
        world.Spend(act.What switch { Put => Budget.Put, Update => Budget.Update, Delete => Budget.Delete, _ => Budget.Batch });
        Member first = act.What switch
        {
            Put or PutAndUpdate or PutAndDelete => NewPut(world, act.Which),
            Delete => NewDelete(world, act.Which),
            _ => NewUpdate(world, act.Which),
        };
        Member? second = act.What switch
        {
            UpdateTwo or PutAndUpdate => NewUpdate(world, act.Other),
            UpdateAndDelete or PutAndDelete => NewDelete(world, act.Other),
            _ => null,
        };
        writer.Begin(first, second);
        world.Story?.Add($"{name} claims {writer.Appender.Next} for {(second is null ? $"a {first}" : $"a batch: {first}; {second}")}");
    }
}
