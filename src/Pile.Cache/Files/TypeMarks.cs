// The types of a table as files have them: by name and, where they are stored as their bytes, with how many those are and a mark of how their fields lie.
// Bytes have no versions: of a struct whose fields change their places each would be read from where another stood, and a key be found as another one.
// It tells layouts apart by the names of fields and their types, a name of before ([PileName]) for one that was renamed. The framework's own types have none.
using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using Pile.Cache.Keys;
using Pile.Codecs;

namespace Pile.Cache.Files;

/// <summary>Names of types with their marks: <c>Shop.Tick (16 bytes, layout 3F2A91C4)</c>, of arrays <c>Shop.Tick[] (16 bytes each, layout 3F2A91C4)</c>. A table of a type that
/// has changed its size has a mark of each.</summary>
internal static class TypeMarks
{
    private const string Begin = " (";
    private const string Layout = ", layout ";

    /// <summary>Layouts by former names that are tried: each field that has one doubles them.</summary>
    private const int LayoutsMax = 1 << 12;

    /// <summary>Sizes that are remembered of a type.</summary>
    private const int MarksMax = 8;

    /// <summary>The name of a type as a table keeps it.</summary>
    internal static string NameOf<T>() => TableOptionsLayout.Cut(typeof(T) + MarkOf<T>());

    /// <summary>The name alone.</summary>
    internal static string WithoutMark(string name)
    {
        while (name.EndsWith(')') && name.LastIndexOf(Begin, StringComparison.Ordinal) is > 0 and int at)
        {
            name = name[..at];
        }

        return name;
    }

    /// <summary>Whether what was stored under a name can't be what its bytes would be read as: another layout of as many bytes or, in arrays, elements of another size.</summary>
    internal static bool IsOtherLayout<T>(string stored)
    {
        string[] marks = MarksIn(stored);
        string today = MarkOf<T>();
        if (marks.Length == 0 || today.Length == 0)
        {
            return false;
        }

        // Of values that grew or shrank by themselves each entry is refused by itself; of what a program knows that is compiled ahead of time, the size alone.
        string? mark = Array.Find(marks, each => SizeIn(each) == SizeIn(today));
        return mark is null ? LaneOf<T>.Lane == Lane.Array : HasLayout(mark) && HasLayout(today) && !MarksOf<T>().Contains(mark);
    }

    /// <summary>The options of a table that is found, once it is in use: with a mark of each size that its entries may have, that of now first.</summary>
    /// <param name="found">Those that it has.</param>
    /// <param name="asked">Those of the call.</param>
    /// <param name="isGiven">Whether all of these count, or the types and the comparer alone.</param>
    /// <param name="isFormer">Whether it was made by a version that knew of no marks, which reads it still.</param>
    internal static PileTableOptions Woken(PileTableOptions found, PileTableOptions asked, bool isGiven, bool isFormer) => (isGiven ? asked : found with { Comparer = asked.Comparer }) with
    {
        KeyType = Woken(found.Kind, found.KeyType, asked.KeyType, isFormer),
        ValueType = Woken(found.Kind, found.ValueType, asked.ValueType, isFormer),
    };

    // A durable table keeps the name that it was made with, by which the program of before finds it.
    private static string Woken(PileTableKind kind, string found, string asked, bool isFormer)
    {
        string name = WithoutMark(kind == PileTableKind.Durable ? found : asked);
        foreach (string mark in isFormer ? [] : MarksOf(found, asked).Take(MarksMax))
        {
            name = Encoding.UTF8.GetByteCount(name + mark) <= TableOptionsLayout.NameBytesMax ? name + mark : name;
        }

        return name;
    }

    private static IEnumerable<string> MarksOf(string found, string asked)
    {
        string[] former = MarksIn(found);
        foreach (string today in MarksIn(asked))
        {
            // A program that is compiled ahead of time does not see the layout, and leaves that which is known.
            string? same = Array.Find(former, each => SizeIn(each) == SizeIn(today));
            former = Array.FindAll(former, each => each != same);
            yield return same is not null && HasLayout(same) && !HasLayout(today) ? same : today;
        }

        foreach (string other in former)
        {
            yield return other;
        }
    }

