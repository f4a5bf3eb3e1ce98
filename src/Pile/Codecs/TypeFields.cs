// Which fields of a type are kept, and under which names: all instance fields, private and inherited ones too, base first,
// in the order in which each type declares them. Not those marked [NonSerialized], nor what a framework type can do without.
using System;
using System.Collections.Generic;
using System.Collections.ObjectModel;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace Pile.Codecs;

/// <summary>Fields of types.</summary>
internal static class TypeFields
{
    /// <summary>What Visual Basic puts before the name of an auto-property, and F# behind those of its own and of a record's fields.</summary>
    private const string VisualBasicMark = "_";
    private const string FSharpMark = "@";
    private const string BackingFieldEnd = ">k__BackingField";
    private const string ParameterFieldEnd = ">P";
    private const BindingFlags Declared = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    /// <summary>Fields of the framework that are left out: listeners and guards of the moment.</summary>
    private static readonly Dictionary<Type, string[]> _leftOut = new()
    {
        [typeof(ObservableCollection<>)] = ["CollectionChanged", "PropertyChanged", "_monitor", "_blockReentrancyCount"],
        [typeof(ReadOnlyObservableCollection<>)] = ["CollectionChanged", "PropertyChanged"],
    };

    /// <summary>The fields of a type down to, and not including, one of its bases.</summary>
    internal static List<FieldInfo> Of(Type type, Type? below = null)
    {
        List<Type> levels = [];
        for (Type? at = type; at is not null && at != below; at = at.BaseType)
        {
            levels.Add(at);
        }

        List<FieldInfo> fields = [];
        for (int level = levels.Count - 1; level >= 0; level--)
        {
            FieldInfo[] declared = levels[level].GetFields(Declared);
            Array.Sort(declared, static (left, right) => left.MetadataToken.CompareTo(right.MetadataToken));
            string[] leftOut = levels[level].IsGenericType && _leftOut.TryGetValue(levels[level].GetGenericTypeDefinition(), out string[]? names) ? names : [];
            foreach (FieldInfo field in declared)
            {
                if (!field.IsDefined(typeof(NonSerializedAttribute), false) && Array.IndexOf(leftOut, field.Name) < 0)
                {
                    fields.Add(field);
                }
            }
        }

        return fields;
    }

    /// <summary>About what an instance takes.</summary>
    internal static int InstanceBytes(Type type)
    {
        int bytes = 16;
        foreach (FieldInfo field in Of(type))
        {
            bytes = checked(bytes + (field.FieldType.IsValueType ? RuntimeHelpers.SizeOf(field.FieldType.TypeHandle) : IntPtr.Size));
        }

        return bytes;
    }

    /// <summary>The name of a field; of an auto-property's, the property's.</summary>
    internal static string NameOf(FieldInfo field)
    {
        string name = field.Name;
        return name.StartsWith('<') && name.EndsWith(BackingFieldEnd, StringComparison.Ordinal) ? name[1..^BackingFieldEnd.Length] : name;
    }

    /// <summary>The name of a field as it was written while the first closing bracket ended a property's: of an explicit member of a generic interface
    /// a part, which all members of that interface have. Null for all other fields.</summary>
    internal static string? CutNameOf(FieldInfo field)
    {
        string name = NameOf(field);
        int end = ReferenceEquals(name, field.Name) ? -1 : name.IndexOf('>', StringComparison.Ordinal);
        return end < 0 ? null : name[..end];
    }

    /// <summary>The parameter of a primary constructor whose field has a stored name, or null.</summary>
    internal static string? ParameterOf(string name) => name.StartsWith('<') && name.EndsWith(ParameterFieldEnd, StringComparison.Ordinal) ? name[1..^ParameterFieldEnd.Length] : null;

    /// <summary>The field in which the compiler keeps a parameter of a primary constructor.</summary>
    internal static string FieldOfParameter(string name) => $"<{name}{ParameterFieldEnd}";

    /// <summary>The property that a field belongs to, or null.</summary>
    internal static PropertyInfo? PropertyOf(FieldInfo field)
    {
        string name = field.Name.EndsWith(FSharpMark, StringComparison.Ordinal) ? field.Name[..^FSharpMark.Length]
            : field.Name.StartsWith(VisualBasicMark, StringComparison.Ordinal) && IsOfCompiler(field) ? field.Name[VisualBasicMark.Length..]
            : NameOf(field);
        return name == field.Name ? null : field.DeclaringType!.GetProperty(name, Declared);
    }

    /// <summary>Names that a field had before; of a property's, the property's names, and those of their fields where these are called otherwise.</summary>
    internal static IEnumerable<string> OldNamesOf(FieldInfo field)
    {
        foreach (PileNameAttribute old in field.GetCustomAttributes<PileNameAttribute>())
        {
            yield return old.Name;
        }

        if (PropertyOf(field) is { } property)
        {
            foreach (PileNameAttribute old in property.GetCustomAttributes<PileNameAttribute>())
            {
                yield return old.Name;
                if (ReferenceEquals(NameOf(field), field.Name))
                {
                    yield return field.Name.EndsWith(FSharpMark, StringComparison.Ordinal) ? old.Name + FSharpMark : VisualBasicMark + old.Name;
                }
            }
        }
    }

    private static bool IsOfCompiler(FieldInfo field) => field.IsDefined(typeof(CompilerGeneratedAttribute), false);
}
