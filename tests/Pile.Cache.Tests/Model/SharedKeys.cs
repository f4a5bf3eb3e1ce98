// Keys of a durable and of a speculative table that lead to objects which they share, beside a model: put, shared, updated by the program, deleted by
// it, replaced, removed, ended. A key shows its object as it is; an object to which a key leads is there, and one to which none leads any more is gone
// once a flush and a step of the keeper have passed, unless it is still the program's. The keys lie behind those of the tables' own values.
using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Linq;
using Pile.Tests.Model;

namespace Pile.Cache.Tests.Model;

internal sealed class SharedKeys(LifeWorld world)
{
    private const int FirstKey = 1000;
    private const int Keys = 16;
    private const int ThingsMax = 10;

    private readonly KeyStates _states = new();
    private readonly List<SharedThing> _marked = [];
    private readonly HashSet<int> _ended = [];
    private SharedMoment _now = new([], [], []);
    private int _lastId;

    /// <summary>Does something to a key or to an object.</summary>
    /// <param name="mapped">The cache.</param>
    /// <param name="waits">Whether it may be what waits for a flush: an object that no flush of this session has covered, in the place of another value.</param>
    /// <returns>What it was.</returns>
    internal string Change(MappedCache mapped, bool waits)
    {
        int key = FirstKey + world.Random.Next(Keys);
        bool isDurable = world.Random.Next(2) == 0;
        PileTable<int, byte[]> table = Table(mapped, isDurable);
        List<SharedThing> things = _now.Things;
        SharedThing? some = things.Count == 0 ? null : things[world.Random.Next(things.Count)];
        switch (world.Random.Next(10))
        {
            case < 2 when things.Count < ThingsMax:
                int id = ++_lastId;
                things.Add(new SharedThing(id, mapped.Cache.Pile.Put(Content(id, 0))));
                return $"put shared {id}";
            case < 6 when some is not null && waits:
                SetPointer(mapped, table, isDurable, key, some);
                return $"set pointer {key} to {some.Id}, {(isDurable ? "durable" : "speculative")}";
            case 6 when some is not null && mapped.Cache.Pile.TryUpdate(some.Pointer, Content(some.Id, some.Version + 1)) == PileStatus.Ok:
                some.Version++;
                return $"update shared {some.Id}";
            case 7 when some is not null && world.Random.Next(4) == 0:
                Delete(mapped, some);
                return $"delete shared {some.Id}";
            default:
                _ = table.Remove(key);
                Note(isDurable, key, default);
                return $"remove pointer {key}, {(isDurable ? "durable" : "speculative")}";
        }
    }

    /// <summary>A table was cleared or dropped.</summary>
    internal void Cleared(bool isDurable)
    {
        foreach (int key in Shown(isDurable).Keys.ToList())
        {
            Note(isDurable, key, default);
        }
    }

    /// <summary>The durable table was emptied, which is durable.</summary>
    internal void EmptiedForGood() => _states.Flushed();

    /// <summary>The pile was cleared.</summary>
    internal void ClearedAll()
    {
        Cleared(isDurable: true);
        Cleared(isDurable: false);
        _now.Things.Clear();
    }

    internal void Mark()
    {
        _states.Mark();
        _marked.Clear();
        _marked.AddRange(_now.Things.Select(static thing => thing.At()));
    }

    internal void FlushedToMark()
    {
        _states.FlushedToMark();
        Cover(_marked);
    }

    internal void Flushed()
    {
        _states.Flushed();
        Cover([.. _now.Things.Select(static thing => thing.At())]);
    }

    internal SharedMoment Known() => new(new(_now.Durable), new(_now.Speculative), [.. _now.Things.Select(static thing => thing.At())]);

    /// <summary>Lets all go that is to go, and forgets the objects that went.</summary>
    internal void Settle(MappedCache mapped)
    {
        foreach (bool isDurable in new[] { true, false })
        {
            foreach (int key in Enumerable.Range(FirstKey, Keys).Where(key => Expected(Shown(isDurable), key) == 0))
            {
                _ = Table(mapped, isDurable).Remove(key);
                Note(isDurable, key, default);
            }
        }

        _ended.Clear();
        mapped.Cache.Pile.Commit();
        mapped.Tick();
        mapped.Cache.Pile.Commit();
    }

    /// <summary>Forgets the objects that are gone.</summary>
    internal void Forget(MappedCache mapped) => _ = _now.Things.RemoveAll(thing => thing.IsGiven && !mapped.Cache.Pile.TryGet(thing.Pointer, out byte[]? _));

