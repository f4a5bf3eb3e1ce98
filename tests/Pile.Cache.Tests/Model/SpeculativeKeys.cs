// The keys of a speculative table beside a dictionary: set, read, removed, ended, removed by tags, evicted; what each may show after a close, a kill and
// a power cut. What was evicted, or was in the hands of a split when the process was killed, may be missing. Nothing is ever wrong, or comes back.
// A value's first byte says its tag.
using System;
using System.Collections.Generic;
using System.Linq;
using Pile.Tests.Model;

namespace Pile.Cache.Tests.Model;

internal sealed class SpeculativeKeys(LifeWorld world)
{
    private const int Keys = 60;
    private const int TagCount = 3;

    private Dictionary<int, (byte[] Value, DateTimeOffset End)> _model = [];

    /// <summary>Does something to a key.</summary>
    /// <returns>What it was.</returns>
    internal string Change(PileTable<int, byte[]> table)
    {
        int key = world.Random.Next(Keys);
        switch (world.Random.Next(10))
        {
            case < 5:
                Set(table, key);
                return $"speculative set {key}";
            case < 7:
                _ = table.Remove(key);
                _ = _model.Remove(key);
                return $"speculative remove {key}";
            default:
                Look(key, table.TryGet(key, out byte[]? value) ? value : null);
                return $"speculative read {key}";
        }
    }

    /// <summary>What has a tag was removed.</summary>
    internal void RemovedByTag(int tag)
    {
        foreach (int key in _model.Where(item => item.Value.Value[0] == tag + 1).Select(static item => item.Key).ToList())
        {
            _ = _model.Remove(key);
        }
    }

    /// <summary>The table was cleared or dropped, or the power cut.</summary>
    internal void Cleared() => _model = [];

    internal Dictionary<int, (byte[] Value, DateTimeOffset End)> Known() => new(_model);

    /// <summary>Compares what is there with what is known: all of it.</summary>
    internal void Compare(PileTable<int, byte[]> table)
    {
        for (int key = 0; key < Keys; key++)
        {
            Look(key, table.TryGet(key, out byte[]? value) ? value : null);
        }
    }

    /// <summary>Compares what a kill within an operation has left: nothing, or what was there before or after.</summary>
    /// <returns>1 where a key is as before alone, 2 where one is as after alone, 3 where both are.</returns>
    internal int CompareKilled(PileTable<int, byte[]> table, Dictionary<int, (byte[] Value, DateTimeOffset End)> before)
    {
        int only = 0;
        for (int key = 0; key < Keys; key++)
        {
            byte[]? shown = table.TryGet(key, out byte[]? value) ? value : null;
            bool isBefore = Shows(key, shown, before);
            bool isAfter = Shows(key, shown, _model);
            ModelMismatchException.Unless(shown is null || isBefore || isAfter, "risen", $"speculative key {key} shows what it was neither before nor after");
            only |= shown is null || isBefore == isAfter ? 0 : isBefore ? 1 : 2;
        }

        return only;
    }

    /// <summary>Compares what a power cut, or a copy, has left: nothing.</summary>
    internal static void CompareEmpty(MappedCache mapped) =>
        ModelMismatchException.Unless(LifeWorld.Speculative(mapped).Count == 0, "risen", "a speculative table has entries after a power cut, or in a copy");

    private void Set(PileTable<int, byte[]> table, int key)
    {
        byte[] value = world.NewValue(1, largeOneIn: 8);
        int tag = world.Random.Next(4) == 0 ? world.Random.Next(TagCount) : -1;
        value[0] = (byte)(tag + 1);
        TimeSpan? life = world.Random.Next(4) == 0 ? TimeSpan.FromSeconds(world.Random.Next(1, 500)) : null;
        PileSetResult result = table.Set(key, value, new PileEntryOptions
        {
            TimeToLive = life,
            SlidingExpiration = world.Random.Next(3) == 0 ? TimeSpan.FromDays(100) : null,
            Tags = tag < 0 ? null : [$"tag {tag}"],
        });
        ModelMismatchException.Unless(result.IsStored, "full", $"a Set of the speculative table was refused: {result}");
        _model[key] = (value, life is null ? DateTimeOffset.MaxValue : world.Clock.GetUtcNow() + life.Value);
    }

    private bool Shows(int key, byte[]? shown, Dictionary<int, (byte[] Value, DateTimeOffset End)> model) =>
        model.TryGetValue(key, out (byte[] Value, DateTimeOffset End) held) && held.End > world.Clock.GetUtcNow() ? shown is not null && held.Value.AsSpan().SequenceEqual(shown) : shown is null;

    private void Look(int key, byte[]? shown) =>
        ModelMismatchException.Unless(Shows(key, shown, _model) || (shown is null && world.Evicts), shown is null ? "lost" : "risen", $"speculative key {key}");
}
