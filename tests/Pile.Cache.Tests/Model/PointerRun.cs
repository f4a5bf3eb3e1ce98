// Objects under several keys of two tables in files, one durable and one speculative, beside a model: set, replaced, removed, expired, evicted,
// cleared, dropped; closed, killed and cut between operations and within them. An object to which a key leads is there, with its content; one
// that no key leads to is gone once a flush and a step of the keeper have passed, unless it is still the program's.
using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Linq;
using Pile.Tests.Memory.Simulation;
using Pile.Tests.Model;

namespace Pile.Cache.Tests.Model;

internal sealed class PointerRun
{
    private const int ThingsMax = 16;
    private const long LimitBytes = 16 << 20;

    [ThreadStatic]
    private static PointerRun? _ofThread;

    private readonly int _seed;
    private readonly Random _random;
    private readonly ManualClock _clock = new();
    private readonly PointerModel _state;
    private readonly List<(SimulatedFiles Files, bool IsCut)> _within = [];
    private SimulatedFiles? _taken;
    private int _chance;
    private int _ids;
    private bool _isEmptied;
    private bool _isFlushed;
    private string _at = "begin";

    internal PointerRun(int seed)
    {
        _seed = seed;
        _random = new Random(seed);
        _state = new PointerModel(_clock);
    }

    /// <summary>Kills and cuts within operations whose outcome was opened and compared.</summary>
    internal int Within { get; private set; }

    /// <summary>A moment within an operation of this thread, of those that the test build knows.</summary>
    internal static void AtPoint() => _ofThread?.Take();

    internal void Run(int sessions, int steps)
    {
        _ofThread = this;
        try
        {
            var files = new SimulatedFiles();
            for (int session = 0; session < sessions; session++)
            {
                _at = $"session {session}, open";
                using var mapped = new MappedCache(files, _clock, LimitBytes);
                _state.Compare(mapped, [], mayBeEmpty: false);
                Settle(mapped);
                for (int step = _random.Next(1, steps); step > 0; step--)
                {
                    Step(mapped, $"session {session}, {step} steps before its end");
                    _state.Compare(mapped, [], mayBeEmpty: false);
                    if (step % 40 == 0)
                    {
                        Settle(mapped);
                        _state.CompareThings(mapped, unsure: null, isCut: false, mayForget: true);
                    }
                }

                files = End(mapped, files, session);
            }

            files.Dispose();
        }
        catch (Exception failure)
        {
            string detector = failure is ModelMismatchException mismatch ? mismatch.Detector : failure.GetType().Name;
            throw new ModelMismatchException(detector, $"seed {_seed}, {_at}: {failure}");
        }
        finally
        {
            _ofThread = null;
        }
    }

    private byte[] NewValue(out int id)
    {
        id = ++_ids;
        bool isLarge = _random.Next(5) == 0;
        byte[] value = new byte[isLarge ? PointerModel.LargeBytes : _random.Next(4, 200)];
        BinaryPrimitives.WriteInt32LittleEndian(value, id);
        _ = isLarge && _state.Large.Add(id);
        return value;
    }

    private void Step(MappedCache mapped, string when)
    {
        int which = _random.Next(2);
        int key = _random.Next(PointerModel.Keys);
        int choice = _random.Next(100);
        PileTable<int, byte[]> table = PointerModel.Table(mapped, which);
        Dictionary<int, (int Id, DateTimeOffset End)> before = new(_state.Shown[0]);
        SharedThing? thing = null;
        _at = $"{when}, table {which}, choice {choice}, key {key}";
        if (_random.Next(8) == 0)
        {
            TakeFrom(mapped.Files);
        }

        switch (choice)
        {
            case < 12:
                thing = PutThing(mapped);
                break;
            case < 55 when _state.Things.Count > 0:
                thing = _state.Things[_random.Next(_state.Things.Count)];
                SetPointer(mapped, table, which, key, thing);
                break;
            case < 70:
                TimeSpan life = TimeSpan.FromSeconds(_random.Next(1, 500));
                _state.Note(which, key, table.Set(key, NewValue(out int id), new PileEntryOptions { TimeToLive = life }), id, _clock.GetUtcNow() + life);
                break;
            case < 88:
                _ = table.Remove(key);
                _state.Note(which, key, default, 0, default);
                break;
            default:
                Other(mapped, table, which, choice);
                break;
        }

        TakeNoMore();
        CompareWithin(before, which == 0 ? key : -1, thing, mayBeEmpty: choice is 88 or 89);
        if (thing is not null && _state.Shown[which].TryGetValue(key, out (int Id, DateTimeOffset End) stored) && stored.Id == thing.Id)
        {
            thing.IsGiven = true;
        }

        if (_isFlushed)
        {
            _state.Flushed();
        }

        if (_isEmptied)
        {
            _state.EmptiedForGood();
        }

        _isEmptied = _isFlushed = false;
    }

