// Types whose objects can't be kept, each with its reason: they stand for code, for a handle, for something that runs.
// A user's class derived from one of them is refused as well.
using System;
using System.Collections;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;

namespace Pile.Codecs;

/// <summary>The refused types.</summary>
internal static class Refusals
{
    private const string Code = "it stands for code, which is not data";
    internal const string Handle = "it stands for a handle of this process";
    private const string Running = "it stands for something that runs or waits";

    private const string Overlapping = "its fields overlap, and what one of them holds is no value of another; keep a copy with fields of their own";

    private const string Sized = "it holds a union of F#'s and has a size beyond its fields, and no form keeps both the case by its name and bytes that no field has; leave the Size out of its StructLayout, or give the bytes fields of their own";

    private const string Hashed = "it finds what it holds by hash codes of this process; keep a dictionary, or what it builds";

    private static readonly Dictionary<Type, string> _all = new()
    {
        [typeof(Delegate)] = Code,
        [typeof(MemberInfo)] = Code,
        [typeof(Assembly)] = Code,
        [typeof(Module)] = Code,
        [typeof(ParameterInfo)] = Code,
        [typeof(nint)] = Handle,
        [typeof(nuint)] = Handle,
        [typeof(Pointer)] = Handle,
        [typeof(GCHandle)] = Handle,
        [typeof(RuntimeTypeHandle)] = Handle,
        [typeof(RuntimeMethodHandle)] = Handle,
        [typeof(RuntimeFieldHandle)] = Handle,
        [typeof(WeakReference)] = Handle,
        [typeof(WeakReference<>)] = Handle,
        [typeof(ConditionalWeakTable<,>)] = Handle,
        [typeof(SafeHandle)] = Handle,
        [typeof(CriticalHandle)] = Handle,
        [typeof(Stream)] = Handle,
        [typeof(JsonDocument)] = Handle,
        [typeof(Thread)] = Running,
        [typeof(Task)] = Running,
        [typeof(ValueTask)] = Running,
        [typeof(ValueTask<>)] = Running,
        [typeof(Timer)] = Running,
        [typeof(WaitHandle)] = Running,
        [typeof(SemaphoreSlim)] = Running,
        [typeof(ManualResetEventSlim)] = Running,
        [typeof(CountdownEvent)] = Running,
        [typeof(Barrier)] = Running,
        [typeof(ReaderWriterLockSlim)] = Running,
        [typeof(CancellationTokenSource)] = Running,
        [typeof(ExecutionContext)] = Running,
        [typeof(SynchronizationContext)] = Running,
        [typeof(TaskScheduler)] = Running,
        [typeof(AsyncLocal<>)] = Running,
        [typeof(ThreadLocal<>)] = Running,
        [typeof(BlockingCollection<>)] = Running,
        [typeof(LinkedListNode<>)] = "it is part of a list; keep the list",
        [typeof(Lookup<,>)] = Hashed,
        [typeof(ImmutableDictionary<,>.Builder)] = Hashed,
        [typeof(ImmutableHashSet<>.Builder)] = Hashed,
        [typeof(string)] = "it is kept in a way of its own",
    };

    /// <summary>Types of the framework that programs can't name, or whose assemblies are not loaded for their name's sake.</summary>
    private static readonly Dictionary<string, string> _named = new()
    {
        ["System.Collections.Generic.SortedSet`1+TreeSubSet"] = "it is a view of a set; keep the set, or a copy of the view",
        ["System.Xml.XmlNode"] = "it finds what it holds by the identity of names; keep its text",
        ["System.Xml.XmlNameTable"] = Hashed,
    };

    /// <summary>The refused types by name; the source generator has the same list.</summary>
    internal static IEnumerable<Type> Types => _all.Keys;

    /// <summary>Why objects of a type can't be kept, or null when they can.</summary>
    internal static string? Why(Type type) => WhyNever(type) ?? FSharpClasses.Why(type);

