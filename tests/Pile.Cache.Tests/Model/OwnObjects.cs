// Objects that a program keeps in a cache's pile, beside the tables: put, updated, deleted, singly and in batches that are committed, disposed or left
// open; and what each may show after a power cut. A pointer that was given once leads to its own object or to nothing, for ever.
using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Linq;
using Pile.Tests.Model;

namespace Pile.Cache.Tests.Model;

internal sealed class OwnObjects(Random random)
{
    private const int LiveMax = 60;
    private const int GoneMax = 200;
    private const int BatchMax = 8;
    private const int LargeBytesMin = 16_000;

    private readonly Dictionary<int, (PilePointer Pointer, byte[]? Value)> _objects = [];
    private readonly KeyStates _states = new();
    private readonly OwnBatches _batches = new();
    private readonly Dictionary<PilePointer, int> _given = [];
    private int _next;

    private int[] Live => [.. _objects.Where(static item => item.Value.Value is not null).Select(static item => item.Key)];

    /// <summary>The pointer of one that is there, or was.</summary>
    internal PilePointer Some() => _objects.Count == 0 ? default : _objects.ElementAt(random.Next(_objects.Count)).Value.Pointer;

    /// <summary>Puts, updates or deletes several in a batch, which is committed, disposed, or left as it is.</summary>
    /// <returns>What became of it.</returns>
    internal string ChangeMany(ObjectPile pile)
    {
        PileBatch batch = pile.BeginBatch();
        Dictionary<int, (PilePointer Pointer, byte[]? Value)> changes = [];
        for (int count = random.Next(1, BatchMax); count > 0; count--)
        {
            int[] live = Live;
            int number = live.Length == 0 || random.Next(3) == 0 ? _next++ : live[random.Next(live.Length)];
            PilePointer pointer = _objects.GetValueOrDefault(number).Pointer;
            byte[] value = NewValue(number);
            if (pointer.IsNull)
            {
                changes[number] = (Given(number, batch.Put(value)), value);
            }
            else if (changes.GetValueOrDefault(number).Value is not null || !changes.ContainsKey(number))
            {
                bool deletes = random.Next(2) == 0;
                changes[number] = (pointer, deletes ? null : value);
                if (deletes)
                {
                    batch.Delete(pointer);
                }
                else
                {
                    batch.Update(pointer, value);
                }
            }
        }

        int end = random.Next(6);
        if (end > 1)
        {
            batch.Commit();
            _batches.Note([.. changes.Select(change => (change.Key, Note(change.Key, change.Value.Pointer, change.Value.Value)))]);
            Forget();
            return $"batch of {changes.Count}";
        }

        // Pointers of what was not put lead to nothing, for ever.
        foreach ((int number, (PilePointer pointer, _)) in changes.Where(change => !_objects.ContainsKey(change.Key)))
        {
            _objects[number] = (pointer, null);
        }

        Forget();
        if (end == 0)
        {
            batch.Dispose();
        }

        return $"batch of {changes.Count}, {(end == 0 ? "disposed" : "left open")}";
    }

    /// <summary>Puts, updates or deletes one.</summary>
    internal void Change(ObjectPile pile)
    {
        int[] live = Live;
        if (live.Length < LiveMax && random.Next(2) == 0)
        {
            int number = _next++;
            byte[] value = NewValue(number);
            _ = Note(number, Given(number, pile.PutBytes(value)), value);
            Forget();
            return;
        }

        if (live.Length == 0)
        {
            return;
        }

        int some = live[random.Next(live.Length)];
        PilePointer pointer = _objects[some].Pointer;
        if (random.Next(2) == 0)
        {
            byte[] value = NewValue(some);
            pile.UpdateBytes(pointer, value);
            _ = Note(some, pointer, value);
        }
        else
        {
            ModelMismatchException.Unless(pile.Delete(pointer), "own", $"object {some} is gone");
            _ = Note(some, pointer, null);
        }
    }

    /// <summary>The pile was cleared.</summary>
    internal void Cleared()
    {
        foreach (int number in _objects.Keys.ToList())
        {
            _objects[number] = (_objects[number].Pointer, null);
        }
    }

    internal void Mark()
    {
        _states.Mark();
        _batches.Mark();
    }

    internal void FlushedToMark()
    {
        _states.FlushedToMark();
        _batches.FlushedToMark();
    }

    internal void Flushed()
    {
        _states.Flushed();
        _batches.Flushed();
    }