    private SharedThing PutThing(MappedCache mapped)
    {
        if (_state.Things.Count >= ThingsMax && _state.Things.Find(static thing => !thing.IsGiven) is { } own)
        {
            ModelMismatchException.Unless(mapped.Cache.Pile.Delete(own.Pointer), "program's", $"object {own.Id} is gone, and was the program's");
            _ = _state.Things.Remove(own);
        }

        byte[] value = NewValue(out int id);
        var thing = new SharedThing(id, mapped.Cache.Pile.Put(value));
        _state.Things.Add(thing);
        return thing;
    }

    private void SetPointer(MappedCache mapped, PileTable<int, byte[]> table, int which, int key, SharedThing thing)
    {
        TimeSpan? life = _random.Next(3) == 0 ? TimeSpan.FromSeconds(_random.Next(1, 200)) : null;
        bool isNamed = PointerModel.IsNamed(mapped, thing);
        try
        {
            PileSetResult result = table.SetPointer(key, thing.Pointer, new PileEntryOptions { TimeToLive = life });
            _state.Note(which, key, result, thing.Id, life is null ? DateTimeOffset.MaxValue : _clock.GetUtcNow() + life.Value);
        }
        catch (PileStaleException)
        {
            ModelMismatchException.Unless(thing.IsGiven && !isNamed, "gone early", $"object {thing.Id} is gone, and {(thing.IsGiven ? "a key led to it" : "was the program's")}");
        }
    }

    private void Other(MappedCache mapped, PileTable<int, byte[]> table, int which, int choice)
    {
        switch (choice)
        {
            case 88:
                table.Clear();
                _state.Empty(which);
                _isEmptied |= which == 0;
                break;
            case 89:
                _ = mapped.Cache.DropTable(table.Name);
                _state.Empty(which);
                _isEmptied |= which == 0;
                break;
            case 90 when _random.Next(4) == 0:
                DiscardWithin();
                mapped.Cache.Pile.Clear();
                _state.Empty(0);
                _state.Empty(1);
                _isEmptied = true;
                _state.Things.Clear();
                break;
            case < 93:
                _clock.Move(TimeSpan.FromSeconds(_random.Next(100)));
                break;
            case < 96:
                mapped.Tick();
                break;
            case 96:
                _ = mapped.Cache.Pile.Compact(1.05, default);
                break;
            case 97 when _random.Next(5) == 0:
                Flood(mapped);
                break;
            default:
                mapped.Cache.Pile.Commit();
                _isFlushed = true;
                break;
        }
    }

    /// <summary>Fills the speculative table, so that what it has is evicted.</summary>
    private void Flood(MappedCache mapped)
    {
        DiscardWithin();
        byte[] filler = new byte[2000];
        for (int key = 0; key < 6000; key++)
        {
            _ = PointerModel.Table(mapped, 1).Set(1000 + key, filler);
            if (key % 1000 == 0)
            {
                mapped.Cache.Pile.Commit();
                mapped.Tick();
            }
        }

        for (int key = 0; key < 6000; key++)
        {
            _ = PointerModel.Table(mapped, 1).Remove(1000 + key);
        }
    }

    /// <summary>Lets all go that is to go, and forgets the objects that went.</summary>
    private void Settle(MappedCache mapped)
    {
        _at += ", settling";
        DateTimeOffset now = _clock.GetUtcNow();
        for (int which = 0; which < 2; which++)
        {
            foreach (int key in _state.Shown[which].Where(item => item.Value.End <= now).Select(static item => item.Key).ToList())
            {
                _ = PointerModel.Table(mapped, which).Remove(key);
                _ = _state.Shown[which].Remove(key);
            }
        }

        mapped.Cache.Pile.Commit();
        mapped.Tick();
        mapped.Cache.Pile.Commit();
        _state.Flushed();
    }

    private SimulatedFiles End(MappedCache mapped, SimulatedFiles files, int session)
    {
        SimulatedFiles next = files;
        switch (_random.Next(4))
        {
            case 0:
                _at = $"session {session}, killed";
                next = files.Fork();
                break;
            case 1:
                _at = $"session {session}, cut";
                next = files.PowerCut(_random);
                using (SimulatedFiles copy = next.Fork())
                {
                    TakeAfterCut(copy);
                }

                break;
            default:
                _at = $"session {session}, closed";
                TakeFrom(files);
                break;
        }

        mapped.Dispose();
        TakeNoMore();
        CompareWithin(new(_state.Shown[0]), key: -1, thing: null, mayBeEmpty: false);
        if (next != files)
        {
            files.Dispose();
        }

        return next;
    }

    private void TakeAfterCut(SimulatedFiles files)
    {
        using var mapped = new MappedCache(files, _clock, LimitBytes);
        _state.CompareCut(mapped, mayBeEmpty: false);
        _state.Shown[0].Clear();
        _state.Shown[1].Clear();
        foreach (KeyValuePair<int, byte[]> item in PointerModel.Table(mapped, 0).Enumerate())
        {
            _ = PointerModel.Table(mapped, 0).TryGetExpiration(item.Key, out DateTimeOffset? end);
            _state.Shown[0][item.Key] = (PointerModel.IdOf(item.Value), end ?? DateTimeOffset.MaxValue);
        }

        // Objects of which a cut may leave either are forgotten, but for those to which keys lead.
        _state.Things = [.. _state.Things.Where(thing => PointerModel.IsNamed(mapped, thing) || (thing.IsFlushed && !thing.IsGiven))];
        _state.Things.ForEach(thing => thing.IsGiven = PointerModel.IsNamed(mapped, thing));
        _state.Flushed();
    }

    private void CompareWithin(Dictionary<int, (int Id, DateTimeOffset End)> before, int key, SharedThing? thing, bool mayBeEmpty)
    {
        string at = _at;
        foreach ((SimulatedFiles files, bool isCut) in _within)
        {
            _at = $"{at}, {(isCut ? "cut" : "killed")} within";
            Within++;
            using (var mapped = new MappedCache(files, _clock, LimitBytes))
            {
                if (isCut)
                {
                    // One that was just being given to the table that a cut takes may be that one's by then, and gone with it.
                    _state.CompareCut(mapped, mayBeEmpty, key < 0 ? thing : null);
                }
                else
                {
                    _state.Compare(mapped, key < 0 ? [] : new() { [key] = before.GetValueOrDefault(key) }, mayBeEmpty, before);
                    PointerModel.Commit(mapped);
                    _state.CompareThings(mapped, thing, isCut: false);
                }
            }

            files.Dispose();
        }

        _within.Clear();
        _at = at;
    }

    private void DiscardWithin()
    {
        TakeNoMore();
        _within.ForEach(static image => image.Files.Dispose());
        _within.Clear();
    }

    private void TakeFrom(SimulatedFiles files)
    {
        _taken = files;
        _chance = _random.Next(1, 10);
        files.AtCall = _ => Take();
    }

    private void TakeNoMore()
    {
        if (_taken is { } files)
        {
            files.AtCall = null;
        }

        _taken = null;
    }

    private void Take()
    {
        if (_taken is { } files && --_chance == 0)
        {
            bool isCut = _random.Next(2) == 0;
            _within.Add((isCut ? files.PowerCut(_random) : files.Fork(), isCut));
            TakeNoMore();
        }
    }
}
