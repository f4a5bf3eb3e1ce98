// How the fields of a struct lie, in words: names, places and types of the fields, and of those of structs within it; and a hash of that by the names of
// today, or by names that fields had before ([PileName]). Only what is a part of the value's bytes is looked into, which ends: no struct is a part of itself.
// A field has one name wherever its type stands, for one program made the table. Which fields had which names then is nowhere said, so that choices are
// tried, likely ones first, and not more than some thousands.
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

/// <summary>The layout of a struct.</summary>
/// <remarks>The texts that stand between the names of renamed fields are kept, so that a choice of names takes no reflection.</remarks>
internal sealed class TypeLayout
{
    /// <summary>Choices of names that are tried, that of today among them.</summary>
    internal const int ChoicesMax = 1 << 12;

    private readonly StringBuilder _text = new();
    private readonly List<(byte[] Text, int Renamed)> _parts = [];
    private readonly List<Renamed> _renamed = [];
    private readonly Dictionary<(Module, int), int> _known = [];
    private readonly byte[] _bytes;

    internal TypeLayout(Type type)
    {
        Append(type);
        EndPart(-1);
        _bytes = new byte[_parts.Sum(part => part.Text.Length + (part.Renamed < 0 ? 0 : _renamed[part.Renamed].Names.Max(static name => name.Length)))];
        Today = HashOf(new int[_renamed.Count]);
    }

    /// <summary>The hash by the names of today.</summary>
    internal uint Today { get; }

    /// <summary>Fields that had other names.</summary>
    internal int RenamedCount => _renamed.Count;

    /// <summary>Whether there are more choices of names than are tried.</summary>
    internal bool IsTriedInPart => Choices().Skip(ChoicesMax).Any();

    /// <summary>Whether a hash is of this layout by names that its fields have or had.</summary>
    internal bool HasBeen(uint hash) => Choices().Take(ChoicesMax).Any(choice => HashOf(choice) == hash);

    private uint HashOf(int[] choice)
    {
        int length = 0;
        foreach ((byte[] text, int renamed) in _parts)
        {
            text.CopyTo(_bytes, length);
            length += text.Length;
            if (renamed >= 0)
            {
                byte[] name = _renamed[renamed].Names[choice[renamed]];
                name.CopyTo(_bytes, length);
                length += name.Length;
            }
        }

        return (uint)KeyHash.Of(_bytes.AsSpan(0, length), seed: 1);
    }

    /// <summary>Which name each renamed field has; an array is good until the next one is asked for.</summary>
    private IEnumerable<int[]> Choices()
    {
        // Most often all names that a version had are those of today, or of some day before, or fields changed at two days: as far as one that stands there,
        // that one alone, or those of its type.
        int[][] days = [.. Days()];
        yield return days[0];
        foreach (Predicate<int> isOfFirst in Divisions())
        {
            for (int first = 1; first < days.Length; first++)
            {
                for (int second = 0; second < first; second++)
                {
                    yield return [.. Enumerable.Range(0, _renamed.Count).Select(field => days[isOfFirst(field) ? first : second][field])];
                }
            }
        }

        // Then each choice for itself, those without parameters first.
        int[] choice = new int[_renamed.Count];
        foreach (bool withParameters in new[] { false, true })
        {
            do
            {
                yield return choice;
            }
            while (TryCount(choice, withParameters));
        }
    }

    /// <summary>The names of today, and for each former one that a field has at most: all fields by that, and all as the parameters of a primary constructor.</summary>
    private IEnumerable<int[]> Days()
    {
        yield return new int[_renamed.Count];
        for (int day = 1; day <= _renamed.Max(static field => (int?)field.Former); day++)
        {
            yield return [.. _renamed.Select(field => int.Min(day, field.Former))];
            yield return [.. _renamed.Select(field => field.Former + int.Min(day, field.Former))];
        }
    }

    /// <summary>Divisions of the fields in two parts.</summary>
    private IEnumerable<Predicate<int>> Divisions()
    {
        yield return static _ => true;
        for (int each = 0; each < _renamed.Count; each++)
        {
            int at = each;
            Type owner = _renamed[at].Owner;
            yield return field => field < at;
            yield return field => field >= at;
            yield return field => field == at;
            yield return field => field != at;
            if (_renamed.FindIndex(field => field.Owner == owner) == at)
            {
                yield return field => _renamed[field].Owner == owner;
                yield return field => _renamed[field].Owner != owner;
            }
        }
    }

