// Classes that F# and its library name after lines of their source (byPrice@6, mkSeq@177): object expressions, closures, comparers. The next build, or the
// next release of the library, has another class under the name, or none. Refused by Put; what earlier builds stored of them is read as it was.
// What the library's dict, readOnlyDict and HashIdentity.Reference give is kept by what it means. Known by name: there is no reference to FSharp.Core.
using System;
using System.Collections;
using System.Linq;
using System.Runtime.CompilerServices;

namespace Pile.Codecs;

/// <summary>Tells such classes by their names.</summary>
internal static class FSharpClasses
{
    internal const string OfALine = "it is an object expression or a closure of F#'s, which is named after its line, and another may have that name by the next build. Give it a class of its own, or leave a comparer of F#'s (HashIdentity, ComparisonIdentity) out: records and unions equal and compare by their values without one";

    internal const string OfTheLibrary = "its class is named after a line of F#'s library, and the next release has another name for it. Keep what it holds in an array (Seq.toArray), a list (List.ofSeq), a Map or a Dictionary, and leave a comparer of F#'s out (of text, StringComparer.Ordinal is the same)";

    private const string ByStructure = "its keys may be equal by what F# finds in arrays, and no dictionary of the framework compares so. Keep a Map, or a dict whose keys are records, unions, text, numbers or tuples of these";

    private const string OwnMark = "Microsoft.FSharp.Core.CompilationMappingAttribute";

    /// <summary>Why objects of a class that has no lasting name can't be kept; null for all others, and for those that are kept by what they mean.</summary>
    internal static string? Why(Type type) =>
        KeyAndValueOf(type) is [var key, _] ? AreEqualByDefault(key) ? null : ByStructure
        : !IsNamedAfterALine(type.Name) || IsReferenceComparer(type) ? null
        : IsOfLibrary(type) ? OfTheLibrary : OfALine;

    /// <summary>Whether earlier builds kept objects of a class by what it consists of, and today's does not.</summary>
    internal static bool WereKept(Type type) => IsNamedAfterALine(type.Name) || KeyAndValueOf(type) is not null;

    /// <summary>Whether a class is that of HashIdentity.Reference: it compares as the framework's own comparer of references does.</summary>
    internal static bool IsReferenceComparer(Type type) =>
        type.Name.StartsWith("Reference@", StringComparison.Ordinal) && type.DeclaringType?.FullName == "Microsoft.FSharp.Collections.HashIdentity" && IsOfLibrary(type);

    /// <summary>The types of keys and values where a class is that of dict and readOnlyDict; null for others.</summary>
    internal static Type[]? KeyAndValueOf(Type type) =>
        type.Name == "DictImpl`3" && type.IsConstructedGenericType && type.GetGenericTypeDefinition().FullName == "Microsoft.FSharp.Core.ExtraTopLevelOperators+DictImpl`3" && IsOfLibrary(type)
            ? type.GetGenericArguments()[1..] : null;

    /// <summary>No class of a source has such a name: behind the sign is the line, and a number where several stand in it.</summary>
    private static bool IsNamedAfterALine(string name) => name.IndexOf('@', StringComparison.Ordinal) is var at and >= 0 && at + 1 < name.Length && char.IsAsciiDigit(name[at + 1]);

    private static bool IsOfLibrary(Type type) => type.Assembly.GetName().Name == "FSharp.Core";

    /// <summary>Whether keys that F# finds equal are those that equal by themselves: so do its own types, and tuples of such. Arrays do not, which may be in a place of object.</summary>
    private static bool AreEqualByDefault(Type key)
    {
        key = Nullable.GetUnderlyingType(key) ?? key;
        return !key.IsInterface && key != typeof(object)
            && (!typeof(IStructuralEquatable).IsAssignableFrom(key)
                || key.GetCustomAttributesData().Any(static mark => mark.AttributeType.FullName == OwnMark)
                || (typeof(ITuple).IsAssignableFrom(key) && Array.TrueForAll(key.GetGenericArguments(), AreEqualByDefault)));
    }
}
