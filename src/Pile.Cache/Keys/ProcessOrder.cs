// Collections whose items stand in the order of their hash codes. Those of text, tuples and records are of one process: the next one writes other bytes
// for an equal key, and finds nothing of what is stored. A durable table of a directory refuses types of keys that hold such a collection.
// Looked at are the types of fields: what an object or an interface holds nobody knows beforehand.
using System;
using System.Collections;
using System.Collections.Concurrent;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Collections.Specialized;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Text;
using Pile.Codecs;
using Pile.Primitives;

namespace Pile.Cache.Keys;

/// <summary>Types of keys against the order of their items.</summary>
internal static class ProcessOrder
{
    /// <summary>Collections in the order of the hash codes of their first argument.</summary>
    private static readonly FrozenSet<Type> _hashed = FrozenSet.ToFrozenSet([typeof(ImmutableHashSet<>), typeof(ImmutableDictionary<,>), typeof(FrozenSet<>), typeof(FrozenDictionary<,>)]);

    /// <summary>Collections of which nobody says in what order their items stand: those of objects and text, and the one whose order depends on its room and on the machine's processors, too.</summary>
    private static readonly FrozenSet<Type> _unsettled = FrozenSet.ToFrozenSet([typeof(ConcurrentDictionary<,>), typeof(Hashtable), typeof(DictionaryBase), typeof(HybridDictionary), typeof(StringDictionary), typeof(NameObjectCollectionBase)]);

    /// <summary>Types besides primitives and enums whose hash codes are the same in each process.</summary>
    private static readonly FrozenSet<Type> _settled = FrozenSet.ToFrozenSet(
    [
        typeof(Guid), typeof(DateTime), typeof(DateTimeOffset), typeof(DateOnly), typeof(TimeOnly), typeof(TimeSpan), typeof(decimal), typeof(Half), typeof(Rune),
    ]);

    /// <summary>Refuses a type of keys that are other bytes in the next process.</summary>
    /// <param name="pile">The pile: a codec of the program's own writes as it likes.</param>
    /// <param name="kind">The kind of the table; a speculative one may miss.</param>
    /// <param name="isInFiles">Whether it outlives the process.</param>
    /// <exception cref="ArgumentOutOfRangeException">It is one.</exception>
    internal static void Refuse<TKey>(ObjectPile pile, PileTableKind kind, bool isInFiles)
        where TKey : notnull
    {
        if (isInFiles && kind == PileTableKind.Durable && KeyCodec<TKey>.Kind == KeyKind.Codec && !pile.Codecs.TryGet(typeof(TKey), out _) && FindIn(typeof(TKey)) is { } found)
        {
            Throw.Argument(
                nameof(TKey),
                typeof(TKey),
                $"Such a key holds a {TypeName.Display(found)}, whose items stand in the order of their hash codes: the next process writes them in another one, and would find no such key in a durable table of a directory. Hold them sorted (ImmutableSortedSet, ImmutableSortedDictionary), or in a list or an array. A table that is there is opened with PileTableOptions.TakesFormerKeys, to be listed.");
        }
    }

    /// <summary>A collection in a type, in the order of hash codes that are of one process; null where none is seen.</summary>
    private static Type? FindIn(Type root)
    {
        HashSet<Type> seen = [root];
        Stack<Type> open = new([root]);
        while (open.TryPop(out Type? type))
        {
            if (IsOfProcess(type))
            {
                return type;
            }

            foreach (Type part in PartsOf(type))
            {
                if (!TypeName.IsDeep(part) && seen.Add(part))
                {
                    open.Push(part);
                }
            }
        }

        return null;
    }

    private static IEnumerable<Type> PartsOf(Type type)
    {
        if (type.HasElementType)
        {
            return [type.GetElementType()!];
        }

        return TypeName.IsFramework(type) ? type.GetGenericArguments() : TypeFields.Of(type).ConvertAll(static field => field.FieldType);
    }

    private static bool IsOfProcess(Type type)
    {
        for (Type? at = type; at is not null; at = at.BaseType)
        {
            Type definition = at.IsConstructedGenericType ? at.GetGenericTypeDefinition() : at;
            if (_unsettled.Contains(definition) || (_hashed.Contains(definition) && !IsSettled(at.GetGenericArguments()[0])))
            {
                return true;
            }
        }

        return false;
    }

    private static bool IsSettled(Type item)
    {
        Type value = Nullable.GetUnderlyingType(item) ?? item;

        return value.IsPrimitive || value.IsEnum || _settled.Contains(value)
            || (IsRecordStruct(value) && TypeFields.Of(value).TrueForAll(static field => IsSettled(field.FieldType)));
    }

    /// <summary>Whether the compiler made the hash code: that is of the fields alone. HashCode.Combine, and structs without a method of their own, have a seed of the process.</summary>
    [UnconditionalSuppressMessage("Trimming", "IL2070", Justification = "Where trimming removed the method, the type is refused, with the way out.")]
    private static bool IsRecordStruct(Type type) =>
        type.IsValueType && type.GetMethod(nameof(GetHashCode), Type.EmptyTypes) is { } method && method.DeclaringType == type && method.IsDefined(typeof(CompilerGeneratedAttribute), inherit: false);
}