    /// <summary>Compares what is there with what is known: all of it.</summary>
    /// <param name="mapped">The cache.</param>
    /// <param name="known">What is known.</param>
    /// <param name="isCopy">Whether it is a copy, without its speculative tables.</param>
    /// <param name="hasSettled">Whether what has lost its last key is gone.</param>
    internal void Compare(MappedCache mapped, SharedMoment known, bool isCopy = false, bool hasSettled = false)
    {
        for (int key = FirstKey; key < FirstKey + Keys; key++)
        {
            foreach (bool isDurable in new[] { true, false })
            {
                int shown = ShownBy(mapped, isDurable, key, known.Things, known.Things);
                int expected = isCopy && !isDurable ? 0 : Expected(known.Of(isDurable), key);
                bool mayBeMissing = !isDurable && shown == 0 && world.Evicts;
                ModelMismatchException.Unless(shown == expected || mayBeMissing, shown == 0 ? "lost" : "risen", $"key {key} of {Named(isDurable)} shows {shown} instead of {expected}");
            }
        }

        CompareThings(mapped, known, known.Things, isCut: false, hasSettled);
    }

    /// <summary>Compares what a kill within an operation has left.</summary>
    /// <returns>1 where a key of the durable table is as before alone, 2 where one is as after alone, 3 where both are.</returns>
    internal int CompareKilled(MappedCache mapped, SharedMoment before)
    {
        int only = 0;
        for (int key = FirstKey; key < FirstKey + Keys; key++)
        {
            foreach (bool isDurable in new[] { true, false })
            {
                int shown = ShownBy(mapped, isDurable, key, before.Things, _now.Things);
                bool isBefore = shown == Expected(before.Of(isDurable), key);
                bool isAfter = shown == Expected(_now.Of(isDurable), key);
                ModelMismatchException.Unless(
                    isBefore || isAfter || (!isDurable && shown == 0), shown == 0 ? "lost" : "risen", $"key {key} of {Named(isDurable)} shows {shown}, what it was neither before nor after");
                only |= isBefore == isAfter || (!isDurable && shown == 0) ? 0 : isBefore ? 1 : 2;
            }
        }

        SettleImage(mapped);
        CompareThings(mapped, before, _now.Things, isCut: false, hasSettled: true);
        return only;
    }

    /// <summary>Compares what a power cut has left.</summary>
    /// <param name="mapped">The cache.</param>
    /// <param name="last">What was known when the power was cut, or before the operation that it was cut in.</param>
    /// <param name="mayBeEmpty">Whether the durable table may all be gone.</param>
    internal void CompareCut(MappedCache mapped, SharedMoment last, bool mayBeEmpty)
    {
        bool isEmpty = mayBeEmpty && Table(mapped, isDurable: true).Count == 0;
        for (int key = FirstKey; key < FirstKey + Keys; key++)
        {
            int shown = ShownBy(mapped, isDurable: true, key, last.Things, _now.Things, isCut: true);
            if (!isEmpty)
            {
                (int Id, DateTimeOffset End) held = last.Durable.GetValueOrDefault(key);
                _states.Check(key, shown == 0 ? null : Bytes(shown), (held.Id == 0 ? null : Bytes(held.Id), held.End), world.Clock.GetUtcNow());
            }
        }

        SettleImage(mapped);
        CompareThings(mapped, last, _now.Things, isCut: true, hasSettled: true);
    }

    /// <summary>Goes on from what a cut has left. Objects of which it may have left either are forgotten, but for those to which keys lead.</summary>
    /// <param name="mapped">What was opened.</param>
    /// <param name="isWhole">Whether nothing is cut, and the speculative table is there.</param>
    internal void Take(MappedCache mapped, bool isWhole)
    {
        // What shows nothing because it has ended may lead to its object all the same.
        _ended.UnionWith(_now.Things.Select(static thing => thing.Id).Where(id => HasEndedNames(id, _now)));
        var durable = new Dictionary<int, (int Id, DateTimeOffset End)>();
        for (int key = FirstKey; key < FirstKey + Keys; key++)
        {
            int shown = ShownBy(mapped, isDurable: true, key, _now.Things, _now.Things, isCut: true);
            if (shown != 0)
            {
                durable[key] = (shown, Table(mapped, isDurable: true).TryGetExpiration(key, out DateTimeOffset? end) && end is { } at ? at : DateTimeOffset.MaxValue);
            }
        }

        List<SharedThing> things = _now.Things.FindAll(thing => IsNamed(mapped, thing) || (thing.IsFlushed && !thing.IsGiven));
        foreach (SharedThing thing in things)
        {
            thing.IsGiven = IsNamed(mapped, thing);
            thing.Version = VersionOf(mapped.Cache.Pile.Get<byte[]>(thing.Pointer));
        }

        _now = new SharedMoment(durable, isWhole ? _now.Speculative : [], things);
        Flushed();
    }

