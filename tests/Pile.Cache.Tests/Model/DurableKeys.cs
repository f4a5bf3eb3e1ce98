// The keys of a durable table beside a dictionary: set, added, replaced, read, removed, ended and removed by tags, singly and many in a call; and what
// each may show after a kill or a power cut. A value's first byte says its tag.
using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Tests.Model;

namespace Pile.Cache.Tests.Model;

internal sealed class DurableKeys(Random random, ManualClock clock)
{
    private const int Keys = 120;
    private const int TagCount = 3;
    private const int LargeBytesMin = 16_000;
    private const int ManyMax = 40;

    private readonly KeyStates _states = new();
    private Dictionary<int, (byte[] Value, DateTimeOffset End)> _model = [];

    /// <summary>Does something to a key.</summary>
    /// <returns>What it was.</returns>
    internal string Change(PileTable<int, byte[]> table)
    {
        int key = random.Next(Keys);
        int choice = random.Next(100);
        switch (choice)
        {
            case < 50:
                Set(table, key, choice);
                return $"set {key}";
            case < 53:
                bool isThere = Ends(_model, key) > clock.GetUtcNow();
                ModelMismatchException.Unless(table.Expire(key) == isThere, "outcome", $"key {key} was {(isThere ? "there" : "not there")}");
                Note(key, default);
                return $"expire {key}";
            case < 70:
                _ = table.Remove(key);
                Note(key, default);
                return $"remove {key}";
            default:
                bool isFound = table.TryGet(key, out byte[]? value);
                ModelMismatchException.Unless(Shows(isFound ? value : null, _model, key), isFound ? "risen" : "lost", $"read {key}");
                return $"read {key}";
        }
    }

    /// <summary>Sets or removes many keys in a call. One that comes twice is as its later place says; each is changed by itself.</summary>
    /// <returns>What it was.</returns>
    internal string ChangeMany(PileTable<int, byte[]> table)
    {
        int[] keys = [.. Enumerable.Range(0, random.Next(1, ManyMax)).Select(_ => random.Next(Keys)).Distinct()];
        if (random.Next(3) == 0)
        {
            int there = keys.Count(key => Ends(_model, key) > clock.GetUtcNow());
            ModelMismatchException.Unless(table.RemoveMany<int, byte[]>(keys) == there, "outcome", $"{there} of {keys.Length} keys were there");
            Array.ForEach(keys, key => Note(key, default));
            return $"remove {keys.Length} keys";
        }

        byte[][] values = [.. keys.Select(_ => new byte[random.Next(12) == 0 ? random.Next(LargeBytesMin, 2 * LargeBytesMin) : random.Next(1, 200)])];
        Array.ForEach(values, random.NextBytes);
        int tag = random.Next(3) == 0 ? random.Next(TagCount) : -1;
        Array.ForEach(values, value => value[0] = (byte)(tag + 1));
        TimeSpan? life = random.Next(4) == 0 ? TimeSpan.FromSeconds(random.Next(1, 500)) : null;
        var options = new PileEntryOptions { TimeToLive = life, Tags = tag < 0 ? null : [$"tag {tag}"] };
        ModelMismatchException.Unless(table.SetMany<int, byte[]>(keys, values, options) == keys.Length, "full", "a Set of many was refused");
        for (int index = 0; index < keys.Length; index++)
        {
            Note(keys[index], (values[index], life is null ? DateTimeOffset.MaxValue : clock.GetUtcNow() + life.Value));
        }

        return $"set {keys.Length} keys";
    }

    /// <summary>A tag, of those that values have.</summary>
    internal int SomeTag() => random.Next(TagCount);

    /// <summary>What has a tag was removed.</summary>
    internal void RemovedByTag(int tag)
    {
        foreach (int key in _model.Where(item => HasTag(item.Value.Value, tag)).Select(static item => item.Key).ToList())
        {
            Note(key, default);
        }

        _states.NoteGone(value => HasTag(value, tag));
    }

    /// <summary>The table was cleared or dropped.</summary>
    internal void Cleared() => _model = [];

    internal void Mark() => _states.Mark();

    internal void FlushedToMark() => _states.FlushedToMark();

    internal void Flushed() => _states.Flushed();

    /// <summary>Goes on from what a copy has.</summary>
    internal void Take(Dictionary<int, (byte[] Value, DateTimeOffset End)> known)
    {
        _model = new(known);
        _states.Flushed();
    }

