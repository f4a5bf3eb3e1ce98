using System;
using System.Collections.Generic;
using Pile.Format;
using Pile.Memory;

namespace Pile.Tests.Model;

/// <summary>Random operations on one pile and on a plain dictionary, by one thread; whatever differs is thrown.
/// The operations follow from the seed alone, whatever the pile answers.</summary>
internal sealed class ModelRun : IDisposable
{
    private const int StalePointersKept = 4096;
    private const int PhaseOperations = 15_000;
    private const long LimitBytes = 24 << 20;

    private readonly Random _random;
    private readonly ObjectPile _pile;
    private readonly Dictionary<long, ModelObject> _objects = [];
    private readonly List<ModelObject> _list = [];
    private readonly List<PilePointer> _stale = [];
    private readonly ModelPins _pins;
    private long _nextKey = 1;
    private long _operation;
    private long _usedSeen;

    internal ModelRun(int seed, bool background, TimeProvider? time = null, RegionProvider? regions = null)
    {
        Seed = seed;
        _random = new Random(seed);
        _pile = TinyPile.Create(background, LimitBytes, time: time ?? new SteppingTime(), regions: regions);
        _pins = new ModelPins(_pile, Coverage);
    }

    internal int Seed { get; }

    internal ModelCoverage Coverage { get; } = new();

    internal ObjectPile Pile => _pile;

    private bool IsGrowing => _operation / PhaseOperations % 2 == 0;

    /// <summary>Runs and verifies; leaves the objects in place.</summary>
    internal void Run(long operations)
    {
        try
        {
            for (long end = _operation + operations; _operation < end; _operation++)
            {
                Step();
                if (_operation % PhaseOperations == PhaseOperations - 1)
                {
                    VerifyNow();
                }
            }

            VerifyNow();
        }
        catch (Exception failure)
        {
            string detector = failure is ModelMismatchException mismatch ? mismatch.Detector : failure.GetType().Name;
            throw new ModelMismatchException(detector, $"seed {Seed}, operation {_operation}: {failure.Message}", failure);
        }

        PileStatistics statistics = _pile.GetStatistics();
        Coverage["segments rolled"] = _pile.Core.Pool.Opened.Takes;
        Coverage["cleaner passes"] = statistics.CleanerPasses;
        Coverage["records moved"] = statistics.CleanerMovedRecords;
    }

    /// <summary>Deletes everything one by one; afterwards every count is exactly zero.</summary>
    internal void Empty()
    {
        _pins.End();
        while (_list.Count > 0)
        {
            ModelObject last = _list[^1];
            ModelMismatchException.Unless(_pile.Delete(last.Pointer), "status", $"seed {Seed}: delete of live key {last.Key} said stale");
            Forget(last);
        }

        // Twice: the first may still await an epoch that the background thread had begun before.
        _ = _pile.Core.Large.Reclaim(waitMs: 1000);
        _ = _pile.Core.Large.Reclaim(waitMs: 1000);
        PileStatistics statistics;
        lock (_pile.Core.Keeper.Working)
        {
            // Not in the middle of a step of the background thread.
            statistics = _pile.GetStatistics();
        }

        bool isEmpty = statistics is { Objects: 0, LiveBytes: 0, LargeObjects: 0, LargeBytes: 0, Pins: 0 };
        ModelMismatchException.Unless(isEmpty, "count", $"seed {Seed}: not zero after deleting everything, {_pile.Core.Large.RetiredBytes} bytes of runs wait: {statistics}");
        TinyPile.RequireGood(_pile, $"seed {Seed}, emptied");
    }

    public void Dispose()
    {
        _pins.End();
        _pile.Dispose();
    }

    private void Step()
    {
        int put = IsGrowing ? 300 : 120;
        int delete = IsGrowing ? 100 : 270;
        int choice = _random.Next(1000);
        int size = NextBytes();
        int place = _random.Next(int.MaxValue);
        ModelObject? chosen = _list.Count == 0 ? null : _list[place % _list.Count];
        if (choice < put || chosen is null)
        {
            Put(size, isCounter: choice % 16 == 0);
        }
        else if (choice < put + delete)
        {
            Delete(chosen, byTake: choice % 4 == 0);
        }
        else if (choice < 650)
        {
            Update(chosen, choice % 2 == 0 ? chosen.Bytes : size);
        }
        else if (choice < 850)
        {
            Read(chosen);
        }
        else if (choice < 900)
        {
            Nest(chosen, _list[(place / 7) % _list.Count], size);
        }
        else if (choice < 960)
        {
            ProbeStale(place);
        }
        else if (choice < 985)
        {
            Pin(chosen);
        }
        else
        {
            Rare(place, _random.Next(1000));
        }

        Sample();
    }

