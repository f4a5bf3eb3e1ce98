// F#'s unions. From four cases on, where no case has a value, and in structs, F# keeps the case as a number in a field that no source names: a number
// says nothing once the cases are others, so that schemas say which case each number is. Fewer cases are a class each, which is known by its name.
// Known by what F#'s compiler writes, looked at by name: there is no reference to FSharp.Core.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;

namespace Pile.Codecs;

/// <summary>Cases of unions.</summary>
internal static class UnionCases
{
    /// <summary>The field with the number of the case.</summary>
    internal const string Tag = "_tag";

    /// <summary>Why objects of a union are not stored whose names are not there.</summary>
    internal const string Untold = "and the names of its cases, by which they are kept, were cut off when this program was trimmed; name its assembly in the project file: <TrimmerRootAssembly Include=\"...\" />";

    private const string Mark = "Microsoft.FSharp.Core.CompilationMappingAttribute";

    /// <summary>Of a source construct: its kind, and the one that is of interest here.</summary>
    private const int KindMask = 31;
    private const int SumType = 1;

    private const BindingFlags Nested = BindingFlags.Public | BindingFlags.NonPublic;
    private const BindingFlags Static = BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;
    private const BindingFlags Instance = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    /// <summary>Whether a type is a union as it was declared, and not the class of one of its cases.</summary>
    internal static bool IsUnion(Type type) => type.GetCustomAttributesData().Any(static mark => KindOf(mark) == SumType);

    /// <summary>The field with the number of the case of a type's objects, or null.</summary>
    internal static FieldInfo? TagOf(Type type)
    {
        FieldInfo? tag = null;
        for (Type? at = type; at is not null && tag is null; at = at.BaseType)
        {
            tag = at.GetField(Tag, Instance);
        }

        return tag is not null && IsTag(tag) ? tag : null;
    }

    /// <summary>Whether a field has the number of a case, and not of a union of F#'s own library, whose cases never change.</summary>
    internal static bool IsTag(FieldInfo field) =>
        field.Name == Tag && field.FieldType == typeof(int) && IsUnion(field.DeclaringType!) && !IsOfLibrary(field.DeclaringType!);

    /// <summary>Whether a type is of F#'s own library: the cases of its unions never change, and their numbers are fields like others.</summary>
    internal static bool IsOfLibrary(Type type) => type.Assembly.GetName().Name == "FSharp.Core";

    /// <summary>The cases that objects of a type may be, each at its number; empty text where that number is of another class. Null for a field that is no tag.</summary>
    /// <param name="type">The type: a union, or the class of a case.</param>
    /// <param name="field">A field of it.</param>
    internal static string[]? Of(Type type, FieldInfo field)
    {
        if (!IsTag(field))
        {
            return null;
        }

        Type union = Definition(field.DeclaringType!);
        string[] cases = NamesOf(union);
        for (int number = 0; number < cases.Length && !union.IsValueType; number++)
        {
            cases[number] = (ClassOf(union, cases[number]) ?? union) == Definition(type) ? cases[number] : "";
        }

        return cases[..(Array.FindLastIndex(cases, static name => name.Length > 0) + 1)];
    }

    /// <summary>Former names that nobody can put on a type: those of the class of a case, for F# puts no attribute on it, by the marks on its union; and those of the classes that a
    /// union had for cases without values, while it had so few that each was a class.</summary>
    /// <param name="type">The type: a union, the class of a case, or any other.</param>
    /// <param name="marks">The former names on it.</param>
    internal static IEnumerable<string> FormerOf(Type type, string[] marks) =>
        IsCase(type) ? TypeName.MarksOn(type.DeclaringType!).Select(union => $"{union}+{type.Name}")
        : !type.IsValueType && type.GetField(Tag, Instance) is { } tag && Of(type, tag) is { } cases
            ? cases.Where(static name => name.Length > 0).SelectMany(name => marks.Append(type.FullName).Select(union => $"{union}+_{name}"))
        : [];

