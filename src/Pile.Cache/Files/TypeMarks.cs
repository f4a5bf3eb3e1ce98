// The types of a table as files have them: by name and, where they are stored as their bytes, with how many those are and a mark of how their fields lie.
// Bytes have no versions: of a struct whose fields change their places each would be read from where another stood, and a key be found as another one.
// It tells layouts apart by the names of fields and their types, a name of before ([PileName]) for one that was renamed. The framework's own types have none.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Text;
using Pile.Codecs;

namespace Pile.Cache.Files;

/// <summary>Names of types with their marks: <c>Shop.Tick (16 bytes, layout 3F2A91C4)</c>, of arrays <c>Shop.Tick[] (16 bytes each, layout 3F2A91C4)</c>. A table of a type that
/// has changed its size has a mark of each.</summary>
internal static class TypeMarks
{
    private const string Begin = " (";
    private const string Layout = ", layout ";

    /// <summary>Sizes that are remembered of a type.</summary>
    private const int MarksMax = 8;

    /// <summary>The name of a type as a table keeps it; one without room for its mark has none.</summary>
    internal static string NameOf<T>() => TableOptionsLayout.Cut(WithMark(typeof(T).ToString(), MarkOf<T>()));

    private static string WithMark(string name, string mark) => Encoding.UTF8.GetByteCount(name + mark) <= TableOptionsLayout.NameBytesMax ? name + mark : name;

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
        TypeLayout? layout = LayoutOf<T>();
        string today = MarkOf<T>(layout);
        if (marks.Length == 0 || today.Length == 0)
        {
            return false;
        }

        // Of values that grew or shrank by themselves each entry is refused by itself; of what a program knows that is compiled ahead of time, the size alone.
        string? mark = Array.Find(marks, each => SizeIn(each) == SizeIn(today));
        return mark is null ? LaneOf<T>.Lane == Lane.Array : layout is not null && HasLayout(mark) && !IsOf(layout, mark);
    }

    private static bool IsOf(TypeLayout layout, string mark) =>
        uint.TryParse(mark.AsSpan()[(SizeIn(mark).Length + Layout.Length)..^1], NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out uint hash) && layout.HasBeen(hash);

    /// <summary>What a refusal adds for a type whose fields may have had more names together than are tried; empty for others.</summary>
    internal static string TriedOf<T>() => LayoutOf<T>() is { IsTriedInPart: true } layout
        ? string.Create(CultureInfo.InvariantCulture, $". The {layout.RenamedCount} renamed fields in {typeof(T)} may have been called together in more ways than the {TypeLayout.ChoicesMax:N0} that were tried: give some of them the names of then")
        : string.Empty;

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
        foreach (string mark in isFormer ? [] : MarksOf(kind, found, asked).Take(MarksMax))
        {
            name = WithMark(name, mark);
        }

        return name;
    }

    private static IEnumerable<string> MarksOf(PileTableKind kind, string found, string asked)
    {
        string[] former = MarksIn(found);
        foreach (string today in MarksIn(asked))
        {
            // The layout in a durable table has the names of fields that the program of before knows too. One that is compiled ahead of time does not see the layout, and leaves that which is known.
            string? same = Array.Find(former, each => SizeIn(each) == SizeIn(today));
            former = Array.FindAll(former, each => each != same);
            yield return same is not null && HasLayout(same) && (kind == PileTableKind.Durable || !HasLayout(today)) ? same : today;
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
    internal static string MarkOf<T>() => MarkOf<T>(LayoutOf<T>());

    private static string MarkOf<T>(TypeLayout? layout)
    {
        if (StructOf<T>() is null)
        {
            return string.Empty;
        }

        bool isArray = LaneOf<T>.Lane == Lane.Array;
        int bytes = isArray ? LaneOf<T>.ElementBytes : Unsafe.SizeOf<T>();
        return string.Create(CultureInfo.InvariantCulture, $"{Begin}{bytes} bytes{(isArray ? " each" : null)}{(layout is null ? null : Layout)}{layout?.Today:X8})");
    }

    /// <summary>The layout of a type that has a mark; null where that is its size alone.</summary>
    private static TypeLayout? LayoutOf<T>() => !AheadOfTime.IsWhole && StructOf<T>() is { IsEnum: false } type ? new TypeLayout(type) : null;

    /// <summary>The type that is stored as its bytes; null where there is none, or its size is known by its name.</summary>
    private static Type? StructOf<T>()
    {
        Type? type = LaneOf<T>.Lane switch
        {
            Lane.Array => typeof(T).GetElementType(),
            Lane.Value when !typeof(T).IsEnum => typeof(T),
            _ => null,
        };
        return type is not null && IsOfProgram(type) ? type : null;
    }

    /// <summary>Whether a type of the program is it, or is a part of it.</summary>
    private static bool IsOfProgram(Type type) => !TypeName.IsFramework(type) || (type.IsGenericType && type.GetGenericArguments().Any(IsOfProgram));
}
