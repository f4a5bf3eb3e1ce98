// What frozen dictionaries and frozen sets read alike: the comparer and the keys.
// The arrays are the reader's own; the collections copy from them.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;

namespace Pile.Codecs;

/// <summary>What both read alike.</summary>
internal static class Frozen
{
    internal static IEqualityComparer<T>? ReadComparer<T>(ref GraphReader reader)
    {
        int offset = reader.Wire.Position;
        object? comparer = reader.ReadAny();
        return comparer is null ? null : comparer as IEqualityComparer<T> ?? throw GraphReader.WrongType(offset, typeof(IEqualityComparer<T>));
    }

    /// <summary>Writes a comparer. One that is an object around the collection may compare without what it holds; one without body may not.</summary>
    internal static void WriteComparer(GraphWriter writer, object? comparer)
    {
        writer.BeginKey(mayBeAround: true);
        writer.WriteAny(comparer);
    }

    /// <summary>Writes a key. An object around the collection, or one that was put off, has no hash code while the collection is made.</summary>
    internal static void WriteKey<T>(GraphWriter writer, Formatter<T> formatter, T key, IEqualityComparer<T> comparer)
    {
        if (!typeof(T).IsValueType && LooksInto(key, Comparers.OrNull(comparer)))
        {
            writer.BeginKey();
        }

        formatter.Write(writer, key);
    }

    /// <summary>Whether hashing a key may need what it holds. What a comparer of the program's looks at nobody knows.</summary>
    private static bool LooksInto(object? key, object? comparer) => Comparers.AreSettled(comparer)
        ? comparer is null && !IndependentKeys.Contain(key) && IndependentKeys.HaveHashCodes(key!.GetType())
        : !Comparers.IsByReference(comparer);

    /// <summary>Whether keys hash and compare without anything that they lead to.</summary>
    internal static bool NeedNothing<T>(Formatter<T> formatter, T[] keys, IEqualityComparer<T>? comparer)
    {
        if (!Comparers.AreSettled(comparer))
        {
            return Comparers.IsByReference(comparer);
        }

        return formatter.IsSettled || (!typeof(T).IsValueType && Array.TrueForAll(keys, static key => IndependentKeys.Contain(key)));
    }

    internal static T[] ReadKeys<T>(ref GraphReader reader, Formatter<T> formatter, int count, int width)
    {
        // The table behind it takes several times its items.
        reader.Context.Charge(ReadCost.Places(count, (Unsafe.SizeOf<T>() + 24) * 2, width) + ReadCost.Object(256, 1 + ((long)count * width)), reader.Wire.Position);
        var items = new T[count];
        for (int index = 0; index < items.Length; index++)
        {
            items[index] = formatter.Read(ref reader);
        }

        return items;
    }
}
