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

    /// <summary>Whether the collection can be made: what its keys lead to is filled then. Where something that was gone over was read in between, keys may be
    /// whatever is hollow still, and the collection may be read inside itself: an empty one takes its place, and the graph is read once more.</summary>
    internal static bool TryBegin<T>(ref GraphReader reader, Type collection, Formatter<T> formatter, T[] keys, IEqualityComparer<T>? comparer, int start, out bool isSettled)
    {
        isSettled = NeedNothing(formatter, keys, comparer);
        if (isSettled)
        {
            return true;
        }

        if (reader.Context.Wanted is not null)
        {
            return reader.Context.TryReadOnceMore() ? false : throw KeyFailure.OfLost(collection);
        }

        Completion.RunBetween(ref reader, start, reader.Wire.Position);
        return true;
    }

    /// <summary>Has a collection looked at when the graph is complete, where its keys may lead to what was not: by then their hash codes and equality
    /// must be what they were when it was made, or it has lost items.</summary>
    internal static void Check<T>(ref GraphReader reader, Type collection, T[] keys, IEqualityComparer<T>? comparer, int count, Predicate<T> finds)
    {
        if (!reader.Context.HasReferences)
        {
            return;
        }

        (reader.Context.Checks ??= []).Add(() =>
        {
            bool isWhole;
            try
            {
                isWhole = new HashSet<T>(keys, comparer).Count == count && Array.TrueForAll(keys, finds);
            }
            catch (Exception failure) when (KeyFailure.IsOne(failure))
            {
                throw KeyFailure.Of(collection, failure, isFrozen: true);
            }

            if (!isWhole)
            {
                throw KeyFailure.OfLost(collection);
            }
        });
    }
}