    /// <summary>The same, but for classes that earlier builds kept: these are read.</summary>
    internal static string? WhyNever(Type type)
    {
        if (type == typeof(MemoryStream) || typeof(Type).IsAssignableFrom(type) || type.IsSubclassOf(typeof(MemoryStream)))
        {
            return type.IsSubclassOf(typeof(MemoryStream)) ? Handle : null;
        }

        if (type.IsPointer || type.IsFunctionPointer || type.IsByRefLike || type.IsCOMObject)
        {
            return Handle;
        }

        for (Type? at = type; at is not null; at = at.BaseType)
        {
            Type definition = at.IsGenericType ? at.GetGenericTypeDefinition() : at;
            if (_all.TryGetValue(definition, out string? why) || (_named.TryGetValue(definition.FullName ?? "", out why) && TypeName.IsFramework(definition)))
            {
                return why;
            }
        }

        return typeof(IAsyncStateMachine).IsAssignableFrom(type) ? Running : IsOfCompiler(type) ? Code : !MayLookInto(type) ? null : UnionCases.AreUnseen(type) ? $"it is a union of F#'s, {UnionCases.Untold}" : HasPointers(type) ? Handle : OverlappingFields.AreLost(type) ? Overlapping : StructBytes.AreLost(type) ? Sized : null;
    }

    /// <summary>Whether a refused type is an iterator, a query or the like: code that gives items, which can be kept.</summary>
    internal static bool IsSequence(Type type) => Why(type) is Code or FSharpClasses.OfALine or FSharpClasses.OfTheLibrary && typeof(IEnumerable).IsAssignableFrom(type);

    /// <summary>Closures and iterators of C# and Visual Basic: their names, and what they hold, change with every compilation.</summary>
    private static bool IsOfCompiler(Type type) =>
        (IsClosure(type.Name) || IsStateMachine(type.Name)) && type.IsDefined(typeof(CompilerGeneratedAttribute), false)
        || IsIterator(type)
        || IsOfFSharp(type);

    private static bool IsClosure(string name) =>
        (name.StartsWith('<') && (name.Contains("DisplayClass", StringComparison.Ordinal) || name is "<>c" or "<>c`1")) || name.StartsWith("_Closure$__", StringComparison.Ordinal);

    /// <summary>An iterator of a method has a number behind its name, one of C#'s local functions has none.</summary>
    private static bool IsStateMachine(string name) =>
        (name.StartsWith('<') && (name.Contains(">d__", StringComparison.Ordinal) || name.EndsWith(">d", StringComparison.Ordinal) || name.Contains(">d`", StringComparison.Ordinal)))
        || name.StartsWith("VB$StateMachine_", StringComparison.Ordinal);

    /// <summary>The framework's own iterators, some of which have a base of their own below that of all.</summary>
    private static bool IsIterator(Type type)
    {
        for (Type? at = TypeName.IsFramework(type) ? type.BaseType : null; at is not null; at = at.BaseType)
        {
            if (at is { IsGenericType: true, Name: "Iterator`1" })
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Functions and sequences that F# compiled, named after the lines they stood in. Those of its own library were kept once.</summary>
    private static bool IsOfFSharp(Type type)
    {
        for (Type? at = type.BaseType; at is not null; at = at.BaseType)
        {
            if (at.IsGenericType && at.GetGenericTypeDefinition().FullName is "Microsoft.FSharp.Core.FSharpFunc`2" or "Microsoft.FSharp.Core.CompilerServices.GeneratedSequenceBase`1")
            {
                return type.Assembly != at.Assembly;
            }
        }

        return false;
    }

    /// <summary>Not into the framework's classes, whose treatment may not look at fields at all.</summary>
    private static bool MayLookInto(Type type) => type.IsValueType || type.IsArray || !TypeName.IsFramework(type);

    /// <summary>Whether objects of a type have fields that are addresses.</summary>
    internal static bool HasPointers(Type type)
    {
        if (type.IsArray || type.IsPrimitive || type.IsEnum)
        {
            return type.IsArray && type.GetElementType() is { } element && (element.IsPointer || element.IsFunctionPointer);
        }

        return TypeFields.Of(type).Exists(static field => field.FieldType.IsPointer || field.FieldType.IsFunctionPointer || field.FieldType.IsByRef);
    }
}