    /// <summary>Whether one list of cases begins with another, number for number.</summary>
    /// <remarks>Not with one of no names, which trimmed programs wrote: any number may stand under it.</remarks>
    internal static bool Begins(IReadOnlyList<string>? cases, IReadOnlyList<string>? first) =>
        cases is null || first is null ? cases == first : first.Count > 0 && first.Count <= cases.Count && first.SequenceEqual(cases.Take(first.Count));

    /// <summary>Whether a field of today's is the one of a name: the only value of a case has no number, unless others follow it.</summary>
    internal static bool IsFirstValue(FieldInfo field, string name) =>
        ((field.Name == "item" && name == "item1") || (field.Name == "item1" && name == "item")) && IsPart(field.DeclaringType!);

    /// <summary>Whether a type is a union, or the class of a case.</summary>
    internal static bool IsPart(Type type) => IsUnion(type) || IsCase(type);

    /// <summary>Whether a type is the class of a case.</summary>
    internal static bool IsCase(Type type) => type.IsNested && type.BaseType is { } union && Definition(union) == type.DeclaringType && IsUnion(union);

    /// <summary>Whether an unmanaged value is a union, or has one in it: its bytes alone don't say which case it is. Where a program is compiled whole and the fields of a struct can't be
    /// seen, one of F#'s may be or have one.</summary>
    internal static bool AreIn(Type type) =>
        type.IsValueType && !type.IsPrimitive && !type.IsEnum
            && ((type.GetField(Tag, Instance) is { } tag && IsTag(tag)) || Array.Exists(type.GetFields(Instance), static field => AreIn(field.FieldType)) || (AheadOfTime.IsWhole && MayBeIn(type)));

    /// <summary>Whether a struct whose fields can't be seen may be a union, or have one in it: it is of F# source, or of something that is.</summary>
    internal static bool MayBeIn(Type type) =>
        type.GetFields(Instance).Length == 0
            && ((!IsOfLibrary(type) && type.GetCustomAttributesData().Any(static mark => mark.AttributeType.FullName == Mark)) || Array.Exists(type.GetGenericArguments(), MayBeIn));

    /// <summary>Whether a type is a union, or the class of a case, with numbers whose names this program does not have: it was trimmed.</summary>
    internal static bool AreUnseen(Type type) => TagOf(type) is { } tag && NamesOf(Definition(tag.DeclaringType!)).Length == 0;

    /// <summary>The exception for stored objects of such a type.</summary>
    internal static PileTypeMismatchException Unseen(Type type) => new(
        $"{TypeName.Display(type)} is a union of F#'s, {Untold}. What is stored is whole, and Describe and ToJson read it.");

    /// <summary>The exception for an object of a case that is no more.</summary>
    internal static PileTypeMismatchException Gone(Type type, string found) => new(
        $"{TypeName.Display(type)} was stored as {found}, which is no such case today. Give the union the cases, by name and with or without values, that it had, at whatever places; Describe and ToJson read it without them.");

    /// <summary>The names of a union's cases by number. F# lists them in a class that nothing but its reader refers to: none where a linker has taken it, or a part of it, away.</summary>
    private static string[] NamesOf(Type union)
    {
        SortedDictionary<int, string> names = [];
        foreach (FieldInfo constant in union.GetNestedType("Tags", Nested)?.GetFields(Static) ?? [])
        {
            if (constant.IsLiteral && constant.GetRawConstantValue() is int number and >= 0)
            {
                names[number] = constant.Name;
            }
        }

        return names.Keys.SequenceEqual(Enumerable.Range(0, names.Count)) ? [.. names.Values] : [];
    }

    private static Type? ClassOf(Type union, string name) => union.GetNestedType(name, Nested) is { BaseType: { } above } nested && Definition(above) == union ? nested : null;

    private static Type Definition(Type type) => type.IsGenericType ? type.GetGenericTypeDefinition() : type;

    private static int KindOf(CustomAttributeData mark) =>
        mark.AttributeType.FullName == Mark && mark.ConstructorArguments is [{ Value: int flags }, ..] ? flags & KindMask : 0;
}