    /// <summary>Compares what is there with what was known.</summary>
    internal void CompareAsOf(ObjectPile pile, Dictionary<int, byte[]?> known)
    {
        foreach ((int number, (PilePointer pointer, _)) in _objects)
        {
            byte[]? shown = Shown(pile, pointer);
            ModelMismatchException.Unless(
                Same(shown, known.GetValueOrDefault(number)), shown is null ? "lost" : "risen", $"the program's object {number} shows {Told(shown)}, and should {Told(known.GetValueOrDefault(number))}");
        }
    }

    /// <summary>Compares what is there with what is known.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="before">What was known before an operation that may not have taken place.</param>
    /// <returns>1 where something is as before alone, 2 where something is as after alone, 3 where both are.</returns>
    internal int Compare(ObjectPile pile, Dictionary<int, byte[]?>? before = null)
    {
        int only = 0;
        foreach ((int number, (PilePointer pointer, byte[]? value)) in _objects)
        {
            byte[]? shown = Shown(pile, pointer);
            bool isFormer = before is not null && Same(shown, before.GetValueOrDefault(number));
            bool isLatter = Same(shown, value);
            ModelMismatchException.Unless(isFormer || isLatter, shown is null ? "lost" : "risen", $"the program's object {number} shows {Told(shown)}, and should {Told(value)}");
            only |= isFormer == isLatter ? 0 : isFormer ? 1 : 2;
        }

        return only;
    }

    /// <summary>What is known, for <see cref="Compare"/>.</summary>
    internal Dictionary<int, byte[]?> Known() => _objects.ToDictionary(static item => item.Key, static item => item.Value.Value);

    /// <summary>Compares what a cut has left.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="last">What was known when the power was cut, or before the operation that it was cut in.</param>
    /// <param name="mayBeEmpty">Whether it may all be gone.</param>
    internal void CompareCut(ObjectPile pile, Dictionary<int, byte[]?> last, bool mayBeEmpty)
    {
        if (mayBeEmpty && _objects.Values.All(item => Shown(pile, item.Pointer) is null))
        {
            return;
        }

        foreach ((int number, (PilePointer pointer, _)) in _objects)
        {
            _states.Check(number, Shown(pile, pointer), (last.GetValueOrDefault(number), DateTimeOffset.MaxValue), DateTimeOffset.MinValue);
        }

        _batches.Check(_states, number => _objects.TryGetValue(number, out (PilePointer Pointer, byte[]? Value) item) ? Shown(pile, item.Pointer) : null);
    }

    /// <summary>Goes on from what a cut has left.</summary>
    internal void Take(ObjectPile pile)
    {
        foreach (int number in _objects.Keys.ToList())
        {
            _objects[number] = (_objects[number].Pointer, Shown(pile, _objects[number].Pointer));
        }

        Flushed();
    }

    private static byte[]? Shown(ObjectPile pile, PilePointer pointer)
    {
        bool isThere = pile.TryLease(pointer, out PileLease lease);
        using (lease)
        {
            return isThere ? lease.Bytes.ToArray() : null;
        }
    }

    private static bool Same(byte[]? one, byte[]? other) => one is null ? other is null : other is not null && one.AsSpan().SequenceEqual(other);

    private static string Told(byte[]? value) => value is null ? "nothing" : $"{value.Length} bytes of {BinaryPrimitives.ReadInt32LittleEndian(value)}";

    private byte[] NewValue(int number)
    {
        byte[] value = new byte[random.Next(12) == 0 ? random.Next(LargeBytesMin, 2 * LargeBytesMin) : random.Next(sizeof(int), 300)];
        random.NextBytes(value);
        BinaryPrimitives.WriteInt32LittleEndian(value, number);
        return value;
    }

    /// <summary>A pointer that the pile has given, as it never had before.</summary>
    private PilePointer Given(int number, PilePointer pointer)
    {
        ModelMismatchException.Unless(_given.TryAdd(pointer, number), "given twice", $"{pointer} of object {number} was that of object {_given[pointer]}");
        return pointer;
    }

    private long Note(int number, PilePointer pointer, byte[]? value)
    {
        long change = _states.Note(number, (_objects.GetValueOrDefault(number).Value, DateTimeOffset.MaxValue), (value, DateTimeOffset.MaxValue));
        _objects[number] = (pointer, value);
        return change;
    }

    /// <summary>Forgets the oldest of those that are gone for good.</summary>
    private void Forget()
    {
        while (_objects.Count > LiveMax + GoneMax)
        {
            _ = _objects.Remove(_objects.First(item => item.Value.Value is null && !_states.HasChanged(item.Key)).Key);
        }
    }
}
