// What a run with shared objects knows: what each key of a durable and of a speculative table shows, what it may show after a power cut, and
// whose each object is. It compares that with a cache.
using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Linq;
using Pile.Tests.Model;

namespace Pile.Cache.Tests.Model;

internal sealed class PointerModel(ManualClock clock)
{
    internal const int Keys = 24;
    internal const int LargeBytes = 20_000;

    private readonly Dictionary<int, List<(int Id, DateTimeOffset End)>> _since = [];

    /// <summary>What each key shows, of the durable table and of the speculative one.</summary>
    internal Dictionary<int, (int Id, DateTimeOffset End)>[] Shown { get; } = [[], []];

    /// <summary>Numbers of values that are large.</summary>
    internal HashSet<int> Large { get; } = [];

    /// <summary>The objects that there are.</summary>
    internal List<SharedThing> Things { get; set; } = [];

    internal static PileTable<int, byte[]> Table(MappedCache mapped, int which) => which == 0
        ? mapped.Cache.GetOrCreateTable<int, byte[]>("durable", new PileTableOptions { Kind = PileTableKind.Durable })
        : mapped.Cache.GetOrCreateTable<int, byte[]>("speculative");

    internal static int IdOf(ReadOnlySpan<byte> value) => BinaryPrimitives.ReadInt32LittleEndian(value);

    /// <summary>Notes what became of a key.</summary>
    internal void Note(int which, int key, PileSetResult result, int id, DateTimeOffset end)
    {
        if (id != 0 && !result.IsStored)
        {
            ModelMismatchException.Unless(result.Outcome == PileSetOutcome.Full, "outcome", $"{result}");
            return;
        }

        if (which == 0)
        {
            if (!_since.TryGetValue(key, out List<(int Id, DateTimeOffset End)>? states))
            {
                _since[key] = states = [Shown[0].GetValueOrDefault(key)];
            }

            states.Add((id, end));
        }

        Shown[which][key] = (id, end);
    }

    /// <summary>Notes that all keys of a table are gone.</summary>
    internal void Empty(int which)
    {
        for (int key = 0; key < Keys; key++)
        {
            Note(which, key, default, 0, default);
        }

        Shown[which].Clear();
    }

    /// <summary>Notes that what became of the durable table holds for good.</summary>
    internal void EmptiedForGood()
    {
        for (int key = 0; key < Keys; key++)
        {
            _since[key] = [default];
        }
    }

    internal void Flushed()
    {
        _since.Clear();
        foreach (SharedThing thing in Things)
        {
            (thing.WasGiven, thing.IsFlushed) = (thing.IsGiven, true);
        }
    }

    internal void CompareCut(MappedCache mapped, bool mayBeEmpty, SharedThing? unsure = null)
    {
        DateTimeOffset now = clock.GetUtcNow();
        PileTable<int, byte[]> table = Table(mapped, 0);
        bool isEmpty = mayBeEmpty && table.Count == 0;
        for (int key = 0; !isEmpty && key < Keys; key++)
        {
            int shown = table.TryGet(key, out byte[]? value) ? IdOf(value) : 0;
            List<(int Id, DateTimeOffset End)> states = _since.GetValueOrDefault(key) ?? [Shown[0].GetValueOrDefault(key)];
            ModelMismatchException.Unless(states.Exists(state => (state.End <= now ? 0 : state.Id) == shown), shown == 0 ? "lost" : "risen", $"key {key} shows {shown} after a cut, of {string.Join(' ', states)}");
        }

        Commit(mapped);
        CompareThings(mapped, unsure, isCut: true);
        mapped.Verify();
    }

    internal static void Commit(MappedCache mapped)
    {
        mapped.Cache.Pile.Commit();
        mapped.Tick();
    }

