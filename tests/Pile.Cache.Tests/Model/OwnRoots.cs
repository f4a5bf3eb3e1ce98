// The roots that a program sets in a cache's pile beside a dictionary: set, exchanged, removed; and where each may lead after a power cut.
// A root leads to the pointer that it was given, whether or not the object is still there.
using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Linq;
using Pile.Tests.Model;

namespace Pile.Cache.Tests.Model;

internal sealed class OwnRoots(LifeWorld world)
{
    private const int Names = 6;

    private readonly KeyStates _states = new();
    private Dictionary<int, byte[]> _model = [];

    /// <summary>Sets, exchanges or removes one.</summary>
    /// <param name="pile">The pile.</param>
    /// <param name="pointer">Where it is to lead.</param>
    /// <returns>What it was.</returns>
    internal string Change(ObjectPile pile, PilePointer pointer)
    {
        int name = world.Random.Next(Names);
        bool isThere = _model.TryGetValue(name, out byte[]? before);
        switch (world.Random.Next(4))
        {
            case 0:
                ModelMismatchException.Unless(pile.Roots.Remove(Name(name)) == isThere, "root", $"root {name} was {(isThere ? "there" : "not there")}");
                Note(name, null);
                return $"remove root {name}";
            case 1:
                PilePointer expected = isThere && world.Random.Next(2) == 0 ? new PilePointer(BinaryPrimitives.ReadUInt64LittleEndian(before)) : default;
                bool isDone = pile.Roots.TryExchange(Name(name), pointer, expected);
                ModelMismatchException.Unless(isDone == (isThere ? Same(before, Bytes(expected)) : expected.IsNull), "root", $"root {name} was {(isThere ? "there" : "not there")}, and {(isDone ? "exchanged" : "not exchanged")}");
                Note(name, isDone ? Bytes(pointer) : before);
                return $"exchange root {name}";
            default:
                pile.Roots.Set(Name(name), pointer);
                Note(name, Bytes(pointer));
                return $"set root {name}";
        }
    }

    /// <summary>The pile was cleared.</summary>
    internal void Cleared() => _model = [];

    internal void Mark() => _states.Mark();

    internal void FlushedToMark() => _states.FlushedToMark();

    internal void Flushed() => _states.Flushed();

    internal Dictionary<int, byte[]> Known() => new(_model);

    /// <summary>Compares what is there with what was known before an operation, and after it.</summary>
    /// <returns>1 where a root is as before alone, 2 where one is as after alone, 3 where both are.</returns>
    internal int Compare(ObjectPile pile, Dictionary<int, byte[]> before, Dictionary<int, byte[]>? after = null)
    {
        int only = 0;
        for (int name = 0; name < Names; name++)
        {
            byte[]? shown = Shown(pile, name);
            bool isBefore = Same(shown, before.GetValueOrDefault(name));
            bool isAfter = Same(shown, (after ?? _model).GetValueOrDefault(name));
            ModelMismatchException.Unless(isBefore || isAfter, shown is null ? "lost" : "risen", $"root {name} leads where it did neither before nor after");
            only |= isBefore == isAfter ? 0 : isBefore ? 1 : 2;
        }

        ModelMismatchException.Unless(pile.Roots.Count == Enumerable.Range(0, Names).Count(name => Shown(pile, name) is not null), "root", $"{pile.Roots.Count} roots");
        return only;
    }

    /// <summary>Compares what a cut has left.</summary>
    internal void CompareCut(ObjectPile pile, Dictionary<int, byte[]> last, bool mayBeEmpty)
    {
        for (int name = 0; name < Names && !(mayBeEmpty && pile.Roots.Count == 0); name++)
        {
            _states.Check(name, Shown(pile, name), (last.GetValueOrDefault(name), DateTimeOffset.MaxValue), DateTimeOffset.MinValue);
        }
    }

    /// <summary>Goes on from what a cut has left.</summary>
    internal void Take(ObjectPile pile)
    {
        _model = Enumerable.Range(0, Names).Where(name => Shown(pile, name) is not null).ToDictionary(static name => name, name => Shown(pile, name)!);
        _states.Flushed();
    }

    private static string Name(int name) => $"root {name}";

    private static byte[] Bytes(PilePointer pointer)
    {
        byte[] bytes = new byte[sizeof(ulong)];
        BinaryPrimitives.WriteUInt64LittleEndian(bytes, pointer.Word);
        return bytes;
    }

    private static byte[]? Shown(ObjectPile pile, int name) => pile.Roots.TryGet(Name(name), out PilePointer pointer) ? Bytes(pointer) : null;

    private static bool Same(byte[]? one, byte[]? other) => one is null ? other is null : other is not null && one.AsSpan().SequenceEqual(other);

    private void Note(int name, byte[]? after)
    {
        _ = _states.Note(name, (_model.GetValueOrDefault(name), DateTimeOffset.MaxValue), (after, DateTimeOffset.MaxValue));
        if (after is null)
        {
            _ = _model.Remove(name);
        }
        else
        {
            _model[name] = after;
        }
    }
}
