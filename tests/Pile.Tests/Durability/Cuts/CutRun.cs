using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Pile.Format;
using Pile.Heap;
using Pile.Tests.Memory.Simulation;
using Pile.Tests.Model;

namespace Pile.Tests.Durability.Cuts;

/// <summary>Random operations on an open pile, noted in its model when they have returned. One thread; what it does follows from its
/// random numbers alone.</summary>
internal sealed class CutRun(ObjectPile pile, CutModel model, CutPlan plan, Random random)
{
    private const int RootNames = 4;
    private const int LargeBytesMin = 16 << 10;
    private const int MeanwhileMax = 6;
    private const int FreeBytesMin = 768 << 10;
    private const int BurstOneIn = 16;
    private const int BurstMax = 2_000;
    private const int CountOneIn = 24;
    private readonly HeapCore<DurableRecord> _core = pile.Durable!.Core;
    private readonly int _thread = Environment.CurrentManagedThreadId;
    private readonly Queue<PileBatch> _left = [];
    private CutMark? _mark;
    private bool _isMeanwhile;

    /// <summary>What the last operation was.</summary>
    internal string Last { get; private set; } = "open";

    /// <summary>Is called when an operation has ended and the model knows, but not yet that it made all before it durable.</summary>
    internal Action Done { get; init; } = static () => { };

    /// <summary>At how many of a hundred calls of the files, within a commit or a checkpoint, and stretches of slots within a count, something else is done as by another thread.</summary>
    internal int MeanwhilePercent { get; init; }

    /// <summary>The files, held by whoever calls them.</summary>
    internal required SimulatedFiles Files { get; init; }

    /// <summary>How often that was.</summary>
    internal int Meanwhiles { get; private set; }

    /// <summary>A call of the files. Those of a checkpoint's own file, and the syncs of the log, are made without a lock that a writer needs: there others
    /// put, update and delete.</summary>
    internal void AtCall(string call)
    {
        bool isOpen = call.Contains("checkpoint", StringComparison.Ordinal)
            || (call.StartsWith("fdatasync", StringComparison.Ordinal) && call.Contains("extent", StringComparison.Ordinal));
        if (Environment.CurrentManagedThreadId != _thread || _mark is null || _isMeanwhile || !isOpen || !MayMeanwhile())
        {
            return;
        }

        // Others that hold a lock may be waiting to call the files: not with the files held, then.
        Files.Gate.Exit();
        if (Files.Gate.IsHeldByCurrentThread)
        {
            Files.Gate.Enter();
            return;
        }

        try
        {
            Meanwhile(call);
        }
        finally
        {
            Files.Gate.Enter();
        }
    }

    /// <summary>Does one thing. A pile without room is no failure: it does nothing then.</summary>
    internal void Step()
    {
        try
        {
            int percent = random.Next(100);
            if (!_core.IsCountedWhole && random.Next(CountOneIn) == 0)
            {
                Count();
            }
            else if (random.Next(1000) < plan.ClearPermille)
            {
                Clear();
            }
            else if (random.Next(1000) < plan.CommitPermille)
            {
                Commit();
            }
            else if (percent < plan.CleanPercent)
            {
                Clean();
            }
            else if (percent < plan.CleanPercent + plan.BatchPercent)
            {
                Batch();
            }
            else if (percent > 95)
            {
                ChangeRoot();
            }
            else if (percent == 95 && _core.IsCountedWhole)
            {
                TakeCheckpoint();
            }
            else if (percent == 94)
            {
                LeaveBatch();
            }
            else
            {
                ChangeOne();
            }
        }
        catch (PileFullException)
        {
            Last += ", full";
            End();
        }
    }

    internal void Commit()
    {
        Last = "commit";
        AmongOthers(() =>
        {
            pile.Commit();
            return true;
        });
    }

    private void TakeCheckpoint()
    {
        Last = "checkpoint";
        AmongOthers(() => pile.Durable!.Checkpoints.TryTake(CancellationToken.None));
    }

    /// <summary>Makes durable what was done before the call, or says that it did not.</summary>
    private void AmongOthers(Func<bool> commit)
    {
        CutMark mark = model.Mark();
        bool isDurable;
        _mark = mark;
        try
        {
            isDurable = commit();
        }
        finally
        {
            _mark = null;
        }

        End();
        if (isDurable)
        {
            model.Committed(mark);
        }
    }

    /// <summary>Counts what lives, where an open left that to later; between stretches of slots others put, update and delete.</summary>
    private void Count()
    {
        Last = "count";
        HeapRecount recount = pile.Durable!.Upkeep.Recounting;
        recount.Between = () =>
        {
            if (MayMeanwhile())
            {
                Meanwhile("the count");
            }
        };
        _core.RoomForWrites.WaitCounted();
        recount.Between = static () => { };
        End();
    }

    // Where there is no room left, a writer waits for the flush, or the count, that is under way.
    private bool MayMeanwhile() => random.Next(100) < MeanwhilePercent && _core.Budget.FreeBytes >= FreeBytesMin;

    private void Meanwhile(string call)
    {
        string outer = Last;
        _isMeanwhile = true;
        try
        {
            ChangeSome();
        }
        catch (PileFullException)
        {
            Last += ", full";
        }
        finally
        {
            _isMeanwhile = false;
            Last = $"{outer}, meanwhile at {call}: {Last}";
        }
    }

    private void ChangeSome()
    {
        Meanwhiles++;
        uint slots = _core.Slots.HighWater;
        int puts = random.Next(BurstOneIn) == 0 ? BurstMax : 0;
        for (int put = 0; put < puts && _core.Slots.HighWater == slots; put++)
        {
            PutOne(new CutState(model.NextVersion++, CutLane.Bytes, Pile.Tests.Model.Content.HeaderBytes));
        }

        for (int count = random.Next(1, MeanwhileMax); count > 0; count--)
        {
            switch (random.Next(8))
            {
                case 0:
                    Batch();
                    break;
                case 1:
                    ChangeRoot();
                    break;
                default:
                    ChangeOne();
                    break;
            }
        }
    }