    /// <summary>Compares the tables with the model: the durable one exactly, but for keys that may be as they were.</summary>
    internal void Compare(MappedCache mapped, Dictionary<int, (int Id, DateTimeOffset End)> or, bool mayBeEmpty, Dictionary<int, (int Id, DateTimeOffset End)>? before = null)
    {
        DateTimeOffset now = clock.GetUtcNow();
        for (int which = 0; which < 2; which++)
        {
            PileTable<int, byte[]> table = Table(mapped, which);
            Dictionary<int, (int Id, DateTimeOffset End)> model = mayBeEmpty && which == 0 && table.Count > 0 ? before! : Shown[which];
            for (int key = 0; key < Keys; key++)
            {
                int shown = table.TryGet(key, out byte[]? value) ? IdOf(value) : 0;
                int expected = model.TryGetValue(key, out (int Id, DateTimeOffset End) held) && held.End > now ? held.Id : 0;
                bool isFormer = or.TryGetValue(key, out (int Id, DateTimeOffset End) former) && (former.End <= now ? 0 : former.Id) == shown;
                ModelMismatchException.Unless(shown == expected || isFormer || which == 1, shown == 0 ? "lost" : "risen", $"key {key} of table {which} shows {shown} instead of {expected}");
                ModelMismatchException.Unless(shown == 0 || value!.Length == LargeBytes == Large.Contains(shown), "wrong content", $"key {key} of table {which}: {shown}");
                bool isShared = table.TryGetPointer(key, out PilePointer pointer);
                SharedThing? thing = Things.Find(thing => thing.Id == shown);
                ModelMismatchException.Unless(isShared == thing is not null && pointer == (thing?.Pointer ?? default), "pointer", $"key {key} of table {which} shows {shown} and leads to {pointer}");
            }
        }
    }

    /// <summary>Objects to which keys lead are there; others are gone, or the program's.</summary>
    /// <param name="mapped">The cache.</param>
    /// <param name="unsure">An object that may be here or there.</param>
    /// <param name="isCut">Whether the power was cut.</param>
    /// <param name="mayForget">Whether those that are gone are gone for good.</param>
    internal void CompareThings(MappedCache mapped, SharedThing? unsure, bool isCut, bool mayForget = false)
    {
        foreach (SharedThing thing in Things.ToList())
        {
            bool isNamed = IsNamed(mapped, thing);
            bool isThere = mapped.Cache.Pile.TryGet(thing.Pointer, out byte[]? value, out PileStatus status);
            ModelMismatchException.Unless(!isThere || IdOf(value) == thing.Id, "wrong content", $"object {thing.Id}");
            ModelMismatchException.Unless(isThere || !isNamed, "gone early", $"object {thing.Id} is {status}, and keys lead to it");
            bool isOwn = !thing.IsGiven && thing != unsure && (!isCut || thing.IsFlushed);
            ModelMismatchException.Unless(isThere || !isOwn, "program's", $"object {thing.Id} is {status}, and was the program's");
            bool isGone = (isCut ? thing.WasGiven : thing.IsGiven) && !isNamed && !HasEndedNames(thing);
            ModelMismatchException.Unless(!isThere || !isGone, "leaked", $"object {thing.Id} is there, and no key leads to it");
            if (mayForget && !isThere)
            {
                _ = Things.Remove(thing);
            }
        }
    }

    /// <summary>Whether entries that have ended may still lead to an object, because nobody has removed them.</summary>
    private bool HasEndedNames(SharedThing thing)
    {
        DateTimeOffset now = clock.GetUtcNow();
        return Array.Exists(Shown, model => model.Values.Any(cell => cell.Id == thing.Id && cell.End <= now))
            || _since.Values.Any(states => states.Exists(state => state.Id == thing.Id && state.End <= now));
    }

    internal static bool IsNamed(MappedCache mapped, SharedThing thing) => Enumerable.Range(0, 2).Any(which =>
        Enumerable.Range(0, Keys).Any(key => Table(mapped, which).TryGetPointer(key, out PilePointer pointer) && pointer == thing.Pointer));
}
