// The types of a table as files have them: by name and, where they are stored as their bytes, with how many those are and a mark of how their fields lie.
// Bytes have no versions: of a struct whose fields change their places each would be read from where another stood, and a key be found as another one.
// It tells layouts apart by the names of fields and their types, a name of before ([PileName]) for one that was renamed. The framework's own types have none.
using System;
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

/// <summary>Names of types with their marks: <c>Shop.Tick (16 bytes, layout 3F2A91C4)</c>, of arrays <c>Shop.Tick[] (16 bytes each, layout 3F2A91C4)</c>.</summary>
internal static class TypeMarks
{
    private const string Begin = " (";
    private const string Layout = ", layout ";

    /// <summary>The name of a type as a table keeps it.</summary>
    internal static string NameOf<T>() => TableOptionsLayout.Cut(typeof(T) + MarkOf<T>(isFormer: false));

    /// <summary>The name alone.</summary>
    internal static string WithoutMark(string name) => name.EndsWith(')') && name.LastIndexOf(Begin, StringComparison.Ordinal) is > 0 and int at ? name[..at] : name;

    /// <summary>Whether what was stored under a name can't be what its bytes would be read as: another layout of as many bytes or, in arrays, elements of another size.</summary>
    internal static bool IsOtherLayout<T>(string stored)
    {
        string mark = stored[WithoutMark(stored).Length..];
        string today = MarkOf<T>(isFormer: false);
        if (mark.Length == 0 || today.Length == 0)
        {
            return false;
        }

        // Of values that grew or shrank by themselves each entry is refused by itself; of what a program knows that is compiled ahead of time, the size alone.
        bool isSameSize = SizeIn(mark) == SizeIn(today);
        return !isSameSize ? LaneOf<T>.Lane == Lane.Array
            : mark != today && mark != MarkOf<T>(isFormer: true) && mark.Contains(Layout, StringComparison.Ordinal) && today.Contains(Layout, StringComparison.Ordinal);
    }

    /// <summary>The same options without marks, as versions before there were any wrote them.</summary>
    internal static PileTableOptions Unmarked(PileTableOptions options) => options with { KeyType = WithoutMark(options.KeyType), ValueType = WithoutMark(options.ValueType) };

    private static string SizeIn(string mark) => mark.IndexOf(Layout, StringComparison.Ordinal) is > 0 and int at ? mark[..at] : mark.TrimEnd(')');

    /// <summary>The mark of a type; empty where it needs none.</summary>
    /// <param name="isFormer">Whether by the former names of fields that have any.</param>
    internal static string MarkOf<T>(bool isFormer)
    {
        Type type = LaneOf<T>.Lane == Lane.Array ? typeof(T).GetElementType()! : typeof(T);
        if (LaneOf<T>.Lane is not (Lane.Array or Lane.Value) || (type.IsEnum && LaneOf<T>.Lane == Lane.Value) || !IsOfProgram(type))
        {
            return string.Empty;
        }

        int bytes = LaneOf<T>.Lane == Lane.Array ? LaneOf<T>.ElementBytes : Unsafe.SizeOf<T>();
        string size = string.Create(CultureInfo.InvariantCulture, $"{Begin}{bytes} bytes{(LaneOf<T>.Lane == Lane.Array ? " each" : null)}");
        return AheadOfTime.IsWhole || type.IsEnum ? $"{size})" : string.Create(CultureInfo.InvariantCulture, $"{size}{Layout}{(uint)KeyHash.Of(Encoding.UTF8.GetBytes(Append(new StringBuilder(), type, isFormer).ToString()), seed: 1):X8})");
    }

    /// <summary>Whether a type of the program is it, or is a part of it.</summary>
    private static bool IsOfProgram(Type type) => !TypeName.IsFramework(type) || (type.IsGenericType && type.GetGenericArguments().Any(IsOfProgram));

    [UnconditionalSuppressMessage("Trimming", "IL2070", Justification = "The linker leaves the fields of structs where they are; a program that is compiled whole is not asked.")]
    private static StringBuilder Append(StringBuilder text, Type type, bool isFormer)
    {
        if (type.IsEnum)
        {
            text.Append(type.GetEnumUnderlyingType().Name);
        }
        else if (TypeName.IsFramework(type))
        {
            text.Append(type.Name).Append('<');
            Array.ForEach(type.GetGenericArguments(), argument => Append(text, argument, isFormer));
            text.Append('>');
        }
        else
        {
            StructLayoutAttribute? layout = type.StructLayoutAttribute;
            text.Append(CultureInfo.InvariantCulture, $"{{{layout?.Value}/{layout?.Pack}/{layout?.Size}/{type.GetCustomAttribute<InlineArrayAttribute>()?.Length}");
            foreach (FieldInfo field in type.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic).OrderBy(static field => field.MetadataToken))
            {
                text.Append(CultureInfo.InvariantCulture, $" {(isFormer ? TypeFields.OldNamesOf(field).FirstOrDefault() : null) ?? TypeFields.NameOf(field)}@{field.GetCustomAttribute<FieldOffsetAttribute>()?.Value}:");
                Append(text, field.FieldType, isFormer);
            }

            text.Append('}');
        }

        return text;
    }
}