    /// <summary>What is known, for the comparisons.</summary>
    internal Dictionary<int, (byte[] Value, DateTimeOffset End)> Known() => new(_model);

    /// <summary>Compares what is there with what is known.</summary>
    internal void Compare(PileTable<int, byte[]> table, Dictionary<int, (byte[] Value, DateTimeOffset End)> known) =>
        TableComparison.Exact(table, known, Keys, clock.GetUtcNow(), lossMax: 0);

    /// <summary>Compares what a kill has left: each key shows what it did before an operation or what it does after it.</summary>
    /// <returns>1 where a key is as before alone, 2 where one is as after alone, 3 where both are.</returns>
    internal int CompareKilled(PileTable<int, byte[]> table, Dictionary<int, (byte[] Value, DateTimeOffset End)> before)
    {
        int only = 0;
        for (int key = 0; key < Keys; key++)
        {
            byte[]? shown = table.TryGet(key, out byte[]? value) ? value : null;
            bool isBefore = Shows(shown, before, key);
            bool isAfter = Shows(shown, _model, key);
            ModelMismatchException.Unless(isBefore || isAfter, shown is null ? "lost" : "risen", $"key {key} shows what it was neither before nor after");
            only |= isBefore == isAfter ? 0 : isBefore ? 1 : 2;
        }

        return only;
    }

    /// <summary>Compares what a power cut has left.</summary>
    /// <param name="table">The table.</param>
    /// <param name="last">What was known when the power was cut, or before the operation that it was cut in.</param>
    /// <param name="mayBeEmpty">Whether it may all be gone.</param>
    /// <param name="goesOn">Whether this is what is known from here on.</param>
    internal void CompareCut(PileTable<int, byte[]> table, Dictionary<int, (byte[] Value, DateTimeOffset End)> last, bool mayBeEmpty, bool goesOn)
    {
        Dictionary<int, (byte[] Value, DateTimeOffset End)> found = TableComparison.Cut(table, last, _states, Keys, clock.GetUtcNow(), mayBeEmpty);
        if (goesOn)
        {
            _model = found;
            _states.Flushed();
        }
    }

    private static bool HasTag(byte[] value, int tag) => value[0] == tag + 1;

    private void Set(PileTable<int, byte[]> table, int key, int choice)
    {
        byte[] value = new byte[random.Next(8) == 0 ? random.Next(LargeBytesMin, 2 * LargeBytesMin) : random.Next(1, 200)];
        random.NextBytes(value);
        int tag = random.Next(4) == 0 ? random.Next(TagCount) : -1;
        value[0] = (byte)(tag + 1);
        TimeSpan? life = random.Next(4) == 0 ? TimeSpan.FromSeconds(random.Next(1, 500)) : null;
        var options = new PileEntryOptions
        {
            TimeToLive = life,
            SlidingExpiration = random.Next(3) == 0 ? TimeSpan.FromDays(100) : null,
            Tags = tag < 0 ? null : [$"tag {tag}"],
        };
        bool isThere = Ends(_model, key) > clock.GetUtcNow();
        PileSetResult result = choice switch
        {
            < 5 => table.Add(key, value, options),
            < 10 => table.Replace(key, value, options),
            _ => table.Set(key, value, options),
        };
        ModelMismatchException.Unless(result.Outcome != PileSetOutcome.Full, "full", "a Set was refused");
        ModelMismatchException.Unless(result.IsStored == (choice >= 10 || choice < 5 != isThere), "outcome", $"{result}, and key {key} was {(isThere ? "there" : "not there")}");
        if (result.IsStored)
        {
            Note(key, (value, life is null ? DateTimeOffset.MaxValue : clock.GetUtcNow() + life.Value));
        }
    }

    private static DateTimeOffset Ends(Dictionary<int, (byte[] Value, DateTimeOffset End)> model, int key) =>
        model.TryGetValue(key, out (byte[] Value, DateTimeOffset End) held) ? held.End : DateTimeOffset.MinValue;

    private bool Shows(byte[]? shown, Dictionary<int, (byte[] Value, DateTimeOffset End)> model, int key) =>
        Ends(model, key) > clock.GetUtcNow() ? shown is not null && model[key].Value.AsSpan().SequenceEqual(shown) : shown is null;

    private void Note(int key, (byte[] Value, DateTimeOffset End) after)
    {
        _ = _states.Note(key, _model.GetValueOrDefault(key), after);
        if (after.Value is null)
        {
            _ = _model.Remove(key);
        }
        else
        {
            _model[key] = after;
        }
    }
}
