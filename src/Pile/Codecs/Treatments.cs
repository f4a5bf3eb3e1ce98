// How each type is kept: which plan, which type stands for it, what is refused and why. The table of docs/CODEC.md in code.
// Decided by the exact type and its bases, never by an attribute of ours.
using System;
using System.Buffers;
using System.Collections;
using System.Collections.Concurrent;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Collections.Specialized;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Serialization;
using System.Text;

namespace Pile.Codecs;

/// <summary>The choice of plans.</summary>
internal static class Treatments
{
    /// <summary>Framework classes whose internal subclasses are kept as themselves.</summary>
    private static readonly Type[] _standIns = [typeof(Type), typeof(System.Globalization.CultureInfo), typeof(TimeZoneInfo), typeof(Encoding), typeof(System.Text.RegularExpressions.Regex), typeof(System.Net.IPAddress), typeof(StringComparer)];

    /// <summary>Generic framework types, each with the class and method that make its plan.</summary>
    private static readonly Dictionary<Type, (Type Maker, string Method)> _collections = new()
    {
        [typeof(List<>)] = (typeof(Sequences<>), nameof(Sequences<>.List)),
        [typeof(Stack<>)] = (typeof(Sequences<>), nameof(Sequences<>.Stack)),
        [typeof(Queue<>)] = (typeof(Sequences<>), nameof(Sequences<>.Queue)),
        [typeof(LinkedList<>)] = (typeof(Sequences<>), nameof(Sequences<>.LinkedList)),
        [typeof(HashSet<>)] = (typeof(Sequences<>), nameof(Sequences<>.HashSet)),
        [typeof(SortedSet<>)] = (typeof(Sequences<>), nameof(Sequences<>.SortedSet)),
        [typeof(ConcurrentQueue<>)] = (typeof(Sequences<>), nameof(Sequences<>.ConcurrentQueue)),
        [typeof(ConcurrentStack<>)] = (typeof(Sequences<>), nameof(Sequences<>.ConcurrentStack)),
        [typeof(ConcurrentBag<>)] = (typeof(Sequences<>), nameof(Sequences<>.ConcurrentBag)),
        [typeof(ImmutableList<>)] = (typeof(Sequences<>), nameof(Sequences<>.ImmutableList)),
        [typeof(ImmutableStack<>)] = (typeof(Sequences<>), nameof(Sequences<>.ImmutableStack)),
        [typeof(ImmutableQueue<>)] = (typeof(Sequences<>), nameof(Sequences<>.ImmutableQueue)),
        [typeof(ImmutableHashSet<>)] = (typeof(Sequences<>), nameof(Sequences<>.ImmutableHashSet)),
        [typeof(ImmutableSortedSet<>)] = (typeof(Sequences<>), nameof(Sequences<>.ImmutableSortedSet)),
        [typeof(Dictionary<,>)] = (typeof(Maps<,>), nameof(Maps<,>.Dictionary)),
        [typeof(OrderedDictionary<,>)] = (typeof(Maps<,>), nameof(Maps<,>.OrderedDictionary)),
        [typeof(SortedDictionary<,>)] = (typeof(Maps<,>), nameof(Maps<,>.SortedDictionary)),
        [typeof(SortedList<,>)] = (typeof(Maps<,>), nameof(Maps<,>.SortedList)),
        [typeof(ConcurrentDictionary<,>)] = (typeof(Maps<,>), nameof(Maps<,>.ConcurrentDictionary)),
        [typeof(ImmutableDictionary<,>)] = (typeof(Maps<,>), nameof(Maps<,>.ImmutableDictionary)),
        [typeof(ImmutableSortedDictionary<,>)] = (typeof(Maps<,>), nameof(Maps<,>.ImmutableSortedDictionary)),
        [typeof(PriorityQueue<,>)] = (typeof(Maps<,>), nameof(Maps<,>.PriorityQueue)),
        [typeof(Memory<>)] = (typeof(MemoryPlans<>), nameof(MemoryPlans<>.Writable)),
        [typeof(ReadOnlyMemory<>)] = (typeof(MemoryPlans<>), nameof(MemoryPlans<>.ReadOnly)),
        [typeof(ReadOnlySequence<>)] = (typeof(MemoryPlans<>), nameof(MemoryPlans<>.Sequence)),
        [typeof(EqualityComparer<>)] = (typeof(GenericComparers<>), nameof(GenericComparers<>.Equality)),
        [typeof(Comparer<>)] = (typeof(GenericComparers<>), nameof(GenericComparers<>.Order)),
    };

