// Types that a pile never keeps, as far as a compiler can tell: the list of Refusals in src/Pile/Codecs, by name.
// What only the object itself shows (a closure behind a field of type object) is refused by Put, with its path.
using System;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace Pile.Generators;

/// <summary>Refusals by type.</summary>
internal static class RefusedTypes
{
    private static readonly string[] _handles =
    [
        "System.Runtime.InteropServices.GCHandle", "System.Runtime.InteropServices.SafeHandle", "System.WeakReference", "System.WeakReference<T>",
        "System.Threading.Thread", "System.Threading.Tasks.Task", "System.Threading.Tasks.ValueTask", "System.Threading.Tasks.ValueTask<TResult>",
        "System.Threading.Timer", "System.Threading.CancellationToken", "System.Threading.CancellationTokenSource",
        "System.Threading.AsyncLocal<T>", "System.Threading.ThreadLocal<T>", "System.Runtime.CompilerServices.ConditionalWeakTable<TKey, TValue>",
        "System.IO.Stream", "System.Text.Json.JsonDocument", "System.Threading.WaitHandle", "System.Reflection.MemberInfo", "System.Reflection.Assembly",
    ];

    /// <summary>Why objects of a type, or of any derived from it, can't be kept; null when they can be.</summary>
    internal static string? Why(ITypeSymbol type)
    {
        switch (type.TypeKind)
        {
            case TypeKind.Delegate:
                return "a delegate";
            case TypeKind.Pointer:
            case TypeKind.FunctionPointer:
                return "a pointer";
        }

        if (type.SpecialType is SpecialType.System_IntPtr or SpecialType.System_UIntPtr)
        {
            return "a handle";
        }

        if (type.IsRefLikeType)
        {
            return "a ref struct";
        }

        for (ITypeSymbol? at = type; at is not null; at = at.BaseType)
        {
            string name = at.OriginalDefinition.ToDisplayString();
            if (name == "System.IO.MemoryStream" || name == "System.Type")
            {
                return null;
            }

            if (_handles.Contains(name, StringComparer.Ordinal))
            {
                return name switch
                {
                    "System.IO.Stream" => "a stream",
                    "System.Runtime.InteropServices.GCHandle" or "System.Runtime.InteropServices.SafeHandle" => "a handle",
                    _ => $"a {at.Name}, which belongs to the running process",
                };
            }
        }

        return null;
    }
}