    /// <summary>The next choice, as a number with a digit for each field; false, and all zero, where there was none.</summary>
    private bool TryCount(int[] choice, bool withParameters)
    {
        for (int field = 0; field < choice.Length; field++)
        {
            if (choice[field] < (withParameters ? 2 : 1) * _renamed[field].Former)
            {
                choice[field]++;
                return true;
            }

            choice[field] = 0;
        }

        return false;
    }

    private void Append(Type type)
    {
        if (type.IsEnum)
        {
            _text.Append(type.GetEnumUnderlyingType().Name);
        }
        else if (!type.IsValueType || (TypeName.IsFramework(type) && !type.IsGenericType))
        {
            _text.Append(type.Name);
        }
        else if (TypeName.IsFramework(type))
        {
            // Types of the framework are known by their names. What a GCHandle<Node> refers to is no part of it.
            _text.Append(type.Name).Append('<');
            foreach (Type argument in type.GetGenericArguments())
            {
                if (Holds(type, argument))
                {
                    Append(argument);
                }
                else
                {
                    _text.Append(argument.Name);
                }
            }

            _text.Append('>');
        }
        else
        {
            StructLayoutAttribute? layout = type.StructLayoutAttribute;
            _text.Append(CultureInfo.InvariantCulture, $"{{{layout?.Value}/{layout?.Pack}/{layout?.Size}/{type.GetCustomAttribute<InlineArrayAttribute>()?.Length}");
            foreach (FieldInfo field in FieldsOf(type).OrderBy(static field => field.MetadataToken))
            {
                Append(field);
            }

            _text.Append('}');
        }
    }

    private void Append(FieldInfo field)
    {
        _text.Append(' ');
        if (!_known.TryGetValue((field.Module, field.MetadataToken), out int renamed))
        {
            renamed = Know(field);
        }

        if (renamed < 0)
        {
            _text.Append(TypeFields.NameOf(field));
        }
        else
        {
            EndPart(renamed);
        }

        _text.Append(CultureInfo.InvariantCulture, $"@{field.GetCustomAttribute<FieldOffsetAttribute>()?.Value}:");
        Append(field.FieldType);
    }

    private void EndPart(int renamed)
    {
        _parts.Add((Encoding.UTF8.GetBytes(_text.ToString()), renamed));
        _text.Clear();
    }

    /// <summary>The number of a field among those that had other names; -1 for one that had none.</summary>
    private int Know(FieldInfo field)
    {
        string today = TypeFields.NameOf(field);
        string[] former = [.. TypeFields.OldNamesOf(field).Distinct()];
        int renamed = former.Length == 0 ? -1 : _renamed.Count;
        _known.Add((field.Module, field.MetadataToken), renamed);
        if (former.Length > 0)
        {
            IEnumerable<string> names = [today, .. former, .. former.Select(TypeFields.FieldOfParameter)];
            _renamed.Add(new Renamed(field.DeclaringType!, former.Length, [.. names.Select(Encoding.UTF8.GetBytes)]));
        }

        return renamed;
    }

    /// <summary>Whether values of a type are a part of those of another one. Numbers, whose only field is a number, hold nothing.</summary>
    private static bool Holds(Type type, Type part) =>
        !type.IsPrimitive && type.IsValueType && FieldsOf(type).Any(field => field.FieldType == part || Holds(field.FieldType, part));

    [UnconditionalSuppressMessage("Trimming", "IL2070", Justification = "The linker leaves the fields of structs where they are; a program that is compiled whole is not asked.")]
    private static FieldInfo[] FieldsOf(Type type) => type.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic);

    /// <param name="Owner">The type that declares it.</param>
    /// <param name="Former">Names that it had.</param>
    /// <param name="Names">That of today, those that it had, and those that the compiler gave to the fields of parameters of these names.</param>
    private sealed record Renamed(Type Owner, int Former, byte[][] Names);
}