    /// <summary>Goes on from a copy that was made at a moment.</summary>
    internal void TakeCopy(MappedCache mapped, SharedMoment moment)
    {
        _now = new SharedMoment(new(moment.Durable), [], moment.Things.FindAll(thing => !thing.IsGiven || IsNamed(mapped, thing)));
        Flushed();
    }

    /// <summary>Lets all go that is to go, where life does not go on.</summary>
    internal static void SettleImage(MappedCache mapped)
    {
        mapped.Cache.Pile.Commit();
        mapped.Tick();
    }

    private static PileTable<int, byte[]> Table(MappedCache mapped, bool isDurable) => isDurable ? LifeWorld.Durable(mapped) : LifeWorld.Speculative(mapped);

    private static string Named(bool isDurable) => isDurable ? "the durable table" : "the speculative table";

    private static byte[] Bytes(int id)
    {
        byte[] bytes = new byte[sizeof(int)];
        BinaryPrimitives.WriteInt32LittleEndian(bytes, id);
        return bytes;
    }

    private static int IdOf(ReadOnlySpan<byte> value) => BinaryPrimitives.ReadInt32LittleEndian(value);

    private static int VersionOf(ReadOnlySpan<byte> value) => BinaryPrimitives.ReadInt32LittleEndian(value[sizeof(int)..]);

    /// <summary>What an object of a number has: of every fifth version it is large.</summary>
    private static byte[] Content(int id, int version)
    {
        byte[] value = new byte[(id + version) % 5 == 0 ? 20_000 : 8 + ((id * 31) + (version * 7)) % 200];
        value.AsSpan().Fill((byte)(id + version));
        BinaryPrimitives.WriteInt32LittleEndian(value, id);
        BinaryPrimitives.WriteInt32LittleEndian(value.AsSpan(sizeof(int)), version);
        return value;
    }

    private static bool IsNamed(MappedCache mapped, SharedThing thing) => Enumerable.Range(FirstKey, Keys).Any(key =>
        (Table(mapped, isDurable: true).TryGetPointer(key, out PilePointer pointer) && pointer == thing.Pointer)
        || (Table(mapped, isDurable: false).TryGetPointer(key, out pointer) && pointer == thing.Pointer));

    private Dictionary<int, (int Id, DateTimeOffset End)> Shown(bool isDurable) => _now.Of(isDurable);

    private void Note(bool isDurable, int key, (int Id, DateTimeOffset End) after)
    {
        Dictionary<int, (int Id, DateTimeOffset End)> shown = Shown(isDurable);
        if (isDurable)
        {
            (int Id, DateTimeOffset End) before = shown.GetValueOrDefault(key);
            _ = _states.Note(key, (before.Id == 0 ? null : Bytes(before.Id), before.End), (after.Id == 0 ? null : Bytes(after.Id), after.End));
        }

        if (after.Id == 0)
        {
            _ = shown.Remove(key);
        }
        else
        {
            shown[key] = after;
        }
    }

