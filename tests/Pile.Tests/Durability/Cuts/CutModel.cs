using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Format;
using Pile.Heap;
using Pile.Tests.Model;

namespace Pile.Tests.Durability.Cuts;

/// <summary>What a pile must hold after a power cut: for each object and each root the states that it may be in, which pointers
/// lead nowhere for ever, and which changes survive together.</summary>
internal sealed class CutModel
{
    private readonly List<List<(CutObject Object, int Place)>> _batches = [];
    private readonly Dictionary<PilePointer, CutObject> _byPointer = [];

    /// <summary>Objects that are there, or may be.</summary>
    internal List<CutObject> Objects { get; private init; } = [];

    /// <summary>Pointers that must be stale, with the keys they had.</summary>
    internal Dictionary<PilePointer, long> Gone { get; private init; } = [];

    /// <summary>Where each root led when the last commit completed and since, oldest first; the null pointer for nowhere.</summary>
    internal SortedDictionary<string, List<PilePointer>> Roots { get; private init; } = new(StringComparer.Ordinal);

    internal long NextKey { get; set; } = 1;

    internal int NextVersion { get; set; } = 1;

    /// <summary>The last key whose pointer was noted. Pointers are noted in the order of their keys.</summary>
    internal long LastKey { get; private set; }

    /// <summary>Whether all may be gone: a Clear has begun and not returned.</summary>
    internal bool IsClearing { get; set; }

    /// <summary>What was done so far.</summary>
    internal CutPast? Past { get; private set; }

    /// <summary>Notes what was done, for the message of a failure.</summary>
    internal void Note(string what) => Past = new CutPast(Past, what);

    internal void Put(long key, PilePointer pointer, CutState state)
    {
        Note($"{pointer} is key {key}");
        RequireNew(key, pointer);
        LastKey = key;
        Add(new CutObject(key, pointer, default, state));
    }

    /// <summary>Notes a pointer that a batch has handed out and never puts.</summary>
    internal void Leave(long key, PilePointer pointer)
    {
        Note($"{pointer} is key {key}, of a batch that stays open");
        RequireNew(key, pointer);
        LastKey = key;
        Gone.Add(pointer, key);
    }

    /// <summary>Notes changes that survive together.</summary>
    internal void Batch(IEnumerable<CutObject> changed) => _batches.Add([.. changed.Select(static item => (item, item.States.Count - 1))]);

    internal void SetRoot(string name, PilePointer pointer)
    {
        if (!Roots.TryGetValue(name, out List<PilePointer>? states))
        {
            Roots.Add(name, states = [default]);
        }

        states.Add(pointer);
    }

    /// <summary>How far things are; what comes behind it is not durable by a commit that begins now.</summary>
    internal CutMark Mark() => new(
        [.. Objects.Select(static item => item.States.Count)], Roots.ToDictionary(static root => root.Key, static root => root.Value.Count, StringComparer.Ordinal), _batches.Count);

    /// <summary>Notes that all that was done is durable.</summary>
    internal void Committed() => Committed(Mark());

    /// <summary>Notes that what was done up to a mark is durable. Nothing else was noted as durable since.</summary>
    internal void Committed(CutMark mark)
    {
        Dictionary<CutObject, int> durable = [];
        for (int index = 0; index < mark.States.Length; index++)
        {
            durable.Add(Objects[index], mark.States[index] - 1);
            Objects[index].States.RemoveRange(0, mark.States[index] - 1);
        }

        _batches.RemoveRange(0, mark.Batches);
        foreach (List<(CutObject Object, int Place)> batch in _batches)
        {
            for (int index = 0; index < batch.Count; index++)
            {
                (CutObject item, int place) = batch[index];
                batch[index] = (item, place - durable.GetValueOrDefault(item));
            }
        }

        foreach ((string name, int states) in mark.Roots)
        {
            Roots[name].RemoveRange(0, states - 1);
        }

        Drop();
    }

    /// <summary>Notes that a Clear has returned: nothing is there, durably.</summary>
    internal void Cleared()
    {
        Objects.ForEach(static item => item.States.Add(default));
        Roots.Clear();
        IsClearing = false;
        Committed();
    }

    /// <summary>Compares a pile that was opened after a cut with what may be.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="lastKey">The last key whose pointer was noted when the power was cut: one that was issued later, by the process that went on, may be issued by this one too.</param>
    /// <returns>The model of what it holds.</returns>
    internal CutModel Compare(ObjectPile pile, long lastKey = long.MaxValue)
    {
        int[] found = [.. Objects.Select(item => CutContent.Read(pile, item.Pointer, item.Key))];
        bool isCleared = IsClearing && found.All(static version => version == 0) && pile.Roots.Count == 0;
        var left = new CutModel { Gone = new(Gone.Where(gone => gone.Value <= lastKey)), NextKey = NextKey, NextVersion = NextVersion, LastKey = LastKey, Past = Past };
        for (int index = 0; index < found.Length; index++)
        {
            CutObject item = Objects[index];
            ModelMismatchException.Unless(
                isCleared || item.MayBe(found[index]), "state", $"key {item.Key}, pointer {item.Pointer}: version {found[index]} instead of {string.Join(" or ", item.States.Select(static state => state.Version))}");
            if (found[index] == 0 && item.Key <= lastKey)
            {
                left.Gone.Add(item.Pointer, item.Key);
            }
            else if (found[index] != 0)
            {
                left.Add(new CutObject(item.Key, item.Pointer, item.States.Find(state => state.Version == found[index])));
            }
        }

        if (!isCleared)
        {
            CompareBatches(found);
        }

        CompareRoots(pile, isCleared, left);
        left.Require(pile);
        return left;
    }

