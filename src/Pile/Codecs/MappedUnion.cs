// The case of a union whose cases are others today, or were kept in another way: found by its name, or by the class that it had. An object of a case that is no more,
// or has other forms of objects today, is refused: no number is ever taken for another case.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;

namespace Pile.Codecs;

/// <summary>From stored cases to today's.</summary>
internal sealed class MappedUnion
{
    private readonly Type _type;
    private readonly FieldInfo _tag;
    private readonly string[] _cases;
    private readonly IReadOnlyList<string>? _stored;

    private MappedUnion(Type type, FieldInfo tag, string[] cases, IReadOnlyList<string>? stored) => (_type, _tag, _cases, _stored) = (type, tag, cases, stored);

    /// <summary>The number of the stored field with the case, -1 where there is none.</summary>
    internal int OldTag { get; private init; } = -1;

    /// <summary>The number that all objects of the version have today; null where each has its own.</summary>
    private int? Only { get; init; }

    /// <summary>The way for a version; null where neither then nor today a number tells the case.</summary>
    /// <exception cref="PileTypeMismatchException">There is none.</exception>
    internal static MappedUnion? Of(TypeVersion version, Type type, IReadOnlyList<SchemaField> old)
    {
        FieldInfo? tag = UnionCases.TagOf(type);
        int oldTag = Enumerable.Range(0, old.Count).FirstOrDefault(index => old[index].Name == UnionCases.Tag && (old[index].Cases is not null || UnionCases.IsPart(type)), -1);
        if (tag is null)
        {
            return oldTag < 0 || UnionCases.IsCase(type) || UnionCases.IsOfLibrary(type) ? null : throw UnionCases.Gone(type, "one of several cases");
        }

        string[] cases = UnionCases.Of(type, tag)!;
        if (UnionCases.IsCase(type))
        {
            return new MappedUnion(type, tag, cases, null) { OldTag = oldTag, Only = cases.Length - 1 };
        }

        if (oldTag >= 0)
        {
            return new MappedUnion(type, tag, cases, old[oldTag].Cases) { OldTag = oldTag };
        }

        // Of a class of its own, which a case without values had while there were few.
        string stored = version.Schema.TypeName;
        int arguments = stored.IndexOf('<', StringComparison.Ordinal);
        string name = arguments < 0 ? stored : stored[..arguments];
        int number = name.LastIndexOf("+_", StringComparison.Ordinal) is var mark and >= 0 && stored != TypeName.Of(type) ? Array.IndexOf(cases, name[(mark + 2)..]) : -1;
        return number >= 0 ? new MappedUnion(type, tag, cases, null) { Only = number } : throw UnionCases.Gone(type, "the only case, or as no union");
    }

    /// <summary>Reads the stored number, and sets today's.</summary>
    internal void Read(ref GraphReader reader, SchemaField old, object value)
    {
        if (Only is not null)
        {
            SchemaSkipper.SkipValue(ref reader, old);
            return;
        }

        int number = reader.Wire.ReadInt32();
        string name = _stored is null ? _cases.ElementAtOrDefault(number) ?? "" : _stored.ElementAtOrDefault(number) ?? "";
        int today = name.Length == 0 ? -1 : Array.IndexOf(_cases, name);
        if (today < 0)
        {
            throw UnionCases.Gone(_type, FormattableString.Invariant($"case {number} ({(name.Length == 0 ? "of no name" : name)})"));
        }

        _tag.SetValue(value, today);
    }

    /// <summary>Sets the number that all have.</summary>
    internal void Complete(object value)
    {
        if (Only is { } number)
        {
            _tag.SetValue(value, number);
        }
    }
}
