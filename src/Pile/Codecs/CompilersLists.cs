// The classes that the C# compiler makes of collection expressions, one of each kind in an assembly and for as long as there is such an expression in
// it: one that is gone with its last expression is read as a list of Pile's own. Known by their exact names behind an assembly's. Where the program has
// the class, under this name of its assembly or a former one, it is that which counts, shown or not.
using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.IO;
using System.Reflection;

namespace Pile.Codecs;

/// <summary>What stands for the compiler's lists.</summary>
internal static class CompilersLists
{
    private static readonly Dictionary<string, Type> _byName = new()
    {
        ["<>z__ReadOnlyArray`1"] = typeof(ReadOnlyItems<>.OfArray),
        ["<>z__ReadOnlyList`1"] = typeof(ReadOnlyItems<>.OfList),
        ["<>z__ReadOnlySingleElementList`1"] = typeof(ReadOnlyItems<>.OfOne),
    };

    /// <summary>Pile's own, as definitions.</summary>
    internal static IEnumerable<Type> All => _byName.Values;

    /// <summary>What stands for a stored name; null where that is none of these, or an assembly of the program has the class.</summary>
    internal static Type? Find(string name)
    {
        int mark = name.IndexOf('!', StringComparison.Ordinal);
        return mark > 0 && _byName.TryGetValue(name[(mark + 1)..], out Type? own) && !IsThere(name[..mark], name[(mark + 1)..]) ? own : null;
    }

    [UnconditionalSuppressMessage("Trimming", "IL2026", Justification = "What was removed is not there.")]
    private static bool IsThere(string assemblyName, string fullName) => Array.Exists(AppDomain.CurrentDomain.GetAssemblies(), assembly =>
    {
        try
        {
            return assembly.GetType(fullName, throwOnError: false) is not null
                && (assembly.GetName().Name == assemblyName || Array.IndexOf(TypeName.MarksOn(assembly), assemblyName) >= 0);
        }
        catch (Exception failure) when (failure is TypeLoadException or IOException or BadImageFormatException or CustomAttributeFormatException)
        {
            // Its attributes are of an assembly that is not there: it has another name.
            return false;
        }
    });
}