    private void Rare(int place, int choice)
    {
        if (choice < 25)
        {
            ChangeLimit(place);
        }
        else if (choice < 40)
        {
            Enumerate();
        }
        else if (choice < 50)
        {
            _ = _pile.Compact(1.05 + (place % 100 / 100.0));
            Coverage["compactions"]++;
        }
        else if (choice < 52)
        {
            Clear();
        }
        else
        {
            _pins.End();
        }
    }

    private int NextBytes()
    {
        int kind = _random.Next(1000);
        int within = _random.Next(int.MaxValue);
        return Content.HeaderBytes + (kind < 700 ? within % 200 : kind < 950 ? within % 2000 : kind < 990 ? within % 15_000 : (16 << 10) + (within % 200_000));
    }

    private void Put(int bytes, bool isCounter)
    {
        long key = _nextKey++;
        PilePointer pointer;
        PileStatus status;
        bool stored = isCounter
            ? _pile.TryPut(key, out pointer, out status)
            : _pile.TryPut(Content.Make(key, 1, bytes), out pointer, out status);
        if (!stored)
        {
            CountFull(status);
            return;
        }

        var added = new ModelObject { Key = key, Pointer = pointer, Version = 1, Bytes = isCounter ? sizeof(long) : bytes, Counter = isCounter ? key : null, Place = _list.Count };
        ModelMismatchException.Unless(!_stale.Contains(pointer), "pointer issued twice", $"{pointer} of key {key}");
        _objects.Add(key, added);
        _list.Add(added);
        Coverage["slots recycled"] += pointer.Generation > 1 ? 1 : 0;
        Coverage["large created"] += added.IsLarge ? 1 : 0;
    }

    private void Update(ModelObject chosen, int bytes)
    {
        if (chosen.Counter is { } counter)
        {
            ChangeCounter(chosen, counter, bytes);
            return;
        }

        bytes = int.Max(bytes, Content.HeaderBytes);
        PileStatus status = _pile.TryUpdate(chosen.Pointer, Content.Make(chosen.Key, chosen.Version + 1, bytes));
        if (status != PileStatus.Ok)
        {
            CountFull(status);
            return;
        }

        Coverage["large freed"] += chosen.IsLarge ? 1 : 0;
        chosen.Version++;
        chosen.Bytes = bytes;
        Coverage["large created"] += chosen.IsLarge ? 1 : 0;
    }

    private void ChangeCounter(ModelObject chosen, long counter, int add)
    {
        try
        {
            _pile.Update(chosen.Pointer, add, static (long value, int more) => value + more);
            chosen.Counter = counter + add;
            Coverage["changes"]++;
        }
        catch (PileFullException)
        {
            Coverage["full answered"]++;
        }
    }

    private void Delete(ModelObject chosen, bool byTake)
    {
        if (byTake && chosen.Counter is { } counter)
        {
            bool taken = _pile.TryTake(chosen.Pointer, out long value);
            ModelMismatchException.Unless(taken && value == counter, "wrong content", $"take of counter {chosen.Key}: {taken}, {value} instead of {counter}");
            Coverage["takes"]++;
        }
        else if (byTake)
        {
            bool taken = _pile.TryTake(chosen.Pointer, out byte[]? bytes);
            ModelMismatchException.Unless(taken, "status", $"take of live key {chosen.Key} said stale");
            chosen.Require(bytes, "take");
            Coverage["takes"]++;
        }
        else
        {
            ModelMismatchException.Unless(_pile.Delete(chosen.Pointer), "status", $"delete of live key {chosen.Key} said stale");
        }

        Forget(chosen);
    }

    private void Forget(ModelObject chosen)
    {
        ModelObject last = _list[^1];
        _list[chosen.Place] = last;
        last.Place = chosen.Place;
        _list.RemoveAt(_list.Count - 1);
        _objects.Remove(chosen.Key);
        Coverage["large freed"] += chosen.IsLarge ? 1 : 0;
        if (_stale.Count < StalePointersKept)
        {
            _stale.Add(chosen.Pointer);
        }
        else
        {
            _stale[(int)(chosen.Key % StalePointersKept)] = chosen.Pointer;
        }
    }