    /// <summary>The type under which objects of a type are kept.</summary>
    internal static Type Canonical(Type type)
    {
        if (type.IsValueType)
        {
            return Nullable.GetUnderlyingType(type) ?? type;
        }

        if (type.IsArray || !TypeName.IsFramework(type) || Refusals.Why(type) is not null)
        {
            return FSharpClasses.IsReferenceComparer(type) ? typeof(ReferenceEqualityComparer) : type;
        }

        for (Type? at = type.BaseType; at is not null; at = at.BaseType)
        {
            Type definition = at.IsGenericType ? at.GetGenericTypeDefinition() : at;
            if (Array.IndexOf(_standIns, at) >= 0
                || definition == typeof(FrozenDictionary<,>) || definition == typeof(FrozenSet<>)
                || ((definition == typeof(EqualityComparer<>) || definition == typeof(Comparer<>)) && IsDefaultComparer(at, type)))
            {
                return at;
            }
        }

        return type;
    }

    /// <summary>Why objects of a type can't be kept.</summary>
    internal static string WhyRefused(Type type) =>
        Refusals.Why(type) ?? (Refusals.HasPointers(type) ? Refusals.Handle : "it does not stand for itself alone");

    /// <summary>Whether a place of this type can hold nothing that could be kept.</summary>
    internal static bool IsRefusedPlace(Type type) =>
        type.IsValueType ? Refusals.Why(type) is not null : type.IsSubclassOf(typeof(Delegate)) && type != typeof(MulticastDelegate);

    /// <summary>Whether a place of this class holds objects of this class only. Not where generic types grow without end:
    /// class Node&lt;T&gt; with a Node&lt;Node&lt;T&gt;&gt;.</summary>
    internal static bool IsExactPlace(Type type) => type.IsSZArray
        ? IsExactElement(type.GetElementType()!)
        : type.IsSealed && !type.IsArray && Canonical(type) == type && !TypeName.IsDeep(type);

    /// <summary>Whether a type says that it has the serialization protocols and throws when they are used: the one family of containers
    /// from which the framework took them. Its fields are data like others.</summary>
    internal static bool LostItsProtocol(Type type) => typeof(NameObjectCollectionBase).IsAssignableFrom(type);

    /// <summary>The framework's types that a stored name may name without being added.</summary>
    internal static Type? FrameworkType(string name) => FrameworkTypes.Find(name);

    /// <summary>Makes the plan of a type that stands for itself.</summary>
    internal static Plan MakePlan(Type type) =>
        FSharpClasses.Why(type) is not null ? new RefusedPlan(type)
        : FSharpClasses.KeyAndValueOf(type) is { } pair ? Create(typeof(FSharpDictionaryPlan<,>), pair)
        : MakeKept(type);

    /// <summary>The same, of a type that may have been kept by what it consists of in earlier builds alone.</summary>
    internal static Plan MakeKept(Type type)
    {
        if (Refusals.WhyNever(type) is not null)
        {
            return new RefusedPlan(type);
        }

        if (type.IsArray)
        {
            return MakeArrayPlan(type);
        }

        if (type == typeof(string) || Surrogates.All.TryGetValue(type, out Func<Plan>? surrogate) is false)
        {
            return LeafFormatter.PlanOf(type) is { } leaf ? leaf
                : type.IsEnum ? AheadOfTime.IsWhole ? new EnumPlan(type) : Create(typeof(LeafPlan<>), [type], Formatters.Of(type))
                : type == typeof(object) ? new ObjectPlan<object>()
                : type.IsValueType ? MakeStructPlan(type)
                : MakeClassPlan(type);
        }

        return surrogate!();
    }

