// What the general collection plan needs to know about one collection type: how to count, go over and build it.
// The instance exists before its content; Fill builds into it, by running a constructor on it or by taking over the fields
// of another instance.
using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace Pile.Codecs;

/// <summary>The ways of a collection type.</summary>
/// <param name="Count">Its number of items.</param>
/// <param name="Copy">Copies its items, in the order in which Fill wants them, by the collection's own enumerator: that notices
/// changes made meanwhile, which CopyTo does not, and asks no interface that a derived class may have made its own. False when
/// there are more or fewer than there is room for.</param>
/// <param name="Fill">Builds it: the hollow instance, its comparers (null for the default one), its items.</param>
/// <param name="Comparers">Its comparers; null means the default one.</param>
internal sealed record Collection<TCollection, TItem>(
    Func<TCollection, int> Count,
    Func<TCollection, Span<TItem>, bool> Copy,
    Action<TCollection, object?[], TItem[]> Fill,
    params Func<TCollection, object?>[] Comparers)
{
    /// <summary>The ways of a collection that others may change while it is read.</summary>
    /// <param name="snapshot">Its items as they are at this moment; takes the place of Count and Copy.</param>
    /// <param name="fill">As Fill.</param>
    /// <param name="comparers">As Comparers.</param>
    internal Collection(Func<TCollection, TItem[]> snapshot, Action<TCollection, object?[], TItem[]> fill, params Func<TCollection, object?>[] comparers)
        : this(c => snapshot(c).Length, static (_, _) => false, fill, comparers) => Snapshot = snapshot;

    /// <summary>Its items as they are at this moment, in the order of Copy; null where nobody may change it meanwhile.</summary>
    internal Func<TCollection, TItem[]>? Snapshot { get; }

    /// <summary>Makes an empty one for a number of items, with a comparer or null; with <see cref="Add"/> it saves what Fill needs.</summary>
    internal Func<int, object?, TCollection>? Make { get; init; }

    /// <summary>Adds an item; false when it is there already, or can't be.</summary>
    internal Func<TCollection, TItem, bool>? Add { get; init; }

    /// <summary>Whether its items are found by their hash codes, and not by their order.</summary>
    internal bool IsHashed { get; init; }

    /// <summary>Whether building it compares items, or takes their hash codes.</summary>
    internal bool IsKeyed => Comparers.Length > 0;
}

/// <summary>Ways to build into an instance that exists already.</summary>
internal static class Collection
{
    private const BindingFlags Any = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;

    /// <summary>Runs a constructor on an instance. A trimmed program keeps those of the collections that are built so.</summary>
    internal static void Construct<[DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicConstructors | DynamicallyAccessedMemberTypes.NonPublicConstructors)] TCollection>(
        TCollection hollow, Type[] signature, params object?[] arguments) =>
        _ = typeof(TCollection).GetConstructor(Any, signature)!.Invoke(hollow, BindingFlags.DoNotWrapExceptions, null, arguments, null);

    /// <summary>Copies what an enumerator gives.</summary>
    /// <returns>Whether it gave exactly as many items as there is room for.</returns>
    internal static bool Copy<TEnumerator, TItem>(TEnumerator source, Span<TItem> items)
        where TEnumerator : IEnumerator<TItem>
    {
        int count = 0;
        using (source)
        {
            while (source.MoveNext())
            {
                if (count == items.Length)
                {
                    return false;
                }

                items[count++] = source.Current;
            }
        }

        return count == items.Length;
    }

    /// <summary>Makes an instance again what it was before it was built.</summary>
    internal static void Empty<TCollection>(TCollection built)
        where TCollection : class => TakeOver(built, (TCollection)RuntimeHelpers.GetUninitializedObject(typeof(TCollection)));

    /// <summary>Gives an instance the fields of another, which nobody else knows.</summary>
    internal static void TakeOver<TCollection>(TCollection hollow, TCollection built)
        where TCollection : class
    {
        for (Type? at = typeof(TCollection); at is not null; at = at.BaseType)
        {
            foreach (FieldInfo field in at.GetFields(Any | BindingFlags.DeclaredOnly))
            {
                field.SetValue(hollow, field.GetValue(built));
            }
        }
    }
}