    private void PutOne(CutState state)
    {
        Last = $"put of {state}";
        long key = model.NextKey++;
        model.Put(key, CutContent.Put(pile, key, state), state);
    }

    /// <summary>An operation has ended.</summary>
    private void End()
    {
        model.Note(Last);
        if (!_isMeanwhile)
        {
            Done();
        }
    }

    private void Clear()
    {
        Last = "clear";
        model.IsClearing = true;
        pile.Clear();
        End();
        model.Cleared();
    }

    private void Clean()
    {
        Last = "clean";
        if (random.Next(8) == 0)
        {
            _ = pile.Compact(1.05);
        }
        else
        {
            _core.Cleaner.EnterRole();
            _ = _core.Cleaner.Pass(wantedSegments: 2, utilisationMax: 0.98, waitMs: 0);
            _core.Cleaner.ExitRole();
        }

        End();
    }

    private void ChangeOne()
    {
        List<CutObject> there = There();
        int choice = random.Next(100);
        int put = there.Count > plan.ObjectsMax ? 15 : 45;
        int updated = put + (there.Count > plan.ObjectsMax ? 35 : 40);
        CutObject? item = there.Count == 0 ? null : there[random.Next(there.Count)];
        CutState state = Draw(item is null || choice < put ? plan.Lanes : 3);
        if (item is null || choice < put)
        {
            PutOne(state);
        }
        else if (choice < updated)
        {
            Last = $"update of key {item.Key}, {item.Pointer}, to {state}";
            CutContent.Update(pile, item.Pointer, item.Key, state);
            item.States.Add(state);
        }
        else
        {
            Last = $"delete of key {item.Key}, {item.Pointer}";
            ModelMismatchException.Unless(pile.Delete(item.Pointer), "state", $"key {item.Key}, pointer {item.Pointer}: it is stale");
            item.States.Add(default);
        }

        End();
    }

    private void Batch()
    {
        Last = "batch";
        using PileBatch batch = pile.BeginBatch();
        List<CutObject> there = There();
        List<(CutObject Item, CutState State)> changes = [];
        List<(long Key, PilePointer Pointer, CutState State)> puts = [];
        for (int count = random.Next(1, 8); count > 0; count--)
        {
            CutState state = Draw(2);
            int choice = there.Count == 0 ? 0 : random.Next(3);
            if (choice == 0)
            {
                long key = model.NextKey++;
                puts.Add((key, CutContent.Put(batch, key, state), state));
                continue;
            }

            int place = random.Next(there.Count);
            CutObject item = there[place];
            there.RemoveAt(place);
            if (choice == 1)
            {
                CutContent.Update(batch, item.Pointer, item.Key, state);
            }
            else
            {
                batch.Delete(item.Pointer);
            }

            changes.Add((item, choice == 1 ? state : default));
        }

        Last = $"batch: puts of {string.Join(", ", puts.Select(static put => $"{put.Key} as {put.Pointer}"))}; changes of {string.Join(", ", changes.Select(static change => $"{change.Item.Key} to {change.State.Version}"))}";
        batch.Commit();
        changes.ForEach(static change => change.Item.States.Add(change.State));
        foreach ((long key, PilePointer pointer, CutState state) in puts)
        {
            model.Put(key, pointer, state);
        }

        model.Batch(changes.Select(static change => change.Item).Concat(model.Objects.TakeLast(puts.Count)));
        End();
    }

    /// <summary>Begins a batch that is never committed: given up by a later step, or open when the session ends. No object is ever given its pointers.</summary>
    private void LeaveBatch()
    {
        if (_left.Count > 0 && random.Next(2) == 0)
        {
            Last = "end of a batch that was open";
            _left.Dequeue().Dispose();
            End();
            return;
        }

        Last = "batch left open";
        PileBatch batch = pile.BeginBatch();
        _left.Enqueue(batch);
        for (int count = random.Next(1, 5); count > 0; count--)
        {
            long key = model.NextKey++;
            model.Leave(key, CutContent.Put(batch, key, Draw(2)));
        }

        End();
    }

    private void ChangeRoot()
    {
        string name = $"root {random.Next(RootNames)}";
        List<CutObject> there = There();
        bool isThere = pile.Roots.TryGet(name, out _);
        if (isThere && (there.Count == 0 || random.Next(4) == 0))
        {
            Last = $"removal of {name}";
            _ = pile.Roots.Remove(name);
            model.SetRoot(name, default);
        }
        else if (there.Count > 0)
        {
            Last = $"change of {name}";
            PilePointer pointer = there[random.Next(there.Count)].Pointer;
            pile.Roots.Set(name, pointer);
            model.SetRoot(name, pointer);
        }

        End();
    }

    private List<CutObject> There() => model.Objects.FindAll(static item => item.IsThere);

    private CutState Draw(int lanes)
    {
        // A graph whose schema is new waits for a flush, and so may a large object: not within one.
        var lane = (CutLane)random.Next(int.Min(_isMeanwhile ? 2 : lanes, plan.Lanes));
        bool isLarge = !_isMeanwhile && lane == CutLane.Bytes && random.Next(100) < plan.LargePercent;
        int bytes = isLarge ? LargeBytesMin + random.Next(3 * LargeBytesMin) : Pile.Tests.Model.Content.HeaderBytes + random.Next(plan.BytesMax);
        return new CutState(model.NextVersion++, lane, bytes);
    }
}