    private void SetPointer(MappedCache mapped, PileTable<int, byte[]> table, bool isDurable, int key, SharedThing thing)
    {
        TimeSpan? life = world.Random.Next(3) == 0 ? TimeSpan.FromSeconds(world.Random.Next(1, 200)) : null;
        bool isNamed = IsNamed(mapped, thing);
        try
        {
            PileSetResult result = table.SetPointer(key, thing.Pointer, new PileEntryOptions { TimeToLive = life });
            ModelMismatchException.Unless(result.IsStored, "full", $"a SetPointer was refused: {result}");
            thing.IsGiven = true;
            Note(isDurable, key, (thing.Id, life is null ? DateTimeOffset.MaxValue : world.Clock.GetUtcNow() + life.Value));
        }
        catch (PileStaleException)
        {
            ModelMismatchException.Unless(thing.IsGiven && !isNamed, "gone early", $"object {thing.Id} is gone, and {(thing.IsGiven ? "a key led to it" : "was the program's")}");
        }
    }

    /// <summary>The program deletes an object: its keys are misses, and may be after a cut in whatever state that leads to it.</summary>
    private void Delete(MappedCache mapped, SharedThing thing)
    {
        bool isThere = mapped.Cache.Pile.Delete(thing.Pointer);
        ModelMismatchException.Unless(isThere || thing.IsGiven, "program's", $"object {thing.Id} is gone, and was the program's");
        _ = _now.Things.Remove(thing);
        foreach (bool isDurable in new[] { true, false })
        {
            foreach (int key in Shown(isDurable).Where(item => item.Value.Id == thing.Id).Select(static item => item.Key).ToList())
            {
                Note(isDurable, key, default);
            }
        }

        _states.NoteGone(value => IdOf(value) == thing.Id);
    }

    private void Cover(List<SharedThing> covered)
    {
        foreach (SharedThing thing in _now.Things)
        {
            if (covered.Find(other => other.Id == thing.Id) is { } was)
            {
                (thing.WasGiven, thing.IsFlushed, thing.FlushedVersion) = (was.IsGiven, true, was.Version);
            }
        }
    }

    private int Expected(Dictionary<int, (int Id, DateTimeOffset End)> model, int key) =>
        model.TryGetValue(key, out (int Id, DateTimeOffset End) held) && held.End > world.Clock.GetUtcNow() ? held.Id : 0;

    /// <summary>The number of the object that a key shows, whose content is checked; 0 for nothing.</summary>
    private static int ShownBy(MappedCache mapped, bool isDurable, int key, List<SharedThing> before, List<SharedThing> after, bool isCut = false)
    {
        PileTable<int, byte[]> table = Table(mapped, isDurable);
        if (!table.TryGet(key, out byte[]? value))
        {
            return 0;
        }

        int id = IdOf(value);
        SharedThing? thing = after.Find(thing => thing.Id == id) ?? before.Find(thing => thing.Id == id);
        if (thing is not null)
        {
            CheckContent(value, before.Find(thing => thing.Id == id) ?? thing, thing, isCut);
            ModelMismatchException.Unless(table.TryGetPointer(key, out PilePointer pointer) && pointer == thing.Pointer, "pointer", $"key {key} of {Named(isDurable)} shows {id} and leads to {pointer}");
        }

        return id;
    }

    private static void CheckContent(byte[] value, SharedThing before, SharedThing after, bool isCut)
    {
        int version = VersionOf(value);
        bool isGood = version <= after.Version && version >= (isCut ? int.Min(before.FlushedVersion, after.FlushedVersion) : before.Version) && value.AsSpan().SequenceEqual(Content(after.Id, version));
        ModelMismatchException.Unless(isGood, "wrong content", $"object {after.Id} shows {IdOf(value)} in version {version}, of {before.FlushedVersion}, {before.Version}, {after.Version}");
    }

    private void CompareThings(MappedCache mapped, SharedMoment before, List<SharedThing> after, bool isCut, bool hasSettled)
    {
        foreach (SharedThing thing in after)
        {
            SharedThing? former = before.Things.Find(other => other.Id == thing.Id);
            bool isNamed = IsNamed(mapped, thing);
            bool isThere = mapped.Cache.Pile.TryGet(thing.Pointer, out byte[]? value, out PileStatus status);
            if (isThere)
            {
                CheckContent(value!, former ?? thing, thing, isCut);
            }

            ModelMismatchException.Unless(isThere || !isNamed, "gone early", $"object {thing.Id} is {status}, and keys lead to it");
            bool isOwn = former is not null && !former.IsGiven && !thing.IsGiven && (!isCut || thing.IsFlushed);
            ModelMismatchException.Unless(isThere || !isOwn, "program's", $"object {thing.Id} is {status}, and was the program's");
            bool isGone = hasSettled && former is not null && (isCut ? thing.WasGiven : former.IsGiven && thing.IsGiven) && !isNamed && !HasEndedNames(thing.Id, before);
            ModelMismatchException.Unless(!isThere || !isGone, "leaked", $"object {thing.Id} is there, and no key leads to it");
        }
    }

    /// <summary>Whether entries that have ended may still lead to an object, because nobody has removed them.</summary>
    private bool HasEndedNames(int id, SharedMoment before)
    {
        DateTimeOffset now = world.Clock.GetUtcNow();
        return _ended.Contains(id) || new[] { _now.Durable, _now.Speculative, before.Durable, before.Speculative }.SelectMany(static model => model.Values).Any(cell => cell.Id == id && cell.End <= now)
            || _states.Has((value, end) => IdOf(value) == id && end <= now);
    }
}