    private static string[] MarksIn(string name) =>
        [.. name[WithoutMark(name).Length..].Split(Begin, StringSplitOptions.RemoveEmptyEntries).Select(static mark => Begin + mark)];

    private static bool HasLayout(string name) => name.Contains(Layout, StringComparison.Ordinal);

    private static string SizeIn(string mark) => mark.IndexOf(Layout, StringComparison.Ordinal) is > 0 and int at ? mark[..at] : mark.TrimEnd(')');

    /// <summary>The mark of a type; empty where it needs none.</summary>
    internal static string MarkOf<T>() => MarksOf<T>().First();

    /// <summary>The marks that a type may have had: that of today first, then those by former names of its fields.</summary>
    private static IEnumerable<string> MarksOf<T>()
    {
        Type type = LaneOf<T>.Lane == Lane.Array ? typeof(T).GetElementType()! : typeof(T);
        if (LaneOf<T>.Lane is not (Lane.Array or Lane.Value) || (type.IsEnum && LaneOf<T>.Lane == Lane.Value) || !IsOfProgram(type))
        {
            return [string.Empty];
        }

        int bytes = LaneOf<T>.Lane == Lane.Array ? LaneOf<T>.ElementBytes : Unsafe.SizeOf<T>();
        string size = string.Create(CultureInfo.InvariantCulture, $"{Begin}{bytes} bytes{(LaneOf<T>.Lane == Lane.Array ? " each" : null)}");
        return AheadOfTime.IsWhole || type.IsEnum
            ? [$"{size})"]
            : LayoutsOf(type).Take(LayoutsMax).Select(layout => string.Create(CultureInfo.InvariantCulture, $"{size}{Layout}{(uint)KeyHash.Of(Encoding.UTF8.GetBytes(layout), seed: 1):X8})"));
    }

    /// <summary>Whether a type of the program is it, or is a part of it.</summary>
    private static bool IsOfProgram(Type type) => !TypeName.IsFramework(type) || (type.IsGenericType && type.GetGenericArguments().Any(IsOfProgram));

    /// <summary>How the fields of a type lie, in words: by their names of today, and by each choice of former ones.</summary>
    [UnconditionalSuppressMessage("Trimming", "IL2070", Justification = "The linker leaves the fields of structs where they are; a program that is compiled whole is not asked.")]
    private static IEnumerable<string> LayoutsOf(Type type)
    {
        if (type.IsEnum)
        {
            return [type.GetEnumUnderlyingType().Name];
        }

        if (TypeName.IsFramework(type) && !type.IsGenericType)
        {
            return [type.Name];
        }

        if (TypeName.IsFramework(type))
        {
            return type.GetGenericArguments().Aggregate((IEnumerable<string>)[$"{type.Name}<"], static (before, argument) => before.SelectMany(text => LayoutsOf(argument).Select(next => text + next))).Select(static text => text + ">");
        }

        StructLayoutAttribute? layout = type.StructLayoutAttribute;
        string head = string.Create(CultureInfo.InvariantCulture, $"{{{layout?.Value}/{layout?.Pack}/{layout?.Size}/{type.GetCustomAttribute<InlineArrayAttribute>()?.Length}");
        return type.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic).OrderBy(static field => field.MetadataToken)
            .Aggregate((IEnumerable<string>)[head], static (before, field) => before.SelectMany(text => LayoutsOf(field).Select(next => text + next))).Select(static text => text + "}");
    }

    private static IEnumerable<string> LayoutsOf(FieldInfo field)
    {
        int? offset = field.GetCustomAttribute<FieldOffsetAttribute>()?.Value;
        return NamesOf(field).SelectMany(name => LayoutsOf(field.FieldType).Select(inner => string.Create(CultureInfo.InvariantCulture, $" {name}@{offset}:{inner}")));
    }

    /// <summary>The names that a field has and had; one that had another may have been kept for a parameter of a primary constructor.</summary>
    private static IEnumerable<string> NamesOf(FieldInfo field) =>
        TypeFields.OldNamesOf(field).SelectMany(static old => new[] { old, $"<{old}>P" }).Prepend(TypeFields.NameOf(field)).Distinct();
}