    /// <summary>Requires that a pile holds what the model says now, and nothing else.</summary>
    internal void Require(ObjectPile pile)
    {
        foreach (CutObject item in Objects)
        {
            int version = CutContent.Read(pile, item.Pointer, item.Key);
            ModelMismatchException.Unless(version == item.Now.Version, "state", $"key {item.Key}, pointer {item.Pointer}: version {version} instead of {item.Now.Version}");
        }

        foreach ((PilePointer pointer, long key) in Gone)
        {
            bool found = pile.TryLease(pointer, out PileLease lease, out PileStatus status);
            lease.Dispose();
            ModelMismatchException.Unless(!found && status == PileStatus.Stale, "risen", $"{pointer}, once of key {key}: {status}");
            ModelMismatchException.Unless(NextGeneration(pile, pointer.Slot) > pointer.Generation, "pointer issued twice", $"{pointer}, once of key {key}, would be: the next of its slot would have generation {NextGeneration(pile, pointer.Slot)}");
        }

        int met = 0;
        foreach (PileItem item in pile.Enumerate())
        {
            met++;
            ModelMismatchException.Unless(_byPointer.TryGetValue(item.Pointer, out CutObject? known) && known.IsThere, "invented", $"{item.Pointer}");
        }

        int there = Objects.Count(static item => item.IsThere);
        ModelMismatchException.Unless(met == there, "enumeration", $"{met} objects met, {there} are there");
        if (!pile.Core.IsCountedWhole)
        {
            // Verify would have it counted.
            return;
        }

        PileVerifyReport report = pile.Verify();
        ModelMismatchException.Unless(report.IsGood && report.Objects == there, "verify", $"{report.Objects} objects, {there} are there; {string.Join("; ", report.Findings)}");
    }

    /// <summary>The generation that a slot's next object would have, or the one that is there has.</summary>
    private static uint NextGeneration(ObjectPile pile, uint slot)
    {
        HeapCore<DurableRecord> core = pile.Durable!.Core;
        ulong entry = slot < core.Slots.HighWater ? core.Table.Read(slot) : 0;
        return EntryWord.IsInternal(entry) ? DurableRecord.Generation(core.Directory.Space.ReadWord(EntryWord.Location(entry) + 1))
            : EntryWord.IsLive(entry) ? EntryWord.Generation(entry)
            : EntryWord.Generation(ulong.Max(EntryWord.NextGeneration(entry), core.FirstGeneration));
    }

    private void RequireNew(long key, PilePointer pointer)
    {
        long before = _byPointer.TryGetValue(pointer, out CutObject? item) ? item.Key : Gone.GetValueOrDefault(pointer);
        ModelMismatchException.Unless(before == 0, "pointer issued twice", $"{pointer}, for key {before} and for key {key}");
    }

    private void Add(CutObject item)
    {
        Objects.Add(item);
        _byPointer.Add(item.Pointer, item);
    }

    /// <summary>Drops those that are gone, durably.</summary>
    private void Drop()
    {
        foreach (CutObject item in Objects)
        {
            if (IsGone(item))
            {
                Gone.Add(item.Pointer, item.Key);
                _ = _byPointer.Remove(item.Pointer);
            }
        }

        _ = Objects.RemoveAll(IsGone);

        static bool IsGone(CutObject item) => item.States.Count == 1 && !item.IsThere;
    }

    /// <summary>A batch is there if one of its changes is; what was changed once more since tells nothing about it.</summary>
    private void CompareBatches(int[] found)
    {
        Dictionary<CutObject, int> versions = [];
        for (int index = 0; index < found.Length; index++)
        {
            versions.Add(Objects[index], found[index]);
        }

        foreach (List<(CutObject Object, int Place)> batch in _batches)
        {
            CutObject? there = null;
            CutObject? missing = null;
            foreach ((CutObject item, int place) in batch)
            {
                int now = item.PlaceOf(versions[item]);
                there = now == place ? item : there;
                missing = now >= 0 && now < place ? item : missing;
            }

            ModelMismatchException.Unless(there is null || missing is null, "half batch", $"key {there?.Key} is changed, key {missing?.Key} is not, of {batch.Count}");
        }
    }

    private void CompareRoots(ObjectPile pile, bool isCleared, CutModel left)
    {
        foreach ((string name, List<PilePointer> states) in Roots)
        {
            _ = pile.Roots.TryGet(name, out PilePointer pointer);
            ModelMismatchException.Unless(isCleared || states.Contains(pointer), "root", $"'{name}' leads to {pointer} instead of {string.Join(" or ", states)}");
            if (!pointer.IsNull)
            {
                left.Roots.Add(name, [pointer]);
            }
        }

        ModelMismatchException.Unless(pile.Roots.Names.SequenceEqual(left.Roots.Keys), "root", $"invented: {string.Join(", ", pile.Roots.Names.Except(left.Roots.Keys))}");
    }
}