    private static bool IsDefaultComparer(Type comparers, Type type) =>
        comparers.GetProperty("Default", BindingFlags.Static | BindingFlags.Public)!.GetValue(null)!.GetType() == type;

    private static Plan MakeArrayPlan(Type type)
    {
        Type element = type.GetElementType()!;
        return !type.IsSZArray ? Create(typeof(GridPlan<>), [element], type)
            : PrimitiveArrays.PlanFor(element) ?? Create(typeof(ArrayPlan<>), [element]);
    }

    private static Plan MakeStructPlan(Type type)
    {
        if (MakeGeneric(type, type) is { } known)
        {
            return known;
        }

        bool isBytes = StructBytes.AreEnough(type);
        if (type.GetCustomAttribute<InlineArrayAttribute>() is { } inline)
        {
            return isBytes
                ? Create(typeof(BlittablePlan<>), [type], false)
                : Create(typeof(InlineArrayPlan<,>), [type, TypeFields.Of(type)[0].FieldType], inline.Length);
        }

        return !isBytes ? Create(typeof(StructPlan<>), [type])
            : StructBytes.Overlap(type) ? Create(typeof(BlittablePlan<>), [type], false)
            : StructBytes.GoBeyondFields(type) ? Create(typeof(BlittablePlan<>), [type], StructBytes.WereFields(type))
            : Create(typeof(StructPlan<>), [type]);
    }

    private static Plan MakeClassPlan(Type type)
    {
        for (Type? at = type; at is not null; at = at.BaseType)
        {
            if (at == typeof(Hashtable))
            {
                return Maps<object, object>.Hashtable(type);
            }

            if (MakeGeneric(at, type) is { } known)
            {
                return known;
            }

            if (type.IsAbstract)
            {
                // The framework's own that stand for their subclasses were found by now.
                return new RefusedPlan(type);
            }
        }

        if (typeof(ISerializable).IsAssignableFrom(type) && !LostItsProtocol(type) && SerializablePlan.ConstructorOf(type) is { } constructor
            && (constructor.DeclaringType == type || typeof(Exception).IsAssignableFrom(type)))
        {
            return new SerializablePlan(type, constructor);
        }

        return Refusals.HasPointers(type) ? new RefusedPlan(type) : Create(typeof(ObjectPlan<>), [type]);
    }

    private static Plan? MakeGeneric(Type known, Type type)
    {
        if (!known.IsGenericType)
        {
            return null;
        }

        Type definition = known.GetGenericTypeDefinition();
        Type[] arguments = known.GetGenericArguments();
        return definition == typeof(FrozenDictionary<,>) ? Create(typeof(FrozenDictionaryPlan<,>), arguments)
            : definition == typeof(FrozenSet<>) ? Create(typeof(FrozenSetPlan<>), arguments)
            : _collections.TryGetValue(definition, out (Type Maker, string Method) way)
                ? way.Maker.MakeGenericType(arguments).GetMethod(way.Method) is { } make
                    ? (Plan)make.Invoke(null, BindingFlags.DoNotWrapExceptions, null, make.GetParameters().Length == 0 ? null : [type], null)!
                    : null
                : null;
    }

    private static bool IsExactElement(Type element) => element.IsArray ? element.IsSZArray && IsExactElement(element.GetElementType()!)
        : element.IsValueType ? !element.IsEnum && !TypeName.IsDeep(element) && (!element.IsPrimitive || element == typeof(bool) || element == typeof(char) || element == typeof(float) || element == typeof(double))
        : IsExactPlace(element) || element == typeof(string);

    private static Plan Create(Type definition, Type[] arguments, params object[] values) => (Plan)Activator.CreateInstance(
        definition.MakeGenericType(arguments), BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DoNotWrapExceptions, null, values, null)!;

    /// <summary>Default comparers by type.</summary>
    private static class GenericComparers<T>
    {
        public static Plan Equality(Type type) => type == typeof(EqualityComparer<T>) ? Comparers.Equality<T>() : ByFields(type);

        public static Plan Order(Type type) => type == typeof(Comparer<T>) ? Comparers.Order<T>() : ByFields(type);

        private static Plan ByFields(Type type) => Create(typeof(ObjectPlan<>), [type]);
    }
}