    private void Read(ModelObject chosen)
    {
        ModelMismatchException.Unless(_pile.TryLease(chosen.Pointer, out PileLease lease, out PileStatus status), "status", $"live key {chosen.Key} said {status}");
        using (lease)
        {
            chosen.Require(lease.Bytes, "lease");
        }

        if (chosen.Counter is { } counter)
        {
            ModelMismatchException.Unless(_pile.Get<long>(chosen.Pointer) == counter, "wrong content", $"get of counter {chosen.Key}");
        }
    }

    /// <summary>Updates an object under a lease of it, with another lease inside: the bytes leased stay what they were.</summary>
    private void Nest(ModelObject outerObject, ModelObject innerObject, int bytes)
    {
        byte[] before;
        using PileLease outer = _pile.Lease(outerObject.Pointer);
        before = outer.Bytes.ToArray();
        outerObject.Require(before, "outer lease");
        Update(outerObject, bytes);
        using (PileLease inner = _pile.Lease(innerObject.Pointer))
        {
            innerObject.Require(inner.Bytes, "inner lease");
            Put(bytes, isCounter: false);
        }

        Coverage["leases nested"]++;
        ModelMismatchException.Unless(outer.Bytes.SequenceEqual(before), "wrong content", $"the leased bytes of key {outerObject.Key} changed under the lease");
    }

    private void ProbeStale(int place)
    {
        if (_stale.Count == 0)
        {
            return;
        }

        PilePointer pointer = _stale[place % _stale.Count];
        bool found = _pile.TryLease(pointer, out PileLease lease, out PileStatus status);
        lease.Dispose();
        ModelMismatchException.Unless(!found && status == PileStatus.Stale, "stale pointer read another object", $"{pointer} answered {status}");
        ModelMismatchException.Unless(!_pile.Delete(pointer), "stale pointer deleted another object", $"{pointer}");
        PileStatus updated = _pile.TryUpdate(pointer, 1L);
        ModelMismatchException.Unless(updated == PileStatus.Stale, "stale pointer updated another object", $"{pointer} answered {updated}");
        Coverage["stale probes"]++;
    }

    private void Pin(ModelObject chosen)
    {
        chosen.Require(_pins.Add(_pile.Pin(chosen.Pointer)), "pin");
    }

    private void ChangeLimit(int place)
    {
        _pile.MemoryLimitBytes = (2 << 20) + (place % LimitBytes);
        Coverage["limit changes"]++;
    }

    private void Enumerate()
    {
        var seen = new HashSet<long>();
        foreach (PileItem item in _pile.Enumerate())
        {
            using PileLease lease = _pile.Lease(item.Pointer);
            ModelMismatchException.Unless(lease.Length == item.PayloadBytes, "enumeration", $"{item.Pointer}: {item.PayloadBytes} bytes, lease says {lease.Length}");
            long key = lease.Code == RecordCode.Bytes && Content.IsWhole(lease.Bytes, out long found, out _) ? found : -1;
            ModelMismatchException.Unless(lease.Code == RecordCode.Value || (key > 0 && seen.Add(key) && _objects[key].Pointer == item.Pointer), "enumeration", $"{item.Pointer} is key {key}");
            if (lease.Code == RecordCode.Value)
            {
                seen.Add(-(long)item.Pointer.Slot);
            }
        }

        ModelMismatchException.Unless(seen.Count == _list.Count, "enumeration", $"{seen.Count} objects met, {_list.Count} alive");
        Coverage["enumerations"]++;
    }

    private void Clear()
    {
        _pile.Clear();
        while (_list.Count > 0)
        {
            Forget(_list[^1]);
        }

        Coverage["clears"]++;
    }

    private void VerifyNow()
    {
        TinyPile.RequireGood(_pile, "verify");
        PileStatistics statistics = _pile.GetStatistics();
        ModelMismatchException.Unless(statistics.Objects == _list.Count, "count", $"{statistics.Objects} objects counted, {_list.Count} alive");
        foreach (ModelObject chosen in _list)
        {
            Read(chosen);
        }
    }

    private void Sample()
    {
        long used = _pile.Core.Budget.UsedBytes;
        Coverage["memory given back"] += used < _usedSeen ? 1 : 0;
        _usedSeen = used;
        Coverage["slots pooled"] += _pile.Core.Slots.Pooled > 0 ? 1 : 0;
    }

    private void CountFull(PileStatus status)
    {
        ModelMismatchException.Unless(status == PileStatus.Full, "status", $"answered {status}");
        Coverage["full answered"]++;
    }
}
