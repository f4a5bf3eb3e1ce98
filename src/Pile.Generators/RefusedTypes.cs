// Types that a pile never keeps, as far as a compiler can tell: the list of Refusals in src/Pile/Codecs, by name.
// What only the object itself shows (a closure behind a field of type object) is refused by Put, with its path.
using System;
using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace Pile.Generators;

/// <summary>Refusals by type.</summary>
internal static class RefusedTypes
{
    /// <summary>Arrays of lists of arrays: looked into so far.</summary>
    private const int LevelsMax = 8;

    private const string Delegate = "a delegate";
    private const string Pointer = "a pointer";
    private const string Handle = "a handle";
    private const string Stream = "a stream";
    private const string Xml = "a part of an XML document; keep its text";
    private const string Builder = "a builder; keep what it builds";

    private static readonly Dictionary<string, string> _named = new(StringComparer.Ordinal)
    {
        ["System.Delegate"] = Delegate,
        ["System.Reflection.Pointer"] = Pointer,
        ["System.Runtime.InteropServices.GCHandle"] = Handle,
        ["System.Runtime.InteropServices.SafeHandle"] = Handle,
        ["System.Runtime.InteropServices.CriticalHandle"] = Handle,
        ["System.RuntimeTypeHandle"] = Handle,
        ["System.RuntimeMethodHandle"] = Handle,
        ["System.RuntimeFieldHandle"] = Handle,
        ["System.IO.Stream"] = Stream,
        ["System.Collections.Generic.LinkedListNode<T>"] = "a part of a list; keep the list",
        ["System.Linq.Lookup<TKey, TElement>"] = "a lookup, arranged by hash codes of this process; keep a dictionary",
        ["System.Collections.Immutable.ImmutableDictionary<TKey, TValue>.Builder"] = Builder,
        ["System.Collections.Immutable.ImmutableHashSet<T>.Builder"] = Builder,
        ["System.Xml.XmlNode"] = Xml,
        ["System.Xml.XmlNameTable"] = Xml,
    };

    /// <summary>Classes and structs of what runs, waits, or stands for code.</summary>
    private static readonly HashSet<string> _running = new(StringComparer.Ordinal)
    {
        "System.WeakReference", "System.WeakReference<T>", "System.Runtime.CompilerServices.ConditionalWeakTable<TKey, TValue>",
        "System.Text.Json.JsonDocument", "System.Reflection.MemberInfo", "System.Reflection.Assembly", "System.Reflection.Module",
        "System.Reflection.ParameterInfo", "System.Threading.Thread", "System.Threading.Tasks.Task", "System.Threading.Tasks.ValueTask",
        "System.Threading.Tasks.ValueTask<TResult>", "System.Threading.Tasks.TaskScheduler", "System.Threading.Timer", "System.Threading.CancellationToken",
        "System.Threading.CancellationTokenSource", "System.Threading.AsyncLocal<T>", "System.Threading.ThreadLocal<T>", "System.Threading.WaitHandle",
        "System.Threading.SemaphoreSlim", "System.Threading.ManualResetEventSlim", "System.Threading.CountdownEvent", "System.Threading.Barrier",
        "System.Threading.ReaderWriterLockSlim", "System.Threading.ExecutionContext", "System.Threading.SynchronizationContext",
        "System.Collections.Concurrent.BlockingCollection<T>",
    };

    /// <summary>Why values of a field's type, or what its arrays, nullables and collections hold, can't be kept; null when they can be.</summary>
    internal static string? WhyIn(ITypeSymbol type) => WhyIn(type, levels: 0);

    private static string? WhyIn(ITypeSymbol type, int levels)
    {
        if (levels == LevelsMax)
        {
            return null;
        }

        if (Why(type) is { } why)
        {
            return why;
        }

        if (type is IArrayTypeSymbol array)
        {
            return Inside("an array of which each element is", array.ElementType, levels);
        }

        if (type is INamedTypeSymbol { OriginalDefinition.SpecialType: SpecialType.System_Nullable_T } nullable)
        {
            return WhyIn(nullable.TypeArguments[0], levels + 1);
        }

        // Parts first: of a dictionary the items are pairs.
        if (type is INamedTypeSymbol { IsTupleType: true } or INamedTypeSymbol { Name: "KeyValuePair" })
        {
            return ((INamedTypeSymbol)type).TypeArguments.Select(part => WhyIn(part, levels + 1)).FirstOrDefault(found => found is not null);
        }

        INamedTypeSymbol? items = IsItems(type) ? (INamedTypeSymbol)type : type.AllInterfaces.FirstOrDefault(IsItems);
        return items is null ? null : Inside("a collection of which each item is", items.TypeArguments[0], levels);
    }

    private static string? Inside(string what, ITypeSymbol type, int levels) =>
        WhyIn(type, levels + 1) is { } why ? $"{what} {why}" : null;

    private static bool IsItems(ITypeSymbol type) => type.OriginalDefinition.SpecialType == SpecialType.System_Collections_Generic_IEnumerable_T;

    /// <summary>Why objects of a type, or of any derived from it, can't be kept; null when they can be.</summary>
    internal static string? Why(ITypeSymbol type)
    {
        switch (type.TypeKind)
        {
            case TypeKind.Delegate:
                return Delegate;
            case TypeKind.Pointer:
            case TypeKind.FunctionPointer:
                return Pointer;
        }

        if (type.SpecialType is SpecialType.System_IntPtr or SpecialType.System_UIntPtr)
        {
            return Handle;
        }

        if (type.IsRefLikeType)
        {
            return "a ref struct";
        }

        for (ITypeSymbol? at = type; at is not null; at = at.BaseType)
        {
            string name = at.OriginalDefinition.ToDisplayString();
            if (name == "System.Type" || (name == "System.IO.MemoryStream" && SymbolEqualityComparer.Default.Equals(at, type)))
            {
                return null;
            }

            if (_named.TryGetValue(name, out string? why))
            {
                return why;
            }

            if (_running.Contains(name))
            {
                return $"a {at.Name}, which belongs to the running process";
            }
        }

        return null;
    }
}
